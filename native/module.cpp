// The table of contents of the native core. Every function takes arrays and writes to arrays; the
// signatures are typed in src/mddag/_core.pyi, the arguments are checked by the Python callers.
#include "mddag/arrays.hpp"
#include "mddag/columns.hpp"
#include "mddag/grow.hpp"
#include "mddag/grown_tree.hpp"
#include "mddag/trees.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace mddag;

namespace {

template <class T, class Code>
void bind_leaf_codes(nb::module_& m) {
  m.def(
      "leaf_codes",
      [](NodeBytes node_bytes, Starts starts, Words words, Starts word_starts, StridedMatrix<T> X,
         Matrix<Code> out, int n_threads) {
        nb::gil_scoped_release unlocked;
        leaf_codes(trees(node_bytes, starts, words, word_starts), rows(X), out.data(), n_threads);
      },
      "nodes"_a.noconvert(), "starts"_a.noconvert(), "words"_a.noconvert(),
      "word_starts"_a.noconvert(), "X"_a.noconvert(), "out"_a.noconvert(), "n_threads"_a);
}

template <class T>
void bind_add_scores(nb::module_& m) {
  m.def(
      "add_scores",
      [](NodeBytes node_bytes, Starts starts, Words words, Starts word_starts,
         Array<const double> values, Starts value_starts, Array<const std::int32_t> score,
         StridedMatrix<T> X, Matrix<double> out, int n_threads) {
        nb::gil_scoped_release unlocked;
        add_scores(trees(node_bytes, starts, words, word_starts),
                   tables(values, value_starts, score, out.shape(1)), rows(X), out.data(),
                   n_threads);
      },
      "nodes"_a.noconvert(), "starts"_a.noconvert(), "words"_a.noconvert(),
      "word_starts"_a.noconvert(), "values"_a.noconvert(), "value_starts"_a.noconvert(),
      "score"_a.noconvert(), "X"_a.noconvert(), "out"_a.noconvert(), "n_threads"_a);
}

template <class Code>
void bind_add_coded_scores(nb::module_& m) {
  m.def(
      "add_coded_scores",
      [](Array<const double> values, Starts value_starts, Array<const std::int32_t> score,
         Matrix<const Code> codes, Matrix<double> out) {
        nb::gil_scoped_release unlocked;
        add_coded_scores(tables(values, value_starts, score, out.shape(1)), codes.data(),
                         codes.shape(0), out.data());
      },
      "values"_a.noconvert(), "value_starts"_a.noconvert(), "score"_a.noconvert(),
      "codes"_a.noconvert(), "out"_a.noconvert());
}

template <class T, class Code>
void bind_encode(nb::module_& m) {
  m.def(
      "encode",
      [](StridedMatrix<T> X, Array<const double> cuts, Starts starts, Counts n_codes, Flags nominal,
         Matrix<Code> out, int n_threads) {
        nb::gil_scoped_release unlocked;
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
      [](Matrix<const Code> codes, Counts n_codes, Flags missing, NodeBytes node_bytes, Counts cuts,
         Words words, Array<Leaf> out, int n_threads) {
        nb::gil_scoped_release unlocked;
        const Columns<Code> columns{codes.data(), codes.shape(1), span(n_codes),
                                    {},           span(missing),  {}};
        coded_leaves(columns, {nodes(node_bytes), span(cuts), span(words)}, out.data(), n_threads);
      },
      "codes"_a.noconvert(), "n_codes"_a.noconvert(), "missing"_a.noconvert(),
      "nodes"_a.noconvert(), "cuts"_a.noconvert(), "words"_a.noconvert(), "out"_a.noconvert(),
      "n_threads"_a);
}

template <class Code>
void bind_grow(nb::module_& m) {
  m.def(
      "grow",
      [](Matrix<const Code> codes, Counts n_codes, Flags nominal, Flags missing, Starts candidates,
         Matrix<const std::int8_t> targets, Matrix<const double> weights, bool opposite,
         Array<std::uint8_t> node_bytes, Array<std::int32_t> cuts, Matrix<double> votes,
         Array<std::uint32_t> words, int n_threads) {
        nb::gil_scoped_release unlocked;
        const Columns<Code> columns{codes.data(),  codes.shape(1), span(n_codes),
                                    span(nominal), span(missing),  span(candidates)};
        GrownTree tree{reinterpret_cast<Node*>(node_bytes.data()), cuts.data(), votes.data(),
                       words.data(), votes.shape(1)};
        const bool valid = grow(columns, targets.data(), weights.data(), votes.shape(0), opposite,
                                n_threads, tree);
        return valid ? static_cast<std::int64_t>(tree.n_nodes) : -1;
      },
      "codes"_a.noconvert(), "n_codes"_a.noconvert(), "nominal"_a.noconvert(),
      "missing"_a.noconvert(), "candidates"_a.noconvert(), "targets"_a.noconvert(),
      "weights"_a.noconvert(), "opposite"_a, "nodes"_a.noconvert(), "cuts"_a.noconvert(),
      "votes"_a.noconvert(), "words"_a.noconvert(), "n_threads"_a);
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
  bind_add_coded_scores<std::uint8_t>(m);
  bind_add_coded_scores<std::uint16_t>(m);
  bind_add_coded_scores<std::uint32_t>(m);

  bind_encode<float, std::uint8_t>(m);
  bind_encode<float, std::uint16_t>(m);
  bind_encode<double, std::uint8_t>(m);
  bind_encode<double, std::uint16_t>(m);
  bind_coded_leaves<std::uint8_t, std::uint8_t>(m);
  bind_coded_leaves<std::uint8_t, std::uint16_t>(m);
  bind_coded_leaves<std::uint16_t, std::uint8_t>(m);
  bind_coded_leaves<std::uint16_t, std::uint16_t>(m);
  bind_grow<std::uint8_t>(m);
  bind_grow<std::uint16_t>(m);
}
