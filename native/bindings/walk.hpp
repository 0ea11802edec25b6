// The bindings of the row walk: an executor that is made once and asked often.
#pragma once

#include <string>

#include "bindings/arrays.hpp"
#include "bindings/row.hpp"
#include "mddag/walk.hpp"

namespace mddag {

using namespace nb::literals;

template <class T>
std::vector<std::remove_const_t<T>> copied(const Array<T>& a) {
  return {a.data(), a.data() + a.shape(0)};
}

inline WalkSource walk_source(const TreeArrays& tree_arrays, const FixedTableArrays& tables,
                              const Array<const std::int32_t>& bias,
                              const Array<const std::int64_t>& order, std::size_t n_features) {
  const auto& [bytes, starts, words, word_starts] = tree_arrays;
  const auto& [values, table_starts, score, rounds, n_scores] = tables;
  const Span<const Node> nodes = trees(tree_arrays).nodes;
  return {{nodes.data, nodes.data + nodes.size},
          copied(starts),
          copied(words),
          copied(word_starts),
          copied(values),
          copied(table_starts),
          copied(score),
          copied(rounds),
          copied(order),
          copied(bias),
          n_features};
}

template <class T>
void bind_walk_rows(nb::class_<Walk>& walk) {
  walk.def(
      "scores",
      [](const Walk& self, StridedMatrix<T> X, Matrix<double> out, int n_threads) {
        nb::gil_scoped_release unlocked;
        self.scores(rows(X), out.data(), n_threads);
      },
      "X"_a.noconvert(), "out"_a.noconvert(), "n_threads"_a);
  walk.def(
      "exits",
      [](const Walk& self, StridedMatrix<T> X, Matrix<double> out, Array<std::int32_t> exit_step,
         int n_threads) {
        nb::gil_scoped_release unlocked;
        self.exits(rows(X), out.data(), exit_step.data(), n_threads);
      },
      "X"_a.noconvert(), "out"_a.noconvert(), "exit_step"_a.noconvert(), "n_threads"_a);
  walk.def(
      "run",
      [](const Walk& self, StridedMatrix<T> X, Array<const double> costs, Matrix<double> out,
         Array<std::int32_t> exit_step, Array<double> cost, int n_threads) {
        Paths paths;
        {
          nb::gil_scoped_release unlocked;
          paths =
              self.run(rows(X), costs.data(), out.data(), exit_step.data(), cost.data(), n_threads);
        }
        return nb::make_tuple(to_numpy(std::move(paths.n_evaluated)),
                              to_numpy(std::move(paths.indices)));
      },
      "X"_a.noconvert(), "costs"_a.noconvert(), "out"_a.noconvert(), "exit_step"_a.noconvert(),
      "cost"_a.noconvert(), "n_threads"_a);
}

inline void bind_walk(nb::module_& m) {
  nb::class_<Walk> walk(m, "Walk");
  walk.def(
      "__init__",
      [](Walk* self, const TreeArrays& tree_arrays, const FixedTableArrays& tables,
         Array<const std::int32_t> bias, double unit, Array<const std::int64_t> order,
         Array<const std::int64_t> edges, Matrix<const std::int32_t> jumps, std::size_t every,
         std::size_t n_features, bool missing) {
        nb::gil_scoped_release unlocked;
        const std::size_t n_steps = order.shape(0), n_scores = bias.shape(0);
        require_sound(tree_arrays, tables, bias, order);
        require_jumps(jumps, n_steps, every, (edges.shape(0) + 1) * n_scores);
        new (self) Walk(walk_source(tree_arrays, tables, bias, order, n_features), unit,
                        Jumps(span(edges), n_scores, {jumps.data(), jumps.size()}, n_steps, every),
                        missing);
      },
      "trees"_a.noconvert(), "tables"_a.noconvert(), "bias"_a.noconvert(), "unit"_a,
      "order"_a.noconvert(), "edges"_a.noconvert(), "jumps"_a.noconvert(), "every"_a,
      "n_features"_a, "missing"_a);
  // A call of one row holds the lock: giving it back and taking it again costs as much as the row.
  walk.def(
      "predict_one",
      [](const Walk& self, nb::handle x) {
        return OneRow(x, self.n_features()).read([&](const auto* row) { return self.code(row); });
      },
      "x"_a);
  walk.def(
      "scores_one",
      [](const Walk& self, nb::handle x) {
        const auto scores =
            OneRow(x, self.n_features()).read([&](const auto* row) { return self.scores_of(row); });
        return nb::tuple(nb::cast(scores));
      },
      "x"_a);
  bind_walk_rows<float>(walk);
  bind_walk_rows<double>(walk);
}

}  // namespace mddag
