// From the nodes of a tree to the forms of bush.hpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "ensemble/node.hpp"
#include "ensemble/rounding.hpp"
#include "internal/span.hpp"
#include "walk/bush.hpp"

namespace mddag {

// One tree while it is brought into a form.
struct TreeView {
  Span<const Node> nodes;
  const std::int32_t* values;  // by leaf code; null where the leaf code itself is kept
  std::int64_t words;          // where its category sets begin

  const Node& node(std::int32_t i) const { return nodes[static_cast<std::size_t>(i)]; }
  std::int32_t leaf(const Node& node) const {
    return values == nullptr ? node.left : values[node.left];
  }
  bool nominal() const {
    const auto of_sets = [](const Node& n) { return !n.is_leaf() && n.n_words > 0; };
    return std::any_of(nodes.data, nodes.data + nodes.size, of_sets);
  }
};

// Of a split by categories, the bound is exact, since no set has kMostWords.
template <class T>
Test<T> test_of(const Node& node) {
  const bool nominal = node.n_words > 0;
  const std::uint32_t flags = (nominal ? 2u : 0u) | (node.missing_left != 0 ? 1u : 0u);
  return {nominal ? static_cast<T>(32.0 * node.n_words) : rounded_down<T>(node.threshold),
          (static_cast<std::uint32_t>(node.feature) << 2) | flags};
}

// A tree without splits is a stump that always goes left.
template <class T>
Stump<T> stump_of(const TreeView& tree) {
  const Node& root = tree.nodes[0];
  if (root.is_leaf()) return {{std::numeric_limits<T>::infinity(), 1}, {0, tree.leaf(root)}};
  return {test_of<T>(root), {tree.leaf(tree.node(root.right)), tree.leaf(tree.node(root.left))}};
}

// Tests in the order parent, left, right; leaves from left to right: so trees of one shape have one
// table of it.
template <class T>
class BushMaker {
 public:
  explicit BushMaker(const TreeView& tree) : tree_(tree) {
    const std::uint8_t root = lay(0);
    for (unsigned answers = 0; answers < shape.size(); ++answers) {
      std::uint8_t at = root;
      while (at < kLeaf) at = child_[at][(answers >> at) & 1u];
      shape[answers] = static_cast<std::uint8_t>(at - kLeaf);
    }
  }

  Bush<T> bush;
  Shape shape;

 private:
  static constexpr std::uint8_t kLeaf = 8;  // from here on, numbers of leaves

  std::uint8_t lay(std::int32_t i) {
    const Node& node = tree_.node(i);
    if (node.is_leaf()) {
      bush.leaf[n_leaves_] = tree_.leaf(node);
      return static_cast<std::uint8_t>(kLeaf + n_leaves_++);
    }
    const std::uint8_t at = n_tests_++;
    bush.threshold[at] = rounded_down<T>(node.threshold);
    bush.column[at] = static_cast<std::uint16_t>(node.feature);
    bush.missing_left =
        static_cast<std::uint16_t>(bush.missing_left | ((node.missing_left != 0) << at));
    child_[at][1] = lay(node.left);
    child_[at][0] = lay(node.right);
    return at;
  }

  TreeView tree_;
  std::uint8_t child_[8][2] = {};
  std::uint8_t n_tests_ = 0, n_leaves_ = 0;
};

// Nodes breadth first, so that siblings are neighbors, appended to `out`.
template <class T>
void pack(const TreeView& tree, std::vector<PackedNode<T>>& out) {
  std::vector<std::int32_t> queue{0};
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const Node& node = tree.node(queue[i]);
    if (node.is_leaf()) {
      const Test<T> always_left{std::numeric_limits<T>::infinity(), 1};
      out.push_back({always_left, static_cast<std::int32_t>(i), tree.leaf(node)});
      continue;
    }
    const std::int64_t set = node.n_words > 0 ? tree.words + node.word : 0;
    out.push_back({test_of<T>(node), static_cast<std::int32_t>(queue.size()),
                   static_cast<std::int32_t>(set)});
    queue.push_back(node.left);
    queue.push_back(node.right);
  }
}

}  // namespace mddag
