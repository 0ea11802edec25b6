// The bindings of grid, policy and DAG: cells, rollouts on votes, runs on rows.
#pragma once

#include "bindings/arrays.hpp"
#include "mddag/rollout.hpp"

namespace mddag {

using namespace nb::literals;

inline void bind_cells(nb::module_& m) {
  m.def(
      "cells",
      [](const GridArrays& grid_arrays, Matrix<const double> scores, Array<std::int32_t> out) {
        nb::gil_scoped_release unlocked;
        cells(grid(grid_arrays), scores.data(), scores.shape(0), out.data());
      },
      "grid"_a.noconvert(), "scores"_a.noconvert(), "out"_a.noconvert());
}

template <class Code>
void bind_rollout(nb::module_& m) {
  m.def(
      "rollout",
      [](const TableArrays& table_arrays, Matrix<const Code> codes, const GridArrays& grid_arrays,
         const PolicyArrays& policy, Array<const double> costs, Matrix<double> scores,
         Array<std::int32_t> n_evaluated, Array<double> cost, int n_threads) {
        nb::gil_scoped_release unlocked;
        const CodedVotes<Code> votes{tables(table_arrays), codes.data()};
        rollout(votes, grid(grid_arrays), jump_table(policy), span(costs), codes.shape(0),
                scores.data(), n_evaluated.data(), cost.data(), n_threads);
      },
      "tables"_a.noconvert(), "codes"_a.noconvert(), "grid"_a.noconvert(), "policy"_a.noconvert(),
      "costs"_a.noconvert(), "scores"_a.noconvert(), "n_evaluated"_a.noconvert(),
      "cost"_a.noconvert(), "n_threads"_a);
}

template <class T>
void bind_run_dag(nb::module_& m) {
  m.def(
      "run_scores",
      [](const TreeArrays& tree_arrays, const TableArrays& table_arrays, StridedMatrix<T> X,
         const GridArrays& grid_arrays, const PolicyArrays& policy, Matrix<double> scores,
         int n_threads) {
        nb::gil_scoped_release unlocked;
        const WalkedVotes<T> votes{tables(table_arrays), trees(tree_arrays), rows(X)};
        run_scores(votes, grid(grid_arrays), jump_table(policy), X.shape(0), scores.data(),
                   n_threads);
      },
      "trees"_a.noconvert(), "tables"_a.noconvert(), "X"_a.noconvert(), "grid"_a.noconvert(),
      "policy"_a.noconvert(), "scores"_a.noconvert(), "n_threads"_a);
  m.def(
      "run_dag",
      [](const TreeArrays& tree_arrays, const TableArrays& table_arrays, StridedMatrix<T> X,
         const GridArrays& grid_arrays, const PolicyArrays& policy, Array<const double> costs,
         Matrix<double> scores, Array<std::int32_t> exit_step, Array<double> cost, int n_threads) {
        Paths paths;
        {
          nb::gil_scoped_release unlocked;
          const WalkedVotes<T> votes{tables(table_arrays), trees(tree_arrays), rows(X)};
          paths = run_dag(votes, grid(grid_arrays), jump_table(policy), span(costs), X.shape(0),
                          scores.data(), exit_step.data(), cost.data(), n_threads);
        }
        return nb::make_tuple(to_numpy(std::move(paths.n_evaluated)),
                              to_numpy(std::move(paths.indices)));
      },
      "trees"_a.noconvert(), "tables"_a.noconvert(), "X"_a.noconvert(), "grid"_a.noconvert(),
      "policy"_a.noconvert(), "costs"_a.noconvert(), "scores"_a.noconvert(),
      "exit_step"_a.noconvert(), "cost"_a.noconvert(), "n_threads"_a);
}

inline void bind_dag(nb::module_& m) {
  bind_cells(m);
  bind_rollout<std::uint8_t>(m);
  bind_rollout<std::uint16_t>(m);
  bind_rollout<std::uint32_t>(m);
  bind_run_dag<float>(m);
  bind_run_dag<double>(m);
}

}  // namespace mddag
