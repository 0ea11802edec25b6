// Trees of at most eight leaves as SmallTree records.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "mddag/engine/kernels.hpp"
#include "mddag/engine/splits.hpp"
#include "mddag/node.hpp"

namespace mddag::engine {

// nodes: one tree; votes by leaf code.
inline SmallTree small_tree(SplitsBuilder& builder, const Node* nodes, const std::int32_t* votes,
                            std::int32_t score) {
  SmallTree tree{};
  tree.splits = builder.build(nodes, 0, [](std::int32_t) { return false; });
  for (std::size_t e = 0; e < 8; ++e) tree.votes[e] = votes[nodes[builder.exits()[e]].left];
  tree.score = static_cast<std::uint32_t>(score);
  return tree;
}

}  // namespace mddag::engine
