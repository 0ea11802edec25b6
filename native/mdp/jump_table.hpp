// The jump table of a policy, next[j, cell], as src/mddag/policy/policy.py makes it:
//
//   j              step j evaluates its base classifier
//   a later step   the row goes on there: to evaluate, where chains of SKIP are folded; else to be
//                  located again, since the cell of a row that skips may change with j
//   n              the policy quits
//
// n being the number of steps, or of decisions where one decision covers several steps.
#pragma once

#include <cstddef>
#include <cstdint>

#include "internal/span.hpp"

namespace mddag {

// The step that a row evaluates next, from step j on; n where the policy quits. cell(l) is the cell
// of the row at step l, and kFolds that of its state.
template <bool kFolds, class Cell>
std::int32_t next_step(const std::int32_t* next, std::size_t n_cells, std::size_t n, std::size_t j,
                       const Cell& cell) {
  std::int32_t to = next[j * n_cells + cell(j)];
  if constexpr (!kFolds) {
    while (to < static_cast<std::int32_t>(n) && to != static_cast<std::int32_t>(j)) {
      j = static_cast<std::size_t>(to);
      to = next[j * n_cells + cell(j)];
    }
  }
  return to;
}

struct JumpTable {
  Span<const std::int32_t> next;   // (N + 1, n_cells)
  Span<const std::int64_t> order;  // (N,): step j decides on base classifier order[j]

  std::int32_t n_steps() const { return static_cast<std::int32_t>(order.size); }

  // The step that a row which carries f evaluates next, from step j on.
  template <class State>
  std::int32_t from(std::size_t j, std::size_t n_cells, const State& state, const double* f) const {
    return next_step<State::kFolds>(next.data, n_cells, order.size, j,
                                    [&](std::size_t l) { return state.cell(l, f); });
  }
};

}  // namespace mddag
