// ExitLanes: the rows of a block that are still under way, one per lane, and what they have so far.
//
// Every row waits for the step `next` that it evaluates next; n_steps means that it has quit. Rows
// that quit leave their sums behind at once, for kernels go on adding to their lane until the lanes
// are packed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>

#include "mddag/engine/aligned.hpp"
#include "mddag/engine/decisions.hpp"
#include "mddag/engine/kernels.hpp"

namespace mddag::engine {

class ExitLanes {
 public:
  // sums: (n_scores, stride), which this object reads and packs, but others add to.
  ExitLanes(const Kernels& kernels, const Decisions& decisions, std::int32_t* sums,
            std::size_t stride)
      : kernels_(kernels),
        decisions_(decisions),
        quit_(static_cast<std::int32_t>(decisions.n_steps())),
        stride_(stride),
        sums_(sums),
        row_(stride),
        gone_(stride),
        next_(stride),
        exit_step_(stride),
        n_evaluated_(stride),
        state_(stride),
        decided_(stride),
        final_(decisions.n_scores() * stride),
        saved_(decisions.n_scores() * stride),
        top_(stride),
        masks_(stride / 8),
        gone_masks_(stride / 8) {}

  std::size_t size() const { return n_; }
  std::size_t n_alive() const { return static_cast<std::size_t>(settled_.n_alive); }
  // The step that any row evaluates next.
  std::size_t soonest() const { return static_cast<std::size_t>(settled_.soonest); }
  bool are_whole() const { return whole_; }  // lane i is row i
  const std::int32_t* rows() const { return row_.data(); }

  // n rows, whose sums are there.
  void start(std::size_t n) {
    whole_ = true;
    std::iota(row_.data(), row_.data() + n, 0);
    std::fill_n(next_.data(), n, 0);
    std::fill_n(exit_step_.data(), n, 0);
    std::fill_n(n_evaluated_.data(), n, 0);
    std::copy_n(sums_, decisions_.n_scores() * stride_, final_.data());
    set_size(n);
    decide(0, -1, -1);
  }

  // Rows that wait for a later step than a keep their sums while the others evaluate.
  void enter(std::size_t a) {
    if (!decisions_.has_skips()) return;
    const auto n_here = static_cast<std::size_t>(
        std::count(next_.data(), next_.data() + n_, static_cast<std::int32_t>(a)));
    some_wait_ = n_here < n_alive();
    if (some_wait_) std::copy_n(sums_, decisions_.n_scores() * stride_, saved_.data());
  }

  // The steps a .. b are evaluated: the next decision.
  void leave(std::size_t a, std::size_t b) {
    if (some_wait_) restore(static_cast<std::int32_t>(a));
    some_wait_ = false;
    decide(a / decisions_.every() + 1, static_cast<std::int32_t>(a), static_cast<std::int32_t>(b));
  }

  // Calls done(row, lane) for every row that has quit and moves the others together; returns which
  // stayed, eight lanes a mask.
  template <class Done>
  Span<const std::uint8_t> pack(const Done& done) {
    const ExitArrays lanes = arrays();
    const std::size_t n_masks = lanes.n / 8;
    kernels_.mask_alive(lanes, masks_.data());
    report_gone(n_masks, done);
    for (std::int32_t* words : {row_.data(), next_.data(), exit_step_.data(), n_evaluated_.data()})
      kernels_.pack_words(masks_.data(), n_masks, words);
    for (std::size_t k = 0; k < decisions_.n_scores(); ++k)
      kernels_.pack_words(masks_.data(), n_masks, sums_ + k * stride_);
    whole_ = whole_ && n_alive() == n_;
    set_size(n_alive());
    return {masks_.data(), n_masks};
  }

  std::int32_t final(std::size_t lane, std::size_t k) const {
    return final_.data()[k * stride_ + lane];
  }
  std::int32_t exit_step(std::size_t lane) const { return exit_step_.data()[lane]; }
  std::int32_t n_evaluated(std::size_t lane) const { return n_evaluated_.data()[lane]; }

 private:
  ExitArrays arrays() {
    std::int32_t* state = decisions_.n_scores() == 1 ? sums_ : state_.data();
    return {next_.data(),    exit_step_.data(),     n_evaluated_.data(),
            sums_,           final_.data(),         state,
            decided_.data(), top_.data(),           chunks(n_),
            stride_,         decisions_.n_scores(), quit_};
  }

  static std::size_t chunks(std::size_t n) {
    return (n + kExitChunk - 1) / kExitChunk * kExitChunk;
  }

  void set_size(std::size_t n) {
    n_ = n;
    std::fill(next_.data() + n, next_.data() + chunks(n), quit_);
  }

  void decide(std::size_t d, std::int32_t a, std::int32_t b) {
    const ExitArrays lanes = arrays();
    if (lanes.n_scores > 1) kernels_.find_states(lanes);
    for (std::uint32_t k = 0; k < lanes.n_scores; ++k) {
      const Span<const Jump> jumps = decisions_.jumps(d, k);
      kernels_.decide(lanes, jumps.data, jumps.size, k);
    }
    settled_ = kernels_.settle(lanes, a, b);
  }

  void restore(std::int32_t a) {
    const std::int32_t* next = next_.data();
    for (std::size_t k = 0; k < decisions_.n_scores(); ++k) {
      std::int32_t* sums = sums_ + k * stride_;
      const std::int32_t* saved = saved_.data() + k * stride_;
      for (std::size_t i = 0; i < n_; ++i) sums[i] = next[i] == a ? sums[i] : saved[i];
    }
  }

  template <class Done>
  void report_gone(std::size_t n_masks, const Done& done) {
    for (std::size_t m = 0; m < n_masks; ++m)
      gone_masks_.data()[m] = static_cast<std::uint8_t>(~masks_.data()[m]);
    std::iota(gone_.data(), gone_.data() + 8 * n_masks, 0);
    kernels_.pack_words(gone_masks_.data(), n_masks, gone_.data());
    for (std::size_t g = 0; g < n_ - n_alive(); ++g) {  // lanes beyond the last row come last
      const auto lane = static_cast<std::size_t>(gone_.data()[g]);
      done(static_cast<std::size_t>(row_.data()[lane]), lane);
    }
  }

  const Kernels& kernels_;
  const Decisions& decisions_;
  const std::int32_t quit_;
  const std::size_t stride_;
  std::int32_t* sums_;
  std::size_t n_ = 0;
  Settled settled_{};
  bool whole_ = true, some_wait_ = false;
  Aligned<std::int32_t> row_, gone_, next_, exit_step_, n_evaluated_, state_, decided_, final_,
      saved_;
  Aligned<std::uint32_t> top_;
  Aligned<std::uint8_t> masks_, gone_masks_;
};

}  // namespace mddag::engine
