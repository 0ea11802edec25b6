// The ordered shapes of trees with two, four or eight leaves (1 + 5 + 429), numbered.
//
// A shape is a word of bits in pre-order, 1 for a split and 0 for a leaf, the root's the highest of
// 2 n_leaves - 1 bits. As a number it is a compile-time constant, so that a kernel can be made for
// each: the selects of a tree then need no table and no jump.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace mddag::engine {

constexpr std::size_t kShapes = 1 + 5 + 429;

struct Shape {
  std::uint16_t word;
  std::uint16_t n_leaves;

  constexpr int n_bits() const { return 2 * n_leaves - 1; }
  constexpr bool is_split(int at) const { return (word >> (n_bits() - 1 - at)) & 1; }
  // Where the subtree that begins at `at` ends.
  constexpr int end(int at) const {
    for (int open = 1; open > 0; ++at) open += is_split(at) ? 1 : -1;
    return at;
  }
  // How many splits stand before `at`; the others are leaves.
  constexpr int splits_before(int at) const {
    int n = 0;
    for (int i = 0; i < at; ++i) n += is_split(i);
    return n;
  }
};

constexpr bool is_tree(Shape shape) {
  int open = 1;
  for (int at = 0; at < shape.n_bits(); ++at) {
    if (open == 0) return false;
    open += shape.is_split(at) ? 1 : -1;
  }
  return open == 0;
}

constexpr std::array<Shape, kShapes> all_shapes() {
  std::array<Shape, kShapes> shapes{};
  std::size_t n = 0;
  for (int n_leaves = 2; n_leaves <= 8; n_leaves *= 2)
    for (int word = 0; word < 1 << (2 * n_leaves - 1); ++word) {
      const Shape shape{static_cast<std::uint16_t>(word), static_cast<std::uint16_t>(n_leaves)};
      if (is_tree(shape)) shapes[n++] = shape;
    }
  return shapes;
}

constexpr std::array<Shape, kShapes> kAllShapes = all_shapes();

// Answers of the first 7 splits as bits, the first the lowest, 1 for left -> leaf.
using LeafTable = std::array<std::uint8_t, 128>;

constexpr std::uint8_t leaf_of(Shape shape, int answers) {
  int at = 0;
  while (shape.is_split(at))
    at = (answers >> shape.splits_before(at)) & 1 ? at + 1 : shape.end(at + 1);
  return static_cast<std::uint8_t>(at - shape.splits_before(at));
}

}  // namespace mddag::engine
