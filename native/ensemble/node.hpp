// One node of a tree, as it crosses from Python: the numpy record NODE of
// src/mddag/ensemble/nodes.py.
#pragma once

#include <cstdint>

namespace mddag {

struct Node {
  double threshold;           // x <= threshold goes left; unused at leaves and nominal splits
  std::int32_t feature;       // column read by the split, -1 at a leaf
  std::int32_t left;          // child, counted from the root of its tree; at a leaf, the leaf code
  std::int32_t right;         // child; -1 at a leaf
  std::int32_t word;          // nominal split: first word of its category set in the tree's words
  std::int32_t n_words;       // nominal split: length of the set in 32-bit words; 0 = numeric split
  std::uint8_t missing_left;  // where NaN goes
  std::uint8_t unused[3];

  // A set has fewer words, so that the first category behind them is exact in float32.
  static constexpr std::int32_t kMostWords = 1 << 24;

  bool is_leaf() const { return feature < 0; }
};

static_assert(sizeof(Node) == 32, "Node must match the numpy record NODE");

}  // namespace mddag
