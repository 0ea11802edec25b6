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

// Calls body(block, first, n) for every block of instances.
template <class Body>
void for_blocks(std::size_t n_instances, int n_threads, const Body& body) {
  const std::size_t n_blocks = (n_instances + kBlock - 1) / kBlock;
  parallel_for(n_blocks, n_threads, [&](std::size_t block) {
    const std::size_t first = block * kBlock;
    body(block, first, std::min(kBlock, n_instances - first));
  });
}

// scores (n, K) hold the bias on entry, here and below.
template <class Votes>
void run_scores(const Votes& votes, const Grid& grid, const JumpTable& jump,
                std::size_t n_instances, double* scores, int n_threads) {
  for_blocks(n_instances, n_threads, [&](std::size_t, std::size_t first, std::size_t n) {
    follow(votes, grid, jump, first, n, scores, [](std::size_t, std::int32_t) {});
  });
}

// n_evaluated and cost (n,) hold zeros on entry.
template <class Votes>
void rollout(const Votes& votes, const Grid& grid, const JumpTable& jump, Span<const double> costs,
             std::size_t n_instances, double* scores, std::int32_t* n_evaluated, double* cost,
             int n_threads) {
  for_blocks(n_instances, n_threads, [&](std::size_t, std::size_t first, std::size_t n) {
    follow(votes, grid, jump, first, n, scores, [&](std::size_t i, std::int32_t j) {
      ++n_evaluated[i];
      cost[i] += costs[static_cast<std::size_t>(jump.order[static_cast<std::size_t>(j)])];
    });
  });
}

struct Paths {
  std::vector<std::int32_t> n_evaluated;
  std::vector<std::int32_t> indices;  // of the source ensemble, instance by instance
};

struct Visited {
  std::size_t instance;
  std::int32_t classifier;
};

// Visits in the order of steps -> classifiers instance by instance, each in the order of its steps.
inline std::vector<std::int32_t> by_instance(const std::vector<Visited>& visits, std::size_t first,
                                             std::size_t n, const std::int32_t* n_evaluated) {
  std::size_t place[kBlock], total = 0;
  for (std::size_t i = 0; i < n; ++i) {
    place[i] = total;
    total += static_cast<std::size_t>(n_evaluated[first + i]);
  }
  std::vector<std::int32_t> sorted(total);
  for (const Visited& visit : visits) sorted[place[visit.instance - first]++] = visit.classifier;
  return sorted;
}

// The blocks' parts one behind the other; each is freed once copied, since paths may fill memory.
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
              std::size_t n_instances, double* scores, std::int32_t* exit_step, double* cost,
              int n_threads) {
  std::vector<std::vector<std::int32_t>> indices((n_instances + kBlock - 1) / kBlock);
  std::vector<std::int32_t> n_evaluated(n_instances, 0);
  for_blocks(n_instances, n_threads, [&](std::size_t block, std::size_t first, std::size_t n) {
    std::vector<Visited> visits;
    follow(votes, grid, jump, first, n, scores, [&](std::size_t i, std::int32_t j) {
      const auto h = jump.order[static_cast<std::size_t>(j)];
      ++n_evaluated[i];
      exit_step[i] = j + 1;
      cost[i] += costs[static_cast<std::size_t>(h)];
      visits.push_back({i, static_cast<std::int32_t>(h)});
    });
    indices[block] = by_instance(visits, first, n, n_evaluated.data());
  });
  return {std::move(n_evaluated), joined(std::move(indices))};
}

}  // namespace mddag
