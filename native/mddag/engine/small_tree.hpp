// Trees of at most eight leaves as SmallTree records: padded to two, four or eight leaves by
// splitting leaves into equal halves, so that few shapes are enough.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "mddag/engine/kernels.hpp"
#include "mddag/engine/quantiser.hpp"
#include "mddag/engine/shapes.hpp"
#include "mddag/node.hpp"

namespace mddag::engine {

inline std::uint32_t number_of(Shape shape) {
  const auto* begin = kAllShapes.data();
  const auto* end = begin + kShapes;
  const auto* found = std::lower_bound(begin, end, shape, [](Shape a, Shape b) {
    return a.n_leaves != b.n_leaves ? a.n_leaves < b.n_leaves : a.word < b.word;
  });
  return static_cast<std::uint32_t>(found - begin);
}

class SmallTreeBuilder {
 public:
  SmallTreeBuilder(const Quantiser& quantiser, std::size_t column_stride)
      : quantiser_(quantiser), column_stride_(column_stride) {}

  // nodes: one tree of n_leaves <= 8; votes by leaf code.
  SmallTree build(const Node* nodes, const std::int32_t* votes, std::size_t n_leaves,
                  std::int32_t score) {
    tree_ = {};
    nodes_ = nodes;
    votes_ = votes;
    n_splits_ = n_leaves_ = 0;
    word_ = 0;
    const std::size_t padded = n_leaves <= 2 ? 2 : n_leaves <= 4 ? 4 : 8;
    n_missing_ = padded - n_leaves;
    std::fill(tree_.threshold, tree_.threshold + 7, std::int8_t{-128});
    add(0);
    tree_.shape =
        number_of({static_cast<std::uint16_t>(word_), static_cast<std::uint16_t>(padded)});
    tree_.score = static_cast<std::uint32_t>(score);
    return tree_;
  }

 private:
  void add(std::int32_t at) {
    const Node& node = nodes_[at];
    if (node.is_leaf()) {
      add_leaf(votes_[node.left]);
      return;
    }
    const Place place = quantiser_.place(node);
    tree_.column[n_splits_] = static_cast<std::uint32_t>(place.column * column_stride_);
    tree_.threshold[n_splits_] = place.threshold;
    add_split();
    add(node.left);
    add(node.right);
  }

  void add_leaf(std::int32_t vote) {
    if (n_missing_ > 0) {  // halves of halves: the left one is split again
      --n_missing_;
      add_split();
      add_leaf(vote);
      add_leaf(vote);
      return;
    }
    word_ <<= 1;
    tree_.votes[n_leaves_++] = vote;
  }

  void add_split() {
    ++n_splits_;
    word_ = word_ << 1 | 1;
  }

  const Quantiser& quantiser_;
  const std::size_t column_stride_;
  SmallTree tree_{};
  const Node* nodes_ = nullptr;
  const std::int32_t* votes_ = nullptr;
  std::size_t n_splits_ = 0, n_leaves_ = 0, n_missing_ = 0;
  unsigned word_ = 0;
};

}  // namespace mddag::engine
