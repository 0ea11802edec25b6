// Trees of at most eight leaves as SmallTree records.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "blocks/kernels/kernels.hpp"
#include "blocks/plan/splits.hpp"
#include "ensemble/node.hpp"

namespace mddag::blocks {

// nodes: one tree; votes by leaf code.
inline SmallTree small_tree(SplitsBuilder& builder, const Node* nodes, const std::int32_t* votes,
                            std::int32_t score) {
  SmallTree tree{};
  tree.splits = builder.build(nodes, 0, [](std::int32_t) { return false; });
  for (std::size_t e = 0; e < 8; ++e) tree.votes[e] = votes[nodes[builder.exits()[e]].left];
  tree.score = static_cast<std::uint32_t>(score);
  return tree;
}

}  // namespace mddag::blocks
