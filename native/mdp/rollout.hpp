// Follow a policy, folded into a jump table, on instances whose votes are known (leaf codes), in
// float64. Twin: tests/reference/rollout.py.
#pragma once

#include <algorithm>
#include <cstdint>

#include "ensemble/trees.hpp"
#include "internal/parallel.hpp"
#include "mdp/grid.hpp"

namespace mddag {

struct JumpTable {
  Span<const std::int32_t> next;   // (N + 1, n_cells): the next step to evaluate, N = quit
  Span<const std::int64_t> order;  // (N,): step j decides on base classifier order[j]

  std::int32_t n_steps() const { return static_cast<std::int32_t>(order.size); }
};

// Votes that are known: leaf codes (n, n_trees).
template <class Code>
struct CodedVotes {
  Tables tables;
  const Code* codes;

  std::size_t code(std::size_t i, std::size_t t) const { return codes[i * tables.score.size + t]; }
};

// f += h(x_i)
template <class Votes>
void add_vote(const Votes& votes, std::size_t i, std::size_t h, double* f) {
  const auto end = static_cast<std::size_t>(votes.tables.rounds[h + 1]);
  for (auto t = static_cast<std::size_t>(votes.tables.rounds[h]); t < end; ++t)
    votes.tables.add(t, votes.code(i, t), f);
}

constexpr std::size_t kBlock = 256;  // instances that go through the table together

// Takes instances first .. first + n <= first + kBlock through the table. They go step by step, so
// that a step's votes and its row of the table stay in the nearest cache; j jumps to the next step
// that any of them evaluates. Each instance's sum is in the order of its own steps, whatever its
// company. visit(i, step) is called for every evaluation.
template <class Votes, class Visit>
void follow(const Votes& votes, const Grid& grid, const JumpTable& jump, std::size_t first,
            std::size_t n, double* scores, const Visit& visit) {
  const std::size_t K = grid.n_scores;
  const auto n_cells = static_cast<std::size_t>(grid.n_cells());
  std::int32_t at[kBlock];
  std::int32_t j = jump.n_steps();
  for (std::size_t i = 0; i < n; ++i) {
    at[i] = jump.next[static_cast<std::size_t>(grid.cell(scores + (first + i) * K))];
    j = std::min(j, at[i]);
  }
  while (j < jump.n_steps()) {
    const auto step = static_cast<std::size_t>(j);
    const auto h = static_cast<std::size_t>(jump.order[step]);
    const std::int32_t* next = jump.next.data + (step + 1) * n_cells;
    std::int32_t soonest = jump.n_steps();
    for (std::size_t i = 0; i < n; ++i) {
      if (at[i] == j) {
        double* f = scores + (first + i) * K;
        add_vote(votes, first + i, h, f);
        visit(first + i, j);
        at[i] = next[static_cast<std::size_t>(grid.cell(f))];
      }
      soonest = std::min(soonest, at[i]);
    }
    j = soonest;
  }
}

// scores (n, K) hold the bias on entry; n_evaluated, exit_step and cost (n,) hold zeros. The exit
// step is one more than the last step at which an instance evaluates.
template <class Votes>
void rollout(const Votes& votes, const Grid& grid, const JumpTable& jump, Span<const double> costs,
             std::size_t n_instances, double* scores, std::int32_t* n_evaluated,
             std::int32_t* exit_step, double* cost, int n_threads) {
  parallel_for((n_instances + kBlock - 1) / kBlock, n_threads, [&](std::size_t block) {
    const std::size_t first = block * kBlock, n = std::min(kBlock, n_instances - first);
    follow(votes, grid, jump, first, n, scores, [&](std::size_t i, std::int32_t j) {
      ++n_evaluated[i];
      exit_step[i] = j + 1;
      cost[i] += costs[static_cast<std::size_t>(jump.order[static_cast<std::size_t>(j)])];
    });
  });
}

}  // namespace mddag
