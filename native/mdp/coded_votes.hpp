// Votes that are known: the leaf codes of every row in every tree.
#pragma once

#include <cstddef>

#include "ensemble/trees.hpp"

namespace mddag {

template <class Code>
struct CodedVotes {
  Tables tables;
  const Code* codes;  // (n, n_trees)

  // f += h(x_i)
  void add(std::size_t i, std::size_t h, double* f) const {
    const Code* row = codes + i * tables.score.size;
    const auto end = static_cast<std::size_t>(tables.rounds[h + 1]);
    for (auto t = static_cast<std::size_t>(tables.rounds[h]); t < end; ++t)
      tables.add(t, row[t], f);
  }
};

// The votes of one score where every base classifier is one tree: most ensembles, and fast.
template <class Code>
struct SingleVotes {
  Tables tables;
  const Code* codes;

  void add(std::size_t i, std::size_t h, double* f) const {
    const Code code = codes[i * tables.score.size + h];
    *f += tables.values[static_cast<std::size_t>(tables.starts[h]) + code];
  }
};

// Whether SingleVotes can hold the votes of these tables.
inline bool are_single(const Tables& tables) {
  for (std::size_t h = 0; h < tables.rounds.size; ++h)
    if (tables.rounds[h] != static_cast<std::int64_t>(h)) return false;
  return tables.n_scores == 1;
}

}  // namespace mddag
