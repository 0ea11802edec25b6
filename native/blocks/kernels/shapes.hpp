// The ordered shapes of trees with two, four or eight leaves (1 + 5 + 429), numbered.
//
// A shape is a word of bits in pre-order, 1 for a split and 0 for a leaf, the root's the highest of
// 2 n_leaves - 1 bits. As a number it is a compile-time constant, so that a kernel can be made for
// each: the selects of a tree then need no table and no jump.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace mddag::blocks {

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

// Shapes in ascending order. Words grow bit by bit and only where a tree can still come of them:
// to try all 2^15 words of eight leaves takes more steps than Clang allows a constant by default.
struct ShapeList {
  std::array<Shape, kShapes> shapes{};
  std::size_t n = 0;

  constexpr void add_all(std::uint16_t n_leaves) { add({0, n_leaves}, 1, 2 * n_leaves - 1); }

 private:
  // Adds all ends of a word that has begun: `n_open` subtrees are to come in `n_bits` bits.
  constexpr void add(Shape begun, int n_open, int n_bits) {
    if (n_bits == 0) {
      shapes[n++] = begun;
      return;
    }
    const auto with_leaf = static_cast<std::uint16_t>(begun.word << 1);
    const auto with_split = static_cast<std::uint16_t>(with_leaf | 1);
    const bool is_last = n_bits == 1;
    if (n_open > 1 || is_last) add({with_leaf, begun.n_leaves}, n_open - 1, n_bits - 1);
    if (n_open < n_bits) add({with_split, begun.n_leaves}, n_open + 1, n_bits - 1);
  }
};

constexpr std::array<Shape, kShapes> all_shapes() {
  ShapeList list;
  for (std::uint16_t n_leaves : {2, 4, 8}) list.add_all(n_leaves);
  return list.shapes;
}

constexpr std::array<Shape, kShapes> kAllShapes = all_shapes();

constexpr bool is_tree(Shape shape) {
  int n_open = 1;
  for (int at = 0; at < shape.n_bits(); ++at) {
    if (n_open == 0) return false;
    n_open += shape.is_split(at) ? 1 : -1;
  }
  return n_open == 0;
}

// Whether all are trees, by ascending number of leaves and word, each once. No other list of
// kShapes trees is, so this says which shapes there are and in which order.
constexpr bool are_all_in_order(const std::array<Shape, kShapes>& shapes) {
  std::uint32_t before = 0;
  for (std::size_t s = 0; s < kShapes; ++s) {
    const std::uint32_t now = std::uint32_t{shapes[s].n_leaves} << 16 | shapes[s].word;
    if (!is_tree(shapes[s]) || now <= before) return false;
    before = now;
  }
  return true;
}
static_assert(are_all_in_order(kAllShapes));

// Answers of the first 7 splits as bits, the first the lowest, 1 for left -> leaf.
using LeafTable = std::array<std::uint8_t, 128>;

constexpr std::uint8_t leaf_of(Shape shape, int answers) {
  int at = 0;
  while (shape.is_split(at))
    at = (answers >> shape.splits_before(at)) & 1 ? at + 1 : shape.end(at + 1);
  return static_cast<std::uint8_t>(at - shape.splits_before(at));
}

}  // namespace mddag::blocks
