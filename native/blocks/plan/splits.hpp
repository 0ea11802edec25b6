// Splits: the upper end of a subtree, as far down as its exits, of which there are at most eight.
// Padded to two, four or eight exits by splitting exits into equal halves, so that few shapes are
// enough.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "blocks/kernels/kernels.hpp"
#include "blocks/kernels/shapes.hpp"
#include "blocks/ranks/quantizer.hpp"
#include "ensemble/node.hpp"

namespace mddag::blocks {

constexpr std::size_t padded_exits(std::size_t n) { return n <= 2 ? 2 : n <= 4 ? 4 : 8; }

inline std::uint32_t number_of(Shape shape) {
  const auto* begin = kAllShapes.data();
  const auto* end = begin + kShapes;
  const auto* found = std::lower_bound(begin, end, shape, [](Shape a, Shape b) {
    return a.n_leaves != b.n_leaves ? a.n_leaves < b.n_leaves : a.word < b.word;
  });
  return static_cast<std::uint32_t>(found - begin);
}

class SplitsBuilder {
 public:
  // Their nodes, from left to right; the last one fills what is left.
  using Exits = std::array<std::int32_t, 8>;

  SplitsBuilder(const Quantizer& quantizer, std::size_t column_stride)
      : quantizer_(quantizer), column_stride_(column_stride) {}

  // The splits of a tree from the root on, down to where is_exit(node).
  template <class IsExit>
  Splits build(const Node* nodes, std::int32_t root, const IsExit& is_exit) {
    splits_ = {};
    std::fill(splits_.threshold, splits_.threshold + 7, std::int8_t{-128});
    exits_ = {};
    n_splits_ = n_exits_ = 0;
    word_ = 0;
    const std::size_t n_exits = count(nodes, root, root, is_exit);
    const std::size_t n_padded = padded_exits(n_exits);
    n_missing_ = n_padded - n_exits;
    add(nodes, root, root, is_exit);
    std::fill(exits_.begin() + n_exits_, exits_.end(), exits_[n_exits_ - 1]);
    splits_.shape =
        number_of({static_cast<std::uint16_t>(word_), static_cast<std::uint16_t>(n_padded)});
    return splits_;
  }

  LevelSplit level(const Node& node) const {
    const Place place = quantizer_.place(node);
    return {static_cast<std::uint32_t>(place.column * column_stride_), place.threshold};
  }

  // Of what was built last.
  const Exits& exits() const { return exits_; }

 private:
  template <class IsExit>
  static std::size_t count(const Node* nodes, std::int32_t root, std::int32_t at,
                           const IsExit& is_exit) {
    if (nodes[at].is_leaf() || (at != root && is_exit(at))) return 1;
    return count(nodes, root, nodes[at].left, is_exit) +
           count(nodes, root, nodes[at].right, is_exit);
  }

  template <class IsExit>
  void add(const Node* nodes, std::int32_t root, std::int32_t at, const IsExit& is_exit) {
    const Node& node = nodes[at];
    if (node.is_leaf() || (at != root && is_exit(at))) {
      add_exit(at);
      return;
    }
    const Place place = quantizer_.place(node);
    splits_.column[n_splits_] = static_cast<std::uint32_t>(place.column * column_stride_);
    splits_.threshold[n_splits_] = place.threshold;
    add_split();
    add(nodes, root, node.left, is_exit);
    add(nodes, root, node.right, is_exit);
  }

  void add_exit(std::int32_t at) {
    if (n_missing_ > 0) {  // halves of halves: the left one is split again
      --n_missing_;
      add_split();
      add_exit(at);
      add_exit(at);
      return;
    }
    word_ <<= 1;
    exits_[n_exits_++] = at;
  }

  void add_split() {
    ++n_splits_;
    word_ = word_ << 1 | 1;
  }

  const Quantizer& quantizer_;
  const std::size_t column_stride_;
  Splits splits_{};
  Exits exits_{};
  std::size_t n_splits_ = 0, n_exits_ = 0, n_missing_ = 0;
  unsigned word_ = 0;
};

}  // namespace mddag::blocks
