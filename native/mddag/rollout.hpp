// Follow a policy, folded into a jump table, on instances whose votes are known (leaf codes) or are
// computed when asked for (rows walked down trees). Twin: tests/reference/rollout.py.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "mddag/grid.hpp"
#include "mddag/parallel.hpp"
#include "mddag/trees.hpp"

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

// Votes computed when asked for.
template <class T>
struct WalkedVotes {
  Tables tables;
  Trees trees;
  Rows<T> rows;

  std::size_t code(std::size_t i, std::size_t t) const {
    return static_cast<std::size_t>(leaf_code(trees, t, rows, i));
  }
};

// f += h(x_i)
template <class Votes>
void add_vote(const Votes& votes, std::size_t i, std::size_t h, double* f) {
  const auto end = static_cast<std::size_t>(votes.tables.rounds[h + 1]);
  for (auto t = static_cast<std::size_t>(votes.tables.rounds[h]); t < end; ++t)
    votes.tables.add(t, votes.code(i, t), f);
}

// Takes instance i through the table; visit(step) is called for every evaluated step, in order.
template <class Votes, class Visit>
void follow(const Votes& votes, const Grid& grid, const JumpTable& jump, std::size_t i, double* f,
            const Visit& visit) {
  const std::int32_t n_steps = jump.n_steps();
  const std::int32_t n_cells = grid.n_cells();
  std::int32_t j = jump.next[static_cast<std::size_t>(grid.cell(f))];
  while (j < n_steps) {
    add_vote(votes, i, static_cast<std::size_t>(jump.order[static_cast<std::size_t>(j)]), f);
    visit(j);
    const auto row = static_cast<std::size_t>(j + 1) * static_cast<std::size_t>(n_cells);
    j = jump.next[row + static_cast<std::size_t>(grid.cell(f))];
  }
}

constexpr std::size_t kBlock = 256;  // instances that a thread takes at a time

inline std::size_t n_blocks(std::size_t n) { return (n + kBlock - 1) / kBlock; }

// Calls body(i, block) for every instance. Each is followed alone, so that neither the blocks nor
// the threads can change its sum.
template <class Body>
void for_instances(std::size_t n, int n_threads, const Body& body) {
  parallel_for(n_blocks(n), n_threads, [&](std::size_t block) {
    const std::size_t end = std::min(n, (block + 1) * kBlock);
    for (std::size_t i = block * kBlock; i < end; ++i) body(i, block);
  });
}

// scores (n, K) hold the bias on entry, here and below.
template <class Votes>
void run_scores(const Votes& votes, const Grid& grid, const JumpTable& jump, std::size_t n,
                double* scores, int n_threads) {
  for_instances(n, n_threads, [&](std::size_t i, std::size_t) {
    follow(votes, grid, jump, i, scores + i * grid.n_scores, [](std::int32_t) {});
  });
}

// n_evaluated and cost (n,) hold zeros on entry.
template <class Votes>
void rollout(const Votes& votes, const Grid& grid, const JumpTable& jump, Span<const double> costs,
             std::size_t n, double* scores, std::int32_t* n_evaluated, double* cost,
             int n_threads) {
  for_instances(n, n_threads, [&](std::size_t i, std::size_t) {
    follow(votes, grid, jump, i, scores + i * grid.n_scores, [&](std::int32_t j) {
      ++n_evaluated[i];
      cost[i] += costs[static_cast<std::size_t>(jump.order[static_cast<std::size_t>(j)])];
    });
  });
}

struct Paths {
  std::vector<std::int32_t> n_evaluated;
  std::vector<std::int32_t> indices;  // of the source ensemble, instance by instance
};

// The blocks' parts one behind the other; each is freed once copied, so that paths, which may fill
// memory, are held once.
inline std::vector<std::int32_t> joined(std::vector<std::vector<std::int32_t>>&& parts) {
  std::size_t total = 0;
  for (const auto& part : parts) total += part.size();
  std::vector<std::int32_t> all;
  all.reserve(total);
  for (auto& part : parts) {
    all.insert(all.end(), part.begin(), part.end());
    std::vector<std::int32_t>().swap(part);
  }
  return all;
}

// The same, with the paths. exit_step and cost (n,) hold zeros on entry.
template <class Votes>
Paths run_dag(const Votes& votes, const Grid& grid, const JumpTable& jump, Span<const double> costs,
              std::size_t n, double* scores, std::int32_t* exit_step, double* cost, int n_threads) {
  std::vector<std::vector<std::int32_t>> indices(n_blocks(n));
  std::vector<std::int32_t> n_evaluated(n, 0);
  for_instances(n, n_threads, [&](std::size_t i, std::size_t block) {
    follow(votes, grid, jump, i, scores + i * grid.n_scores, [&](std::int32_t j) {
      const auto h = jump.order[static_cast<std::size_t>(j)];
      ++n_evaluated[i];
      exit_step[i] = j + 1;
      cost[i] += costs[static_cast<std::size_t>(h)];
      indices[block].push_back(static_cast<std::int32_t>(h));
    });
  });
  return {std::move(n_evaluated), joined(std::move(indices))};
}

}  // namespace mddag
