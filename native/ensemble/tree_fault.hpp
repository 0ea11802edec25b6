// Whether records are a tree that the kernels may walk: they follow children, leaf codes and
// category sets without checks. Twin: tests/reference/trees.py.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "ensemble/node.hpp"
#include "internal/span.hpp"

namespace mddag {

enum class Fault : int {
  none,
  child,      // not behind its parent, or outside of the tree
  shared,     // a child that another node has already
  set,        // a category set outside of the tree's words, or too long
  code,       // a leaf code outside of the votes, or that another leaf has already
  votes,      // of leaf codes that no leaf has
  orphan,     // a node that no other leads to, and that is not the root
  threshold,  // NaN
};

struct Found {
  Fault fault;
  std::size_t node;
};

class TreeCheck {
 public:
  TreeCheck(Span<const Node> nodes, std::size_t n_leaves, std::size_t n_words)
      : nodes_(nodes), n_words_(n_words), has_parent_(nodes.size), is_voted_(n_leaves) {}

  // The first node that is wrong, and how.
  Found first() {
    std::size_t n_codes = 0;
    for (std::size_t i = 0; i < nodes_.size; ++i) {
      const Fault fault = of_node(i);
      if (fault != Fault::none) return {fault, i};
      n_codes += nodes_[i].is_leaf();
    }
    return {n_codes < is_voted_.size() ? Fault::votes : Fault::none, nodes_.size};
  }

 private:
  Fault of_node(std::size_t i) {
    if (i > 0 && has_parent_[i] == 0) return Fault::orphan;  // parents stand before their children
    if (std::isnan(nodes_[i].threshold)) return Fault::threshold;
    return nodes_[i].is_leaf() ? leaf(nodes_[i]) : split(nodes_[i], i);
  }

  Fault split(const Node& node, std::size_t i) {
    for (const std::int32_t child : {node.left, node.right}) {
      const auto at = static_cast<std::size_t>(child);
      if (child < 0 || at <= i || at >= nodes_.size) return Fault::child;
      if (!mark(has_parent_, at)) return Fault::shared;
    }
    if (node.n_words == 0) return Fault::none;
    const bool inside =
        node.n_words > 0 && node.n_words < Node::kMostWords && node.word >= 0 &&
        static_cast<std::size_t>(node.word) + static_cast<std::size_t>(node.n_words) <= n_words_;
    return inside ? Fault::none : Fault::set;
  }

  Fault leaf(const Node& node) {
    const auto code = static_cast<std::size_t>(node.left);
    const bool fits = node.left >= 0 && code < is_voted_.size();
    return fits && mark(is_voted_, code) ? Fault::none : Fault::code;
  }

  static bool mark(std::vector<std::uint8_t>& marks, std::size_t at) { return marks[at]++ == 0; }

  Span<const Node> nodes_;
  std::size_t n_words_;
  std::vector<std::uint8_t> has_parent_, is_voted_;
};

}  // namespace mddag
