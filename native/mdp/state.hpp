// The state of a row: what it carries besides the step j, and the cell of the policy's table that
// it is in. The native side of src/mddag/policy/state.py; twin: tests/reference/rollout.py.
//
// Kernels use these members of a state alone. `f` is what one row carries: width() numbers, the K
// scores first.
//
//   width()                 how many numbers a row carries
//   n_cells()               columns of the policy's table: n_parts() times the cells of the grid
//   n_parts()               top classes, or whatever else is distinguished beside s
//   start(bias, n, f)       what n rows carry before step 0, f (n, width)
//   locate(j, f)            the part, and the cell within it, in which step j decides; at the end,
//                           where j is N, any cell will do
//   cell(j, f)              the same as one number in 0 .. n_cells() - 1
//   add(votes, i, j, h, f)  f after step j has evaluated base classifier h on row i
//   kFolds                  whether `folds` of state.py is true for all steps: cell(j, f) does not
//                           depend on j, a row that skips stays in its cell, and the jump table
//                           folds chains of SKIP. Else rows are located again after a SKIP
//                           (jump_table.hpp).
//
// Kernels take every row by itself: a cell depends on what the row itself carries. ScoreState is
// the state of the paper; another reads other columns at other steps (stages.hpp). Integer sums
// have states of their own: walk/state.hpp for one row, by the same function state_of, and
// blocks/kernels/lane_state.hpp for rows in lanes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "mdp/grid.hpp"

namespace mddag {

// What a decision reads of K scores.
template <class Number>
struct DecisionState {
  std::size_t part;  // the top class, the first of the best; 0 for K = 1
  Number s;          // the score (K = 1), or the margin of the best score over the second
};

// Number is wide enough for the difference of any two scores.
template <class Number, class Score>
DecisionState<Number> state_of(const Score* f, std::size_t n_scores) {
  if (n_scores == 1) return {0, static_cast<Number>(f[0])};
  std::size_t top = f[1] > f[0];
  Score best = f[top], second = f[1 - top];
  for (std::size_t k = 2; k < n_scores; ++k) {
    if (f[k] > best) {
      second = best;
      best = f[k];
      top = k;
    } else if (f[k] > second) {
      second = f[k];
    }
  }
  return {top, static_cast<Number>(best) - static_cast<Number>(second)};
}

struct CellOfPart {
  std::size_t part, cell;
};

using OneScore = std::integral_constant<std::size_t, 1>;

// The scores and nothing else. K is std::size_t, or OneScore where that is known to the compiler.
template <class K>
struct ScoreState {
  static constexpr bool kFolds = true;

  Grid grid;
  K n_scores;

  std::size_t width() const { return n_scores; }
  std::size_t n_parts() const { return n_scores; }
  std::size_t n_cells() const { return grid.n_cells() * n_scores; }

  void start(const double* bias, std::size_t n, double* f) const {
    for (std::size_t i = 0; i < n; ++i) std::copy_n(bias, width(), f + i * width());
  }

  CellOfPart locate(std::size_t /*j*/, const double* f) const {
    const auto state = state_of<double>(f, n_scores);
    return {state.part, static_cast<std::size_t>(grid.below(state.s))};
  }

  std::size_t cell(std::size_t j, const double* f) const {
    const CellOfPart at = locate(j, f);
    return at.part * grid.n_cells() + at.cell;
  }

  template <class Votes>
  void add(const Votes& votes, std::size_t i, std::size_t /*j*/, std::size_t h, double* f) const {
    votes.add(i, h, f);
  }
};

}  // namespace mddag
