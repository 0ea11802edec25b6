// The bindings of the engine: a forest made once, evaluated on many rows at once.
#pragma once

#include <memory>

#include "bindings/arrays.hpp"
#include "mddag/engine/forest.hpp"

namespace mddag {

using namespace nb::literals;

// Tables.native with the integers of a FixedPoint in place of the values.
using FixedTableArrays =
    std::tuple<Array<const std::int32_t>, Array<const std::int64_t>, Array<const std::int32_t>,
               Array<const std::int64_t>, std::size_t>;

template <class T, class Out>
void bind_forest_scores(nb::class_<engine::Forest>& forest) {
  forest.def(
      "scores",
      [](const engine::Forest& self, StridedMatrix<T> X, Matrix<Out> out, int n_threads) {
        nb::gil_scoped_release unlocked;
        self.scores(rows(X), out.data(), n_threads);
      },
      "X"_a.noconvert(), "out"_a.noconvert(), "n_threads"_a);
}

void bind_engine(nb::module_& m) {
  nb::class_<engine::Forest> forest(m, "Forest");
  forest.def(
      "__init__",
      [](engine::Forest* self, const TreeArrays& tree_arrays, const FixedTableArrays& tables,
         Array<const std::int32_t> bias, double unit, Array<const std::int64_t> order,
         bool portable) {
        const auto& [values, starts, score, rounds, n_scores] = tables;
        nb::gil_scoped_release unlocked;
        new (self) engine::Forest(trees(tree_arrays), span(values), span(starts), span(score),
                          span(rounds), span(bias), unit, span(order), portable);
      },
      "trees"_a.noconvert(), "tables"_a.noconvert(), "bias"_a.noconvert(), "unit"_a,
      "order"_a.noconvert(), "portable"_a = false);
  forest.def_prop_ro("kernels", &engine::Forest::kernels);
  bind_forest_scores<float, std::int32_t>(forest);
  bind_forest_scores<double, std::int32_t>(forest);
  bind_forest_scores<float, double>(forest);
  bind_forest_scores<double, double>(forest);
}

}  // namespace mddag
