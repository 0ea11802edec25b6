// ExitLanes: the rows of a block that are still under way, one per lane.
//
// Every row waits for the step `next` that it evaluates next; n_steps means that it has quit. A row
// that quits is reported at once, for kernels go on adding to its lane until the lanes are packed.
// It has just evaluated: one that waits decides the same again (exit_kernels.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>

#include "blocks/kernels/kernels.hpp"
#include "blocks/run/decisions.hpp"
#include "internal/aligned.hpp"

namespace mddag::blocks {

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
        number_(stride),
        row_(stride),
        next_(stride),
        gone_(stride),
        saved_(decisions.has_skips() ? decisions.n_scores() * stride : 0),
        gone_masks_(stride / 8),
        alive_masks_(stride / 8) {
    std::iota(number_.data(), number_.data() + stride, 0);
  }

  std::size_t size() const { return n_; }
  std::size_t n_alive() const { return static_cast<std::size_t>(settled_.n_alive); }
  // The step that any row evaluates next.
  std::size_t soonest() const { return static_cast<std::size_t>(settled_.soonest); }
  bool are_whole() const { return whole_; }  // lane i is row i
  const std::int32_t* rows() const { return row_.data(); }
  std::int32_t sum(std::size_t lane, std::size_t k) const { return sums_[k * stride_ + lane]; }

  // n rows, whose sums are there: the first decision. Here and below, done(row, lane, exit_step) is
  // called for every row that quits.
  template <class Done>
  void start(std::size_t n, const Done& done) {
    whole_ = true;
    std::copy_n(number_.data(), n, row_.data());
    std::fill_n(next_.data(), n, -1);
    set_size(n);
    decide(0, 0, done);
  }

  // Rows that wait for a later step keep their sums while the others evaluate.
  void enter() {
    if (!decisions_.has_skips()) return;
    for (std::size_t k = 0; k < decisions_.n_scores(); ++k)
      std::copy_n(sums_ + k * stride_, n_, saved_.data() + k * stride_);
  }

  // The steps a .. b are evaluated: the next decision.
  template <class Done>
  void leave(std::size_t a, std::size_t b, const Done& done) {
    if (decisions_.has_skips()) restore(static_cast<std::int32_t>(a));
    decide(a / decisions_.every() + 1, b, done);
  }

  // Moves the rows that have not quit together; returns which they were, eight lanes a mask.
  Span<const std::uint8_t> pack() {
    const std::size_t n_masks = chunks(n_) / 8;
    const std::uint8_t* masks = alive_masks_.data();
    kernels_.mask_other(next_.data(), chunks(n_), quit_, alive_masks_.data());
    for (std::int32_t* words : {row_.data(), next_.data()})
      kernels_.pack_words(masks, n_masks, words, words);
    for (std::size_t k = 0; k < decisions_.n_scores(); ++k)
      kernels_.pack_words(masks, n_masks, sums_ + k * stride_, sums_ + k * stride_);
    whole_ = whole_ && n_alive() == n_;
    set_size(n_alive());
    return {masks, n_masks};
  }

 private:
  static std::size_t chunks(std::size_t n) {
    return (n + kExitChunk - 1) / kExitChunk * kExitChunk;
  }

  void set_size(std::size_t n) {
    n_ = n;
    std::fill(next_.data() + n, next_.data() + chunks(n), quit_);
  }

  // Decision d, before step b.
  template <class Done>
  void decide(std::size_t d, std::size_t b, const Done& done) {
    const auto n_before = d == 0 ? n_ : n_alive();
    settled_ = kernels_.decide({next_.data(), sums_, gone_masks_.data(), chunks(n_), stride_,
                                decisions_.n_scores(), quit_},
                               decisions_[d]);
    const std::size_t n_gone = n_before - n_alive();
    if (n_gone == 0) return;
    kernels_.pack_words(gone_masks_.data(), chunks(n_) / 8, number_.data(), gone_.data());
    for (std::size_t g = 0; g < n_gone; ++g) {
      const auto lane = static_cast<std::size_t>(gone_.data()[g]);
      done(static_cast<std::size_t>(row_.data()[lane]), lane, b);
    }
  }

  void restore(std::int32_t a) {
    for (std::size_t k = 0; k < decisions_.n_scores(); ++k)
      kernels_.restore(next_.data(), a, saved_.data() + k * stride_, sums_ + k * stride_,
                       chunks(n_));
  }

  const Kernels& kernels_;
  const Decisions& decisions_;
  const std::int32_t quit_;
  const std::size_t stride_;
  std::int32_t* sums_;
  std::size_t n_ = 0;
  Settled settled_{};
  bool whole_ = true;
  Aligned<std::int32_t> number_;  // 0, 1, 2 ...
  Aligned<std::int32_t> row_, next_, gone_, saved_;
  Aligned<std::uint8_t> gone_masks_, alive_masks_;
};

}  // namespace mddag::blocks
