// Where a row goes next: the jump table of a policy on integer sums. The twin is the policy itself,
// one action at a time: tests/reference/rollout.py.
//
// A decision reads a part and a number s of the state (walk/state.hpp). Most policies need few
// thresholds at a decision, so each row of the table keeps its own: a handful of comparisons, in
// one cache line, instead of a cell out of a thousand. Where some row changes too often, all rows
// share the edges of the grid, and equal buckets narrow the search. Between decisions every state
// goes on to the next step. Where a state does not fold, a later step may also be one that looks at
// the row again.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "internal/cuts.hpp"
#include "internal/span.hpp"

// A branch, where a compiler would rather select: the processor goes on before it is decided.
#ifdef __GNUC__
#define MDDAG_LIKELY(condition) __builtin_expect_with_probability(condition, 1, 1.0)
#else
#define MDDAG_LIKELY(condition) (condition)
#endif

namespace mddag {

template <class State>
class Jumps {
 public:
  static constexpr std::size_t kMostOwn = 16;  // targets of a row with thresholds of its own

  // edges : not decreasing. jumps : (n_decisions + 1, n_parts x (n_edges + 1)), as Policy.jumps, of
  // n_steps steps with a decision every few of them.
  Jumps(const State& state, Span<const std::int64_t> edges, Span<const std::int32_t> jumps,
        std::size_t n_steps, std::size_t every)
      : state_(state), n_cells_(edges.size + 1) {
    const std::size_t n_rows = jumps.size / n_cells_;
    width_ = 1;
    for (std::size_t row = 0; row < n_rows; ++row)
      width_ = std::max(width_, n_changes(jumps.data + row * n_cells_) + 1);
    if (width_ <= kMostOwn)
      keep_own(edges, jumps, n_rows);
    else
      share(edges, jumps);
    find_forced(jumps, n_steps, every);
    find_stays(edges, jumps, n_steps, every);
  }

  bool evaluates_all() const { return evaluates_all_; }

  // The first step from `step` on that evaluates (or looks again), given what a row carries; N
  // where the policy quits.
  std::int32_t next(std::size_t step, const std::int32_t* f) const {
    const std::int32_t forced = forced_[step];
    if (forced >= 0) return forced;
    const auto decision = static_cast<std::size_t>(~forced);
    if (state_.n_parts() == 1 && stays_[decision].any()) {
      if (MDDAG_LIKELY(stays_[decision].has(state_.at(step, f).s)))
        return static_cast<std::int32_t>(step);
      return end();
    }
    return decided(step, decision, f);
  }

 private:
  // By itself, so that compilers put `next` into the loops, where most steps are forced.
  [[gnu::noinline]] std::int32_t decided(std::size_t step, std::size_t decision,
                                         const std::int32_t* f) const {
    if (state_.n_parts() == 1) return at(decision, state_.at(step, f).s);
    const auto here = state_.at(step, f);
    const std::size_t row = decision * state_.n_parts() + here.part;
    if (!stays_[row].any()) return at(row, here.s);
    return MDDAG_LIKELY(stays_[row].has(here.s)) ? static_cast<std::int32_t>(step) : end();
  }

  std::int32_t end() const { return static_cast<std::int32_t>(forced_.size()) - 1; }

  // What s must be for the step itself to be evaluated; else the policy quits.
  struct Stay {
    std::int64_t above, most;
    bool any() const { return above < most; }
    bool has(std::int64_t s) const { return s > above && s <= most; }
  };

  std::size_t n_changes(const std::int32_t* row) const {
    std::size_t n = 0;
    for (std::size_t c = 1; c < n_cells_; ++c) n += row[c] != row[c - 1];
    return n;
  }

  std::int32_t at(std::size_t row, std::int64_t s) const {
    if (!first_.empty()) {
      const std::size_t place = row * n_cells_ + below(s);
      return narrow_.empty() ? targets_[place] : narrow_[place];
    }
    const std::int64_t* thresholds = thresholds_.data() + row * (width_ - 1);
    std::size_t n_below = 0;
    for (std::size_t i = 0; i + 1 < width_; ++i) n_below += thresholds[i] < s;
    return targets_[row * width_ + n_below];
  }

  // The number of edges below s: those of lower buckets all are, those of higher ones are not.
  std::size_t below(std::int64_t s) const {
    const std::int64_t away = s - thresholds_[0];
    const auto bucket = static_cast<std::size_t>(away > 0 ? away >> shift_ : 0);
    const std::size_t first = first_[std::min(bucket, first_.size() - 1)];
    return first + count_below(thresholds_.data() + first, most_, s);
  }

  void keep_own(Span<const std::int64_t> edges, Span<const std::int32_t> jumps,
                std::size_t n_rows) {
    thresholds_.assign(n_rows * (width_ - 1), std::numeric_limits<std::int64_t>::max());
    targets_.resize(n_rows * width_);
    for (std::size_t row = 0; row < n_rows; ++row) {
      const std::int32_t* cells = jumps.data + row * n_cells_;
      std::int64_t* threshold = thresholds_.data() + row * (width_ - 1);
      std::int32_t* target = targets_.data() + row * width_;
      *target++ = cells[0];
      for (std::size_t c = 1; c < n_cells_; ++c) {
        if (cells[c] == cells[c - 1]) continue;
        *threshold++ = edges[c - 1];
        *target++ = cells[c];
      }
    }
  }

  void share(Span<const std::int64_t> edges, Span<const std::int32_t> jumps) {
    const auto most_buckets = static_cast<std::int64_t>(8 * n_cells_);
    const std::int64_t low = edges[0], span = edges[edges.size - 1] - low;
    while (span >> shift_ >= most_buckets) ++shift_;
    const auto bucket = [&](std::int64_t edge) {
      return static_cast<std::size_t>((edge - low) >> shift_);
    };
    first_.assign(static_cast<std::size_t>(span >> shift_) + 2, 0);
    for (std::size_t c = 0; c < edges.size; ++c) ++first_[bucket(edges[c]) + 1];
    most_ = *std::max_element(first_.begin(), first_.end());
    for (std::size_t b = 1; b < first_.size(); ++b) first_[b] += first_[b - 1];
    thresholds_.assign(edges.data, edges.data + edges.size);
    thresholds_.resize(edges.size + most_, std::numeric_limits<std::int64_t>::max());
    // The table is most of what a walk may touch: half the size is fewer misses.
    if (*std::max_element(jumps.data, jumps.data + jumps.size) <= 0xffff)
      narrow_.assign(jumps.data, jumps.data + jumps.size);
    else
      targets_.assign(jumps.data, jumps.data + jumps.size);
  }

  // Steps where every state goes the same way: the state need not be read.
  void find_forced(Span<const std::int32_t> jumps, std::size_t n_steps, std::size_t every) {
    const std::size_t width = n_cells_ * state_.n_parts();
    forced_.resize(n_steps + 1);
    std::iota(forced_.begin(), forced_.end(), 0);
    for (std::size_t d = 0; d < jumps.size / width; ++d) {
      const std::int32_t* row = jumps.data + d * width;
      const bool same = std::all_of(row, row + width, [&](std::int32_t t) { return t == row[0]; });
      const std::size_t step = std::min(d * every, n_steps);
      forced_[step] = same ? row[0] : ~static_cast<std::int32_t>(d);
      evaluates_all_ &= forced_[step] == static_cast<std::int32_t>(step);
    }
  }

  // Where a row of the table evaluates the step itself or quits: a processor foresees that most
  // rows go on, and works on their next trees before the sum is there. Skips it would not foresee.
  void find_stays(Span<const std::int64_t> edges, Span<const std::int32_t> jumps,
                  std::size_t n_steps, std::size_t every) {
    using Limits = std::numeric_limits<std::int64_t>;
    for (std::size_t row = 0; row < jumps.size / n_cells_; ++row) {
      const std::int32_t* cells = jumps.data + row * n_cells_;
      const auto end = static_cast<std::int32_t>(n_steps);
      const auto step =
          static_cast<std::int32_t>(std::min(row / state_.n_parts() * every, n_steps));
      const auto stays = [&](std::int32_t to) { return to == step; };
      const std::int32_t* first = std::find_if(cells, cells + n_cells_, stays);
      const std::int32_t* last = std::find_if_not(first, cells + n_cells_, stays);
      const bool alone =
          std::all_of(cells, first, [&](std::int32_t to) { return to == end; }) &&
          std::all_of(last, cells + n_cells_, [&](std::int32_t to) { return to == end; });
      Stay stay{Limits::max(), Limits::min()};  // nothing
      if (alone && first < last && step < end) {
        stay.above =
            first == cells ? Limits::min() : edges[static_cast<std::size_t>(first - cells) - 1];
        stay.most = last == cells + n_cells_ ? Limits::max()
                                             : edges[static_cast<std::size_t>(last - cells) - 1];
      }
      stays_.push_back(stay);
    }
  }

  State state_;
  std::size_t n_cells_;                   // of one part
  std::size_t width_;                     // targets of a row
  std::size_t most_ = 0;                  // edges of a bucket
  int shift_ = 0;                         // a bucket is 2^shift wide
  std::vector<std::int64_t> thresholds_;  // of each row, or the edges that all share
  std::vector<std::int32_t> targets_;
  std::vector<std::uint16_t> narrow_;
  std::vector<std::uint32_t> first_;  // edges before each bucket; empty where rows have their own
  std::vector<Stay> stays_;           // of each row
  std::vector<std::int32_t> forced_;  // by step, where all go; ~decision where states differ
  bool evaluates_all_ = true;
};

}  // namespace mddag
