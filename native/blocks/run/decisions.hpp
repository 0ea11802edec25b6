// Decisions: a policy that decides every k steps, made ready for many rows at once.
//
// At decision d the next step to evaluate is a function of the state, a part and a number s
// (kernels/lane_state.hpp). Cells of a grid are many, but neighbors mostly agree, so the function
// is kept as its few jumps: s > edge is compared lane by lane. s and edges are integers, see
// src/mddag/policy/rollout.py; the comparison equals that of the scores.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "blocks/kernels/kernels.hpp"
#include "blocks/kernels/lane_state.hpp"
#include "internal/span.hpp"

namespace mddag::blocks {

class Decisions {
 public:
  // edges: (n_edges,), ascending; jumps: as Policy.jumps, (n_decisions + 1, n_cells), n_cells being
  // (n_edges + 1) * n_scores; expected_steps: that a row passes on average, as far as known; it
  // decides on speed alone.
  Decisions(Span<const std::int64_t> edges, Span<const std::int32_t> jumps, std::size_t n_steps,
            std::size_t n_scores, std::size_t every, std::size_t expected_steps)
      : n_steps_(n_steps), n_scores_(n_scores), every_(every), expected_steps_(expected_steps) {
    const std::size_t row_cells = edges.size + 1;
    for (std::size_t d = 0; d <= count(); ++d)
      for (std::size_t k = 0; k < n_scores; ++k) {
        const std::size_t step = std::min(d * every, n_steps);
        const std::int32_t* row = jumps.data + (d * n_scores + k) * row_cells;
        add(edges, row);
        has_skips_ |= std::any_of(row, row + row_cells, [&](std::int32_t j) {
          return static_cast<std::size_t>(j) != step && static_cast<std::size_t>(j) != n_steps;
        });
      }
    starts_.push_back(jumps_.size());
    for (std::size_t d = 0; d <= count(); ++d) shared_.push_back(is_shared(d));
  }

  std::size_t n_steps() const { return n_steps_; }
  std::size_t n_scores() const { return n_scores_; }
  std::size_t every() const { return every_; }
  std::size_t expected_steps() const { return expected_steps_; }
  // Decisions that may evaluate something; one more, at the end, only quits.
  std::size_t count() const { return (n_steps_ + every_ - 1) / every_; }

  // Parts mostly agree on a decision, and then share a table.
  Decision operator[](std::size_t d) const {
    return {jumps_.data(), starts_.data() + d * n_scores_, shared_[d] ? 1 : n_scores_};
  }

  // Whether any row ever waits for a later step; if not, all evaluate or quit.
  bool has_skips() const { return has_skips_; }

 private:
  void add(Span<const std::int64_t> edges, const std::int32_t* next) {
    starts_.push_back(jumps_.size());
    const LaneScale scale{n_scores_};
    jumps_.push_back({static_cast<std::int32_t>(LaneScale::kLowest), next[0]});
    Jump* first = &jumps_.back();
    for (std::size_t c = 1; c <= edges.size; ++c) {
      const std::int64_t edge = scale.edge(edges[c - 1]);
      if (scale.is_below_all(edge)) {
        first->next = next[c];
      } else if (!scale.is_above_all(edge) && next[c] != jumps_.back().next) {
        jumps_.push_back({static_cast<std::int32_t>(edge), next[c]});
        first = &jumps_[starts_.back()];
      }
    }
  }

  bool is_shared(std::size_t d) const {
    const auto table = [&](std::size_t k) { return jumps_.begin() + at(d, k); };
    for (std::size_t k = 1; k < n_scores_; ++k)
      if (!std::equal(table(0), table(1), table(k), table(k + 1),
                      [](Jump a, Jump b) { return a.edge == b.edge && a.next == b.next; }))
        return false;
    return true;
  }

  std::ptrdiff_t at(std::size_t d, std::size_t k) const {
    return static_cast<std::ptrdiff_t>(starts_[d * n_scores_ + k]);
  }

  std::size_t n_steps_, n_scores_, every_, expected_steps_;
  bool has_skips_ = false;
  std::vector<Jump> jumps_;
  std::vector<std::size_t> starts_;   // of decision d and part k at d * n_scores + k
  std::vector<std::uint8_t> shared_;  // by decision: whether all parts have the same jumps
};

}  // namespace mddag::blocks
