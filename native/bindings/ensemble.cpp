// The bindings of native/ensemble: leaf codes and scores of trees.
#include "bindings/arrays.hpp"
#include "bindings/bindings.hpp"
#include "ensemble/leaf_sums.hpp"
#include "ensemble/shape.hpp"
#include "ensemble/tree_fault.hpp"
#include "ensemble/trees.hpp"

namespace mddag {

using namespace nb::literals;

namespace {

template <class T, class Code>
void bind_leaf_codes(nb::module_& m) {
  m.def(
      "leaf_codes",
      [](const TreeArrays& tree_arrays, StridedMatrix<T> X, Matrix<Code> out, int n_threads) {
        Unlocked unlocked;
        leaf_codes(trees(tree_arrays), rows(X), out.data(), n_threads);
      },
      "trees"_a.noconvert(), "X"_a.noconvert(), "out"_a.noconvert(), "n_threads"_a);
}

void bind_tree_shapes(nb::module_& m) {
  m.def(
      "tree_shapes",
      [](const TreeArrays& tree_arrays, Array<std::int32_t> depth, Array<std::uint8_t> oblivious) {
        Unlocked unlocked;
        const Trees all = trees(tree_arrays);
        if (depth.shape(0) != all.count() || oblivious.shape(0) != all.count())
          refuse("shapes are not those of the trees");
        for (std::size_t t = 0; t < all.count(); ++t) {
          const Span<const Node> nodes = all.nodes_of(t);
          depth.data()[t] = depth_of(nodes);
          const auto levels = static_cast<std::size_t>(depth.data()[t]);
          oblivious.data()[t] = levels < 32 && !oblivious_leaves(nodes, levels).empty();
        }
      },
      "trees"_a.noconvert(), "depth"_a.noconvert(), "oblivious"_a.noconvert());
}

template <class T>
void bind_add_scores(nb::module_& m) {
  m.def(
      "add_scores",
      [](const TreeArrays& tree_arrays, const TableArrays& table_arrays, StridedMatrix<T> X,
         Matrix<double> out, int n_threads) {
        Unlocked unlocked;
        add_scores(trees(tree_arrays), tables(table_arrays), rows(X), out.data(), n_threads);
      },
      "trees"_a.noconvert(), "tables"_a.noconvert(), "X"_a.noconvert(), "out"_a.noconvert(),
      "n_threads"_a);
}

template <class Code>
void bind_add_coded_scores(nb::module_& m) {
  m.def(
      "add_coded_scores",
      [](const TableArrays& table_arrays, Matrix<const Code> codes, Matrix<double> out) {
        Unlocked unlocked;
        add_coded_scores(tables(table_arrays), codes.data(), codes.shape(0), out.data());
      },
      "tables"_a.noconvert(), "codes"_a.noconvert(), "out"_a.noconvert());
}

template <class Code>
void bind_add_leaf_sums(nb::module_& m) {
  m.def(
      "add_leaf_sums",
      [](const TableArrays& table_arrays, Matrix<const Code> codes, Matrix<const double> numbers,
         Array<double> sums) {
        Unlocked unlocked;
        add_leaf_sums(tables(table_arrays), codes.data(), codes.shape(0), numbers.data(),
                      sums.data());
      },
      "tables"_a.noconvert(), "codes"_a.noconvert(), "numbers"_a.noconvert(), "sums"_a.noconvert());
}

void bind_tree_fault(nb::module_& m) {
  m.def(
      "tree_fault",
      [](Array<const std::uint8_t> node_bytes, std::size_t n_leaves, std::size_t n_words) {
        const auto* nodes = reinterpret_cast<const Node*>(node_bytes.data());
        const Span<const Node> records{nodes, node_bytes.shape(0) / sizeof(Node)};
        const Found found = TreeCheck(records, n_leaves, n_words).first();
        return std::make_tuple(static_cast<int>(found.fault), found.node);
      },
      "nodes"_a.noconvert(), "n_leaves"_a, "n_words"_a);
}

}  // namespace

void bind_ensemble(nb::module_& m) {
  m.attr("NODE_SIZE") = sizeof(Node);
  bind_tree_fault(m);
  bind_tree_shapes(m);
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
  bind_add_leaf_sums<std::uint8_t>(m);
  bind_add_leaf_sums<std::uint16_t>(m);
  bind_add_leaf_sums<std::uint32_t>(m);
}

}  // namespace mddag
