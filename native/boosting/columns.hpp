// Columns as codes: making the codes, and walking rows down a tree on codes. The specification is
// tests/reference/boosting.py.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "ensemble/node.hpp"
#include "internal/cuts.hpp"
#include "internal/parallel.hpp"
#include "internal/span.hpp"

namespace mddag {

template <class Code>
struct Columns {
  const Code* codes;  // (n_features, n_rows)
  std::size_t n_rows;
  Span<const std::int32_t> n_codes;  // of present values; a missing value has code n_codes[f]
  Span<const bool> nominal;
  Span<const bool> missing;
  Span<const std::int64_t> candidates;

  const Code* column(std::size_t f) const { return codes + f * n_rows; }
  std::size_t n_bins(std::size_t f) const {
    return static_cast<std::size_t>(n_codes[f]) + (missing[f] ? 1 : 0);
  }
};

// codes : (n_features, n_rows). The cuts of column f are cuts[starts[f] .. starts[f + 1]).
template <class T, class Code>
void encode(const Rows<T>& rows, Span<const double> cuts, Span<const std::int64_t> starts,
            Span<const std::int32_t> n_codes, Span<const bool> nominal, Code* codes,
            int n_threads) {
  constexpr std::size_t kBlock = 4096;  // rows: few enough for X, many for a column's cuts
  const std::size_t n_blocks = (rows.n_rows + kBlock - 1) / kBlock;
  std::vector<Cuts> columns;
  for (std::size_t f = 0; f < rows.n_features; ++f)
    columns.emplace_back(cuts.data + starts[f],
                         static_cast<std::size_t>(starts[f + 1] - starts[f]));
  parallel_for(n_blocks, n_threads, [&](std::size_t block) {
    const std::size_t end = std::min(rows.n_rows, (block + 1) * kBlock);
    for (std::size_t f = 0; f < rows.n_features; ++f) {
      for (std::size_t i = block * kBlock; i < end; ++i) {
        const auto x = static_cast<double>(rows.at(i, f));
        codes[f * rows.n_rows + i] = static_cast<Code>(x != x ? static_cast<std::size_t>(n_codes[f])
                                                       : nominal[f] ? static_cast<std::size_t>(x)
                                                                    : columns[f].below(x));
      }
    }
  });
}

// A tree in terms of codes: cuts[s] stands for the threshold of node s.
struct CodedTree {
  Span<const Node> nodes;
  Span<const std::int32_t> cuts;
  Span<const std::uint32_t> words;
};

// Of the n rows in leaf `from`, those with a code above the cut move to leaf `to`.
template <class Code, class Leaf>
void move_above(const Code* codes, Code cut, Code held, std::size_t n, Leaf from, Leaf to,
                Leaf* leaves) {
  for (std::size_t i = 0; i < n; ++i) {
    const bool right = (codes[i] > cut) & (codes[i] != held);
    const bool moves = (leaves[i] == from) & right;
    leaves[i] = moves ? to : leaves[i];
  }
}

// Of the n rows in leaf `from`, those with a category outside of the set move to leaf `to`.
template <class Code, class Leaf>
void move_outside(const Code* codes, const std::uint32_t* set, const Node& node,
                  std::uint32_t missing, std::size_t n, Leaf from, Leaf to, Leaf* leaves) {
  const auto n_listed = static_cast<std::uint32_t>(node.n_words) * 32;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t c = codes[i];
    const bool inside = c < n_listed && ((set[c >> 5] >> (c & 31)) & 1u);
    const bool left = c == missing ? node.missing_left != 0 : inside;
    leaves[i] = leaves[i] == from && !left ? to : leaves[i];
  }
}

// leaves : (n_rows,). Node by node, the rows of a node that go right take the leaf code of the
// right child's leftmost leaf; those that go left have theirs already. One pass of simple
// comparisons per node beats a walk per row until trees are far larger than those of boosting.
template <class Code, class Leaf>
void coded_leaves(const Columns<Code>& columns, const CodedTree& tree, Leaf* leaves,
                  int n_threads) {
  constexpr std::size_t kBlock = 16 * 1024;
  std::vector<Leaf> leftmost(tree.nodes.size);
  for (std::size_t s = tree.nodes.size; s-- > 0;) {  // children follow their parent
    const Node& node = tree.nodes[s];
    leftmost[s] = node.is_leaf() ? static_cast<Leaf>(node.left)
                                 : leftmost[static_cast<std::size_t>(node.left)];
  }
  const auto walk = [&](std::size_t s, std::size_t first, std::size_t n) {
    const Node& node = tree.nodes[s];
    const auto f = static_cast<std::size_t>(node.feature);
    const Code* codes = columns.column(f) + first;
    const Leaf from = leftmost[s], to = leftmost[static_cast<std::size_t>(node.right)];
    const std::int32_t missing = columns.n_codes[f];
    if (node.n_words > 0)
      return move_outside(codes, tree.words.data + node.word, node,
                          static_cast<std::uint32_t>(missing), n, from, to, leaves + first);
    // The missing code lies above every cut: it is held back where missing values go left.
    const bool hold = columns.missing[f] && node.missing_left;
    const std::int32_t cut = tree.cuts[s];
    move_above(codes, static_cast<Code>(cut), static_cast<Code>(hold ? missing : cut), n, from, to,
               leaves + first);
  };
  parallel_for((columns.n_rows + kBlock - 1) / kBlock, n_threads, [&](std::size_t block) {
    const std::size_t first = block * kBlock;
    const std::size_t n = std::min(kBlock, columns.n_rows - first);
    std::fill_n(leaves + first, n, leftmost[0]);
    for (std::size_t s = 0; s < tree.nodes.size; ++s)
      if (!tree.nodes[s].is_leaf()) walk(s, first, n);
  });
}

}  // namespace mddag
