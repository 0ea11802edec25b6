// Follow a policy, given as a jump table, on rows whose votes are known (leaf codes), in float64.
// Twin: tests/reference/rollout.py.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "internal/parallel.hpp"
#include "internal/span.hpp"
#include "mdp/jump_table.hpp"

namespace mddag {

constexpr std::size_t kBlock = 256;  // rows that go through the table together

// Takes rows first .. first + n <= first + kBlock through the table. They go step by step, so that
// a step's votes and its row of the table stay in the nearest cache; j jumps to the next step that
// any of them evaluates. The sum of each row is in the order of its own steps, so it does not
// depend on the other rows of its block. visit(i, step) is called for every evaluation.
template <class Votes, class State, class Visit>
void follow(const Votes& votes, const State& state, const JumpTable& jump, std::size_t first,
            std::size_t n, double* carried, const Visit& visit) {
  const std::size_t width = state.width(), n_cells = state.n_cells();
  std::int32_t at[kBlock];
  std::int32_t j = jump.n_steps();
  for (std::size_t i = 0; i < n; ++i) {
    at[i] = jump.from(0, n_cells, state, carried + (first + i) * width);
    j = std::min(j, at[i]);
  }
  while (j < jump.n_steps()) {
    const auto step = static_cast<std::size_t>(j);
    const auto h = static_cast<std::size_t>(jump.order[step]);
    std::int32_t soonest = jump.n_steps();
    for (std::size_t i = 0; i < n; ++i) {
      if (at[i] == j) {
        double* f = carried + (first + i) * width;
        state.add(votes, first + i, step, h, f);
        visit(first + i, step);
        at[i] = jump.from(step + 1, n_cells, state, f);
      }
      soonest = std::min(soonest, at[i]);
    }
    j = soonest;
  }
}

// carried : (n, width), the starts of the state on entry; n_evaluated, exit_step and cost (n,) hold
// zeros. The exit step is one more than the last step at which a row evaluates.
template <class Votes, class State>
void rollout(const Votes& votes, const State& state, const JumpTable& jump,
             Span<const double> costs, std::size_t n_rows, double* carried,
             std::int32_t* n_evaluated, std::int32_t* exit_step, double* cost, int n_threads) {
  parallel_for((n_rows + kBlock - 1) / kBlock, n_threads, [&](std::size_t block) {
    const std::size_t first = block * kBlock, n = std::min(kBlock, n_rows - first);
    follow(votes, state, jump, first, n, carried, [&](std::size_t i, std::size_t j) {
      ++n_evaluated[i];
      exit_step[i] = static_cast<std::int32_t>(j) + 1;
      cost[i] += costs[static_cast<std::size_t>(jump.order[j])];
    });
  });
}

}  // namespace mddag
