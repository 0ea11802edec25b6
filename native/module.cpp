// The table of contents of the native core. Every function takes arrays and writes to arrays; the
// signatures are typed in src/mddag/_core.pyi, the arguments are checked by the Python callers.
#include "mddag/arrays.hpp"
#include "mddag/bind_boost.hpp"
#include "mddag/bind_learners.hpp"
#include "mddag/bind_sarsa.hpp"
#include "mddag/rollout.hpp"
#include "mddag/trees.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace mddag;

namespace {

template <class T, class Code>
void bind_leaf_codes(nb::module_& m) {
  m.def(
      "leaf_codes",
      [](const TreeArrays& tree_arrays, StridedMatrix<T> X, Matrix<Code> out, int n_threads) {
        nb::gil_scoped_release unlocked;
        leaf_codes(trees(tree_arrays), rows(X), out.data(), n_threads);
      },
      "trees"_a.noconvert(), "X"_a.noconvert(), "out"_a.noconvert(), "n_threads"_a);
}

template <class T>
void bind_add_scores(nb::module_& m) {
  m.def(
      "add_scores",
      [](const TreeArrays& tree_arrays, const TableArrays& table_arrays, StridedMatrix<T> X,
         Matrix<double> out, int n_threads) {
        nb::gil_scoped_release unlocked;
        add_scores(trees(tree_arrays), tables(table_arrays), rows(X), out.data(), n_threads);
      },
      "trees"_a.noconvert(), "tables"_a.noconvert(), "X"_a.noconvert(), "out"_a.noconvert(),
      "n_threads"_a);
}

template <class Code>
void bind_coded_votes(nb::module_& m) {
  m.def(
      "add_coded_scores",
      [](const TableArrays& table_arrays, Matrix<const Code> codes, Matrix<double> out) {
        nb::gil_scoped_release unlocked;
        add_coded_scores(tables(table_arrays), codes.data(), codes.shape(0), out.data());
      },
      "tables"_a.noconvert(), "codes"_a.noconvert(), "out"_a.noconvert());
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

void bind_cells(nb::module_& m) {
  m.def(
      "cells",
      [](const GridArrays& grid_arrays, Matrix<const double> scores, Array<std::int32_t> out) {
        nb::gil_scoped_release unlocked;
        cells(grid(grid_arrays), scores.data(), scores.shape(0), out.data());
      },
      "grid"_a.noconvert(), "scores"_a.noconvert(), "out"_a.noconvert());
}

}  // namespace

NB_MODULE(_core, m) {
  m.attr("NODE_SIZE") = sizeof(Node);

  bind_leaf_codes<float, std::uint8_t>(m);
  bind_leaf_codes<float, std::uint16_t>(m);
  bind_leaf_codes<float, std::uint32_t>(m);
  bind_leaf_codes<double, std::uint8_t>(m);
  bind_leaf_codes<double, std::uint16_t>(m);
  bind_leaf_codes<double, std::uint32_t>(m);
  bind_add_scores<float>(m);
  bind_add_scores<double>(m);
  bind_coded_votes<std::uint8_t>(m);
  bind_coded_votes<std::uint16_t>(m);
  bind_coded_votes<std::uint32_t>(m);
  bind_cells(m);
  bind_run_dag<float>(m);
  bind_run_dag<double>(m);
  bind_sarsa(m);
  bind_learners(m);
  bind_boost(m);
}
