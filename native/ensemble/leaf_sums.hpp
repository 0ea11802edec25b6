// Sums over the rows that reach each leaf: the slope of a loss in the votes of leaves.
#pragma once

#include <cstddef>

#include "ensemble/trees.hpp"

namespace mddag {

// Those of one score: every value of the tables is that of a leaf.
template <class Code>
void add_single_leaf_sums(const Tables& tables, const Code* codes, std::size_t n_rows,
                          const double* numbers, double* sums) {
  const std::size_t n_trees = tables.score.size;
  for (std::size_t i = 0; i < n_rows; ++i) {
    const double number = numbers[i];
    const Code* row = codes + i * n_trees;
    for (std::size_t t = 0; t < n_trees; ++t)
      sums[static_cast<std::size_t>(tables.starts[t]) + row[t]] += number;
  }
}

// numbers : (n_rows, n_scores)
// sums    : one for each value of the tables, to which numbers of rows are added in their order
template <class Code>
void add_leaf_sums(const Tables& tables, const Code* codes, std::size_t n_rows,
                   const double* numbers, double* sums) {
  const std::size_t n_trees = tables.score.size, n_scores = tables.n_scores;
  if (n_scores == 1) return add_single_leaf_sums(tables, codes, n_rows, numbers, sums);
  for (std::size_t i = 0; i < n_rows; ++i) {
    const double* row = numbers + i * n_scores;
    for (std::size_t t = 0; t < n_trees; ++t) {
      const std::size_t code = codes[i * n_trees + t];
      double* table = sums + tables.starts[t];
      if (tables.score[t] >= 0)
        table[code] += row[tables.score[t]];
      else
        for (std::size_t k = 0; k < n_scores; ++k) table[code * n_scores + k] += row[k];
    }
  }
}

}  // namespace mddag
