// The table of contents of the native core. Every function takes arrays and writes to arrays; the
// signatures are typed in src/mddag/_core.pyi, the arguments are checked by the Python callers.
#include "mddag/arrays.hpp"
#include "mddag/bind_boost.hpp"
#include "mddag/bind_learners.hpp"
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

  bind_learners(m);
  bind_boost(m);
}
