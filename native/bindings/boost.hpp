// The bindings of what AdaBoost.MH does between two calls of its learner.
#pragma once

#include "bindings/arrays.hpp"
#include "boosting/boost.hpp"

namespace mddag {

using namespace nb::literals;

template <class Code>
void bind_boost_of(nb::module_& m) {
  m.def(
      "sum_by_leaf",
      [](Array<const Code> leaf, Matrix<const std::int8_t> targets, Matrix<const double> weights,
         Matrix<std::int64_t> out, int n_threads) {
        nb::gil_scoped_release unlocked;
        return with_n_scores(out.shape(1), [&](auto width) {
          return sum_by_leaf(span(leaf), targets.data(), weights.data(), out.data(), out.shape(0),
                             width, n_threads);
        });
      },
      "leaf"_a.noconvert(), "targets"_a.noconvert(), "weights"_a.noconvert(), "out"_a.noconvert(),
      "n_threads"_a);
  m.def(
      "reweigh",
      [](Array<const Code> leaf, Matrix<const double> votes, Matrix<const std::int8_t> targets,
         Array<const double> mass, double right, double wrong, Matrix<double> units,
         Matrix<double> weights, int n_threads) {
        nb::gil_scoped_release unlocked;
        with_n_scores(votes.shape(1), [&](auto width) {
          reweigh(span(leaf), {votes.data(), votes.size()}, targets.data(), mass.data(), right,
                  wrong, units.data(), weights.data(), width, n_threads);
        });
      },
      "leaf"_a.noconvert(), "votes"_a.noconvert(), "targets"_a.noconvert(), "mass"_a.noconvert(),
      "right"_a, "wrong"_a, "units"_a.noconvert(), "weights"_a.noconvert(), "n_threads"_a);
  m.def(
      "add_votes",
      [](Array<const Code> leaf, Matrix<const double> votes, Matrix<const std::int8_t> targets,
         Array<const double> mass, Matrix<double> scores, int n_threads) {
        nb::gil_scoped_release unlocked;
        return with_n_scores(votes.shape(1), [&](auto width) {
          return add_votes(span(leaf), votes.data(), targets.data(), mass.data(), scores.data(),
                           width, n_threads);
        });
      },
      "leaf"_a.noconvert(), "votes"_a.noconvert(), "targets"_a.noconvert(), "mass"_a.noconvert(),
      "scores"_a.noconvert(), "n_threads"_a);
}

inline void bind_boost(nb::module_& m) {
  bind_boost_of<std::uint8_t>(m);
  bind_boost_of<std::uint16_t>(m);
}

}  // namespace mddag
