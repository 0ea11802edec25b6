// The bindings of grid and policy: cells, and rollouts on votes.
#pragma once

#include "bindings/arrays.hpp"
#include "mdp/rollout.hpp"

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
         Array<std::int32_t> n_evaluated, Array<std::int32_t> exit_step, Array<double> cost,
         int n_threads) {
        nb::gil_scoped_release unlocked;
        const CodedVotes<Code> votes{tables(table_arrays), codes.data()};
        rollout(votes, grid(grid_arrays), jump_table(policy), span(costs), codes.shape(0),
                scores.data(), n_evaluated.data(), exit_step.data(), cost.data(), n_threads);
      },
      "tables"_a.noconvert(), "codes"_a.noconvert(), "grid"_a.noconvert(), "policy"_a.noconvert(),
      "costs"_a.noconvert(), "scores"_a.noconvert(), "n_evaluated"_a.noconvert(),
      "exit_step"_a.noconvert(), "cost"_a.noconvert(), "n_threads"_a);
}

inline void bind_dag(nb::module_& m) {
  bind_cells(m);
  bind_rollout<std::uint8_t>(m);
  bind_rollout<std::uint16_t>(m);
  bind_rollout<std::uint32_t>(m);
}

}  // namespace mddag
