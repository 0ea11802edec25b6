// ExitLanes: the rows of a block that are still under way, one per lane, and what they have so far.
//
// Every row waits for the step `next` that it evaluates next; n_steps means that it has quit. Rows
// that quit leave their sums behind at once, for kernels go on adding to their lane until the lanes
// are packed. All loops are free of branches, so that compilers can make vectors of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "mddag/engine/aligned.hpp"
#include "mddag/engine/decisions.hpp"
#include "mddag/engine/rank_loader.hpp"

namespace mddag::engine {

class ExitLanes {
 public:
  ExitLanes(const Decisions& decisions, std::size_t stride)
      : decisions_(decisions),
        quit_(static_cast<std::int32_t>(decisions.n_steps())),
        stride_(stride),
        row_(stride),
        keep_(stride),
        gone_(stride),
        masks_(stride / 8),
        next_(stride),
        exit_step_(stride),
        n_evaluated_(stride),
        state_(stride),
        top_(stride),
        decided_(stride),
        chosen_(stride),
        final_(decisions.n_scores() * stride),
        saved_(decisions.n_scores() * stride) {}

  std::size_t size() const { return n_; }
  std::size_t n_alive() const { return n_alive_; }
  std::int32_t soonest() const { return soonest_; }  // step that any row evaluates next
  const std::uint32_t* rows() const { return row_.data(); }
  bool are_whole() const { return whole_; }  // lane i is row i
  const std::uint8_t* masks() const { return masks_.data(); }

  void start(std::size_t n, const std::int32_t* sums) {
    n_ = n_alive_ = n;
    whole_ = true;
    std::iota(row_.data(), row_.data() + n, 0u);
    std::fill_n(next_.data(), n, 0);
    std::fill_n(exit_step_.data(), n, 0);
    std::fill_n(n_evaluated_.data(), n, 0);
    copy(sums, final_.data());
    decide(0, sums);
  }

  // The rows that take part in steps a .. b; the sums of the others are kept for `leave`.
  void enter(std::int32_t a, const std::int32_t* sums) {
    std::size_t n_here = 0;
    for (std::size_t i = 0; i < n_; ++i) n_here += next_.data()[i] == a;
    some_wait_ = n_here < n_alive_;
    if (some_wait_) copy(sums, saved_.data());
  }

  void leave(std::int32_t a, std::int32_t b, std::int32_t* sums) {
    const std::int32_t *next = next_.data(), *saved = saved_.data();
    if (some_wait_)
      for (std::size_t k = 0; k < decisions_.n_scores(); ++k)
        for (std::size_t i = 0; i < n_; ++i)
          sums[k * stride_ + i] = next[i] == a ? sums[k * stride_ + i] : saved[k * stride_ + i];
    std::int32_t *exit_step = exit_step_.data(), *n_evaluated = n_evaluated_.data();
    for (std::size_t i = 0; i < n_; ++i) {
      exit_step[i] = next[i] == a ? b : exit_step[i];
      n_evaluated[i] += next[i] == a ? b - a : 0;
    }
  }

  // Decision d. A row that waits for a later step decides the same again, since its state did not
  // change and jumps over steps are folded; one that has quit stays so.
  void decide(std::size_t d, const std::int32_t* sums) {
    set_states(sums);
    for (std::size_t k = 0; k < decisions_.n_scores(); ++k) set_decided(d, k);
    for (std::size_t k = 0; k < decisions_.n_scores(); ++k) keep_final(sums + k * stride_, k);
    std::int32_t soonest = quit_, n_alive = 0;
    std::int32_t* next = next_.data();
    for (std::size_t i = 0; i < n_; ++i) {
      next[i] = std::max(next[i] == quit_ ? quit_ : 0, decided_.data()[i]);
      soonest = std::min(soonest, next[i]);
      n_alive += next[i] != quit_;
    }
    soonest_ = soonest;
    n_alive_ = static_cast<std::size_t>(n_alive);
  }

  // Calls done(row, lane) for every row that has quit and moves the others together; masks() then
  // tells, eight lanes a byte, which stayed.
  template <class Done>
  void pack(std::int32_t* sums, const Done& done) {
    std::size_t n_kept = 0, n_done = 0;
    std::uint32_t *keep = keep_.data(), *gone = gone_.data();
    std::fill_n(masks_.data(), padded(n_) / 8, std::uint8_t{0});
    for (std::size_t i = 0; i < n_; ++i) {
      const bool kept = next_.data()[i] != quit_;
      keep[n_kept] = gone[n_done] = static_cast<std::uint32_t>(i);
      masks_.data()[i / 8] |= static_cast<std::uint8_t>(kept << (i % 8));
      n_kept += kept;
      n_done += !kept;
    }
    for (std::size_t g = 0; g < n_done; ++g) done(row_.data()[gone[g]], gone[g]);
    for (std::size_t o = 0; o < n_kept; ++o) {
      const std::uint32_t i = keep[o];
      row_.data()[o] = row_.data()[i];
      next_.data()[o] = next_.data()[i];
      exit_step_.data()[o] = exit_step_.data()[i];
      n_evaluated_.data()[o] = n_evaluated_.data()[i];
      for (std::size_t k = 0; k < decisions_.n_scores(); ++k)
        sums[k * stride_ + o] = sums[k * stride_ + i];
    }
    whole_ = whole_ && n_done == 0;
    n_ = n_kept;
  }

  std::int32_t final(std::size_t lane, std::size_t k) const {
    return final_.data()[k * stride_ + lane];
  }
  std::int32_t exit_step(std::size_t lane) const { return exit_step_.data()[lane]; }
  std::int32_t n_evaluated(std::size_t lane) const { return n_evaluated_.data()[lane]; }

 private:
  static constexpr std::size_t kFewJumps = 24;  // more are bisected

  void copy(const std::int32_t* from, std::int32_t* to) const {
    for (std::size_t k = 0; k < decisions_.n_scores(); ++k)
      std::copy_n(from + k * stride_, n_, to + k * stride_);
  }

  // The sum; or the top class, the first of the best, and its margin over the second.
  void set_states(const std::int32_t* sums) {
    std::int32_t* state = state_.data();
    if (decisions_.n_scores() == 1) {
      std::copy_n(sums, n_, state);
      return;
    }
    std::int32_t *best = decided_.data(), *second = chosen_.data();
    std::uint32_t* top = top_.data();
    std::copy_n(sums, n_, best);
    std::fill_n(second, n_, std::numeric_limits<std::int32_t>::min());
    std::fill_n(top, n_, 0u);
    for (std::uint32_t k = 1; k < decisions_.n_scores(); ++k) {
      const std::int32_t* s = sums + k * stride_;
      for (std::size_t i = 0; i < n_; ++i) {
        second[i] = std::max(second[i], std::min(best[i], s[i]));
        top[i] = s[i] > best[i] ? k : top[i];
        best[i] = std::max(best[i], s[i]);
      }
    }
    for (std::size_t i = 0; i < n_; ++i) state[i] = Decisions::margin_state(best[i], second[i]);
  }

  // What rows with class k on top decide.
  void set_decided(std::size_t d, std::size_t k) {
    const Span<const Jump> jumps = decisions_.jumps(d, k);
    std::int32_t* chosen = decisions_.n_scores() == 1 ? decided_.data() : chosen_.data();
    const std::int32_t* state = state_.data();
    if (jumps.size <= kFewJumps) {
      std::fill_n(chosen, n_, jumps[0].next);
      for (std::size_t j = 1; j < jumps.size; ++j) {
        const Jump jump = jumps[j];
        for (std::size_t i = 0; i < n_; ++i)
          chosen[i] = state[i] > jump.edge ? jump.next : chosen[i];
      }
    } else {
      for (std::size_t i = 0; i < n_; ++i) chosen[i] = bisected(jumps, state[i]);
    }
    if (chosen == decided_.data()) return;
    for (std::size_t i = 0; i < n_; ++i)
      decided_.data()[i] = top_.data()[i] == k ? chosen[i] : decided_.data()[i];
  }

  static std::int32_t bisected(Span<const Jump> jumps, std::int32_t state) {
    const Jump* at = jumps.data;
    for (std::size_t n = jumps.size - 1; n > 0;) {
      const std::size_t half = (n + 1) / 2;
      at += state > at[half].edge ? half : 0;
      n -= half;
    }
    return at->next;
  }

  void keep_final(const std::int32_t* sums, std::size_t k) {
    std::int32_t* final = final_.data() + k * stride_;
    const std::int32_t *next = next_.data(), *decided = decided_.data();
    for (std::size_t i = 0; i < n_; ++i)
      final[i] = (next[i] != quit_) & (decided[i] == quit_) ? sums[i] : final[i];
  }

  const Decisions& decisions_;
  const std::int32_t quit_;
  const std::size_t stride_;
  std::size_t n_ = 0, n_alive_ = 0;
  std::int32_t soonest_ = 0;
  bool whole_ = true, some_wait_ = false;
  Aligned<std::uint32_t> row_, keep_, gone_;
  Aligned<std::uint8_t> masks_;
  Aligned<std::int32_t> next_, exit_step_, n_evaluated_, state_;
  Aligned<std::uint32_t> top_;
  Aligned<std::int32_t> decided_, chosen_, final_, saved_;
};

}  // namespace mddag::engine
