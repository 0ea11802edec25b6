// Score columns by stage, in float64: the native side of src/mddag/policy/state.py. A column holds
// K scores. mdp/state.hpp lists what a state must provide. Twin: tests/reference/stages.py.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "internal/span.hpp"
#include "mdp/grid.hpp"
#include "mdp/state.hpp"

namespace mddag {

// Which columns steps read and write. Step j writes
// write_columns[write_starts[j] .. write_starts[j + 1]].
struct StageColumns {
  Span<const std::int64_t> reads;         // (N + 1,)
  Span<const std::int64_t> write_starts;  // (N + 1,)
  Span<const std::int64_t> write_columns;
  std::size_t n_columns;
  std::size_t end;  // the column of rows that have passed all steps

  // Whether all columns are there, and the lists are those of so many steps.
  bool fit(std::size_t n_steps) const {
    if (reads.size != n_steps + 1 || write_starts.size != n_steps + 1) return false;
    if (!known(reads) || !known(write_columns) || end >= n_columns) return false;
    for (std::size_t j = 0; j < n_steps; ++j)
      if (write_starts[j] > write_starts[j + 1]) return false;
    return write_starts[0] == 0 &&
           static_cast<std::size_t>(write_starts[n_steps]) == write_columns.size;
  }

 private:
  bool known(Span<const std::int64_t> columns) const {
    for (std::size_t i = 0; i < columns.size; ++i)
      if (columns[i] < 0 || static_cast<std::size_t>(columns[i]) >= n_columns) return false;
    return true;
  }
};

struct StageState {
  static constexpr bool kFolds = false;

  Grid grid;
  StageColumns columns;
  std::size_t n_scores;

  std::size_t width() const { return columns.n_columns * n_scores; }
  std::size_t n_parts() const { return n_scores; }
  std::size_t n_cells() const { return grid.n_cells() * n_scores; }

  void start(const double* bias, std::size_t n, double* f) const {
    for (std::size_t i = 0; i < n * width(); ++i) f[i] = bias[i % n_scores];
  }

  CellOfPart locate(std::size_t j, const double* f) const {
    const auto first = static_cast<std::size_t>(columns.reads[j]) * n_scores;
    const auto read = state_of<double>(f + first, n_scores);
    return {read.part, static_cast<std::size_t>(grid.below(read.s))};
  }
  std::size_t cell(std::size_t j, const double* f) const {
    const CellOfPart at = locate(j, f);
    return at.part * grid.n_cells() + at.cell;
  }

  template <class Votes>
  void add(const Votes& votes, std::size_t i, std::size_t j, std::size_t h, double* f) const {
    constexpr std::size_t kFew = 32;  // scores that need no allocation
    if (n_scores <= kFew) {
      double vote[kFew] = {};
      add_to_columns(votes, i, j, h, vote, f);
    } else {
      std::vector<double> vote(n_scores);
      add_to_columns(votes, i, j, h, vote.data(), f);
    }
  }

 private:
  // vote : (K,), zeros on entry.
  template <class Votes>
  void add_to_columns(const Votes& votes, std::size_t i, std::size_t j, std::size_t h, double* vote,
                      double* f) const {
    votes.add(i, h, vote);
    const auto end = static_cast<std::size_t>(columns.write_starts[j + 1]);
    for (auto w = static_cast<std::size_t>(columns.write_starts[j]); w < end; ++w) {
      double* column = f + static_cast<std::size_t>(columns.write_columns[w]) * n_scores;
      for (std::size_t k = 0; k < n_scores; ++k) column[k] += vote[k];
    }
  }
};

}  // namespace mddag
