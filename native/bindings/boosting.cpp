// The bindings of native/boosting: columns as codes, trees grown on them, and rounds.
#include "bindings/arrays.hpp"
#include "bindings/bindings.hpp"
#include "boosting/columns.hpp"
#include "boosting/grow.hpp"
#include "boosting/grown_tree.hpp"
#include "boosting/rounds.hpp"

namespace mddag {

using namespace nb::literals;

namespace {

// Columns.native: codes, n_codes, nominal, missing, candidates.
template <class Code>
using ColumnArrays = std::tuple<Matrix<const Code>, Array<const std::int32_t>, Array<const bool>,
                                Array<const bool>, Array<const std::int64_t>>;

template <class Code>
Columns<Code> columns(const ColumnArrays<Code>& arrays) {
  const auto& [codes, n_codes, nominal, missing, candidates] = arrays;
  return {codes.data(),  codes.shape(1), span(n_codes),
          span(nominal), span(missing),  span(candidates)};
}

template <class T, class Code>
void bind_encode(nb::module_& m) {
  m.def(
      "encode",
      [](StridedMatrix<T> X, Array<const double> cuts, Array<const std::int64_t> starts,
         Array<const std::int32_t> n_codes, Array<const bool> nominal, Matrix<Code> out,
         int n_threads) {
        Unlocked unlocked;
        encode(rows(X), span(cuts), span(starts), span(n_codes), span(nominal), out.data(),
               n_threads);
      },
      "X"_a.noconvert(), "cuts"_a.noconvert(), "starts"_a.noconvert(), "n_codes"_a.noconvert(),
      "nominal"_a.noconvert(), "out"_a.noconvert(), "n_threads"_a);
}

template <class Code, class Leaf>
void bind_coded_leaves(nb::module_& m) {
  m.def(
      "coded_leaves",
      [](const ColumnArrays<Code>& column_arrays, Array<const std::uint8_t> node_bytes,
         Array<const std::int32_t> cuts, Array<const std::uint32_t> words, Array<Leaf> out,
         int n_threads) {
        Unlocked unlocked;
        const auto* nodes = reinterpret_cast<const Node*>(node_bytes.data());
        const CodedTree tree{{nodes, cuts.shape(0)}, span(cuts), span(words)};
        coded_leaves(columns<Code>(column_arrays), tree, out.data(), n_threads);
      },
      "columns"_a.noconvert(), "nodes"_a.noconvert(), "cuts"_a.noconvert(), "words"_a.noconvert(),
      "out"_a.noconvert(), "n_threads"_a);
}

template <class Code>
void bind_grow(nb::module_& m) {
  m.def(
      "grow",
      [](const ColumnArrays<Code>& column_arrays, Matrix<const std::int8_t> targets,
         Matrix<const double> weights, bool opposite, Array<std::uint8_t> node_bytes,
         Array<std::int32_t> cuts, Matrix<double> votes, Array<std::uint32_t> words,
         int n_threads) {
        Unlocked unlocked;
        GrownTree tree{reinterpret_cast<Node*>(node_bytes.data()), cuts.data(), votes.data(),
                       words.data(), votes.shape(1)};
        const bool valid = grow(columns<Code>(column_arrays), targets.data(), weights.data(),
                                votes.shape(0), opposite, n_threads, tree);
        return valid ? static_cast<std::int64_t>(tree.n_nodes) : -1;
      },
      "columns"_a.noconvert(), "targets"_a.noconvert(), "weights"_a.noconvert(), "opposite"_a,
      "nodes"_a.noconvert(), "cuts"_a.noconvert(), "votes"_a.noconvert(), "words"_a.noconvert(),
      "n_threads"_a);
}

template <class Code>
void bind_codes(nb::module_& m) {
  bind_encode<float, Code>(m);
  bind_encode<double, Code>(m);
  bind_coded_leaves<Code, std::uint8_t>(m);
  bind_coded_leaves<Code, std::uint16_t>(m);
  bind_grow<Code>(m);
}

template <class Code>
void bind_rounds(nb::module_& m) {
  m.def(
      "sum_by_leaf",
      [](Array<const Code> leaf, Matrix<const std::int8_t> targets, Matrix<const double> weights,
         Matrix<std::int64_t> out, int n_threads) {
        Unlocked unlocked;
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
        Unlocked unlocked;
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
        Unlocked unlocked;
        return with_n_scores(votes.shape(1), [&](auto width) {
          return add_votes(span(leaf), votes.data(), targets.data(), mass.data(), scores.data(),
                           width, n_threads);
        });
      },
      "leaf"_a.noconvert(), "votes"_a.noconvert(), "targets"_a.noconvert(), "mass"_a.noconvert(),
      "scores"_a.noconvert(), "n_threads"_a);
}

}  // namespace

void bind_boosting(nb::module_& m) {
  bind_codes<std::uint8_t>(m);
  bind_codes<std::uint16_t>(m);
  bind_rounds<std::uint8_t>(m);
  bind_rounds<std::uint16_t>(m);
}

}  // namespace mddag
