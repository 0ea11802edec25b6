// From numpy arrays to the kernels' spans. What belongs together crosses as one tuple, named here
// once: the `native` property of the Python class of the same name. Shapes and ranges were checked
// in Python; those that are addresses of writes are checked again.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include "ensemble/node.hpp"
#include "ensemble/table_fault.hpp"
#include "ensemble/trees.hpp"
#include "internal/span.hpp"
#include "mdp/jump_table.hpp"
#include "mdp/stages.hpp"
#include "mdp/state.hpp"
#include "mdp/urgency.hpp"

namespace mddag {

namespace nb = nanobind;

template <class T>
using Array = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Matrix = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using StridedMatrix = nb::ndarray<const T, nb::ndim<2>, nb::device::cpu>;

template <class T>
Span<T> span(const Array<T>& a) {
  return {a.data(), a.shape(0)};
}

template <class T>
Rows<T> rows(const StridedMatrix<T>& X) {
  return {X.data(), X.shape(0), X.shape(1), X.stride(0), X.stride(1)};
}

// Ensemble.native: the bytes of the NODE records, starts, words, word_starts.
using TreeArrays = std::tuple<Array<const std::uint8_t>, Array<const std::int64_t>,
                              Array<const std::uint32_t>, Array<const std::int64_t>>;

inline Trees trees(const TreeArrays& arrays) {
  const auto& [bytes, starts, words, word_starts] = arrays;
  const auto* nodes = reinterpret_cast<const Node*>(bytes.data());
  const Trees trees{
      {nodes, bytes.shape(0) / sizeof(Node)}, span(starts), span(words), span(word_starts)};
  require_trees(trees);
  return trees;
}

// Tables.native: values, starts, score, rounds, n_scores.
using TableArrays = std::tuple<Array<const double>, Array<const std::int64_t>,
                               Array<const std::int32_t>, Array<const std::int64_t>, std::size_t>;

inline Tables tables(const TableArrays& arrays) {
  const auto& [values, starts, score, rounds, n_scores] = arrays;
  require_tables(values.shape(0), span(starts), span(score), span(rounds), n_scores);
  return {span(values), span(starts), span(score), span(rounds), n_scores};
}

// The same with the integers of IntegerVotes in place of the values.
using FixedTableArrays =
    std::tuple<Array<const std::int32_t>, Array<const std::int64_t>, Array<const std::int32_t>,
               Array<const std::int64_t>, std::size_t>;

// Throws unless trees, tables, bias and the order of a policy belong together.
inline void require_sound(const TreeArrays& tree_arrays, const FixedTableArrays& tables,
                          const Array<const std::int32_t>& bias,
                          const Array<const std::int64_t>& order) {
  const auto& [values, starts, score, rounds, n_scores] = tables;
  require_tables(values.shape(0), span(starts), span(score), span(rounds), n_scores);
  require_order(span(order), rounds.shape(0) - 1);
  if (trees(tree_arrays).count() != score.shape(0)) refuse("trees and tables differ in number");
  if (bias.shape(0) != n_scores) refuse("bias and tables differ in scores");
}

// Grid.native: edges, first, low, scale, n_scores.
using GridArrays =
    std::tuple<Array<const double>, Array<const std::int32_t>, double, double, std::size_t>;

// The state of that grid, for any number of scores.
inline ScoreState<std::size_t> score_state(const GridArrays& arrays) {
  const auto& [edges, first, low, scale, n_scores] = arrays;
  return {{span(edges), span(first), low, scale}, n_scores};
}

// Stages.native: reads, write_starts, write_columns, the number of columns, and that of the end.
using StageArrays = std::tuple<Array<const std::int64_t>, Array<const std::int64_t>,
                               Array<const std::int64_t>, std::size_t, std::size_t>;

inline StageColumns stage_columns(const StageArrays& arrays, std::size_t n_steps) {
  const auto& [reads, write_starts, write_columns, n_columns, end] = arrays;
  const StageColumns columns{span(reads), span(write_starts), span(write_columns), n_columns, end};
  if (!columns.fit(n_steps)) refuse("stages are not those of the steps and columns");
  return columns;
}

// Policy.native: next, order.
using PolicyArrays = std::tuple<Matrix<const std::int32_t>, Array<const std::int64_t>>;

inline JumpTable jump_table(const PolicyArrays& arrays) {
  const auto& [next, order] = arrays;
  return {{next.data(), next.shape(0) * next.shape(1)}, span(order)};
}

// Policy.jumps: a row for each decision and one for the end, of steps or their number.
inline void require_jumps(const Matrix<const std::int32_t>& jumps, std::size_t n_steps,
                          std::size_t every, std::size_t n_cells) {
  if (every == 0 || every > std::max<std::size_t>(n_steps, 1)) refuse("every leaves 1..n_steps");
  if (jumps.shape(0) != (n_steps + every - 1) / every + 1 || jumps.shape(1) != n_cells)
    refuse("jumps are not those of the steps and cells");
}

// A numpy array that owns the vector.
template <class T>
nb::ndarray<nb::numpy, T, nb::ndim<1>> to_numpy(std::vector<T>&& values) {
  auto* owned = new std::vector<T>(std::move(values));
  nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return {owned->data(), {owned->size()}, owner};
}

// Urgency.native: discounts, whether the metric is a mean over cuts, knots and gains, slope.
using UrgencyArrays =
    std::tuple<Array<const double>, bool, Array<const double>, Array<const double>, double>;

// Spans of Urgency.native, from which kernels with working memory are made.
struct Urgencies {
  Worth worth;
  GainCurve gain;
  double slope;

  QueryUrgency of_queries() const { return {worth, gain, slope}; }
};

inline Urgencies urgencies_of(const UrgencyArrays& arrays) {
  const auto& [discounts, mean, at, gain, slope] = arrays;
  if (discounts.shape(0) == 0 || at.shape(0) == 0 || at.shape(0) != gain.shape(0))
    refuse("an urgency without discounts, or without a gain for every knot");
  return {{span(discounts), mean}, {span(at), span(gain)}, slope};
}

// Throws unless starts (n_queries + 1,) rise from 0 to n_rows.
inline void require_queries(Span<const std::int64_t> starts, std::size_t n_rows) {
  if (starts.size == 0 || starts[0] != 0 ||
      static_cast<std::size_t>(starts[starts.size - 1]) != n_rows)
    refuse("starts of queries do not rise from 0 to the number of rows");
  for (std::size_t q = 1; q < starts.size; ++q)
    if (starts[q] < starts[q - 1]) refuse("starts of queries do not rise");
}

}  // namespace mddag
