// The shape of a tree: how deep it is, and whether it is oblivious, as CatBoost's are: all nodes of
// a level have the same numeric split.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "ensemble/node.hpp"
#include "internal/span.hpp"

namespace mddag {

// The splits before the deepest leaf. Children follow their parents.
inline std::int32_t depth_of(Span<const Node> nodes) {
  std::vector<std::int32_t> level(nodes.size, 0);
  std::int32_t depth = 0;
  for (std::size_t i = 0; i < nodes.size; ++i) {
    depth = std::max(depth, level[i]);
    if (nodes[i].is_leaf()) continue;
    for (const std::int32_t child : {nodes[i].left, nodes[i].right}) {
      const auto at = static_cast<std::size_t>(child);
      if (child > 0 && at < nodes.size) level[at] = level[i] + 1;
    }
  }
  return depth;
}

// The leaves of an oblivious tree of some depth, by the answers that lead to them: 1 for the left,
// the root's being the highest bit. None of other trees.
inline std::vector<std::int32_t> oblivious_leaves(Span<const Node> nodes, std::size_t depth) {
  if (nodes.size != (std::size_t{2} << depth) - 1) return {};
  std::vector<std::int32_t> level{0}, below;
  for (std::size_t l = 0; l <= depth; ++l) {
    const Node& first = nodes[static_cast<std::size_t>(level.front())];
    below.clear();
    for (const std::int32_t i : level) {
      if (i < 0 || static_cast<std::size_t>(i) >= nodes.size) return {};
      const Node& node = nodes[static_cast<std::size_t>(i)];
      if (node.is_leaf() != (l == depth)) return {};
      if (node.is_leaf()) continue;
      if (node.n_words > 0 || node.feature != first.feature || node.threshold != first.threshold ||
          node.missing_left != first.missing_left)
        return {};
      below.push_back(node.right);
      below.push_back(node.left);
    }
    if (l < depth) level.swap(below);
  }
  return level;
}

}  // namespace mddag
