// A tree cut into pieces of at most seven splits, so that evaluating all pieces costs least:
//
//   cost(v, 0) = min over k of price(k) + cost(v, k)           a piece of k splits begins at v
//   cost(v, k) = min over a + b = k - 1 of cost(left, a) + cost(right, b)
//
// where k of the splits from v down belong to one piece; leaves cost nothing and have no splits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "ensemble/node.hpp"

namespace mddag::blocks {

class Cut {
 public:
  // Of a tree in which children follow their parents.
  Cut(const Node* nodes, std::size_t n_nodes)
      : nodes_(nodes), costs_(n_nodes), begins_(n_nodes, 0) {
    for (std::size_t v = n_nodes; v-- > 0;) costs_[v] = costs(nodes[v]);
    if (n_nodes > 0) assign(0, 0);
  }

  // Whether a piece begins at a node.
  bool begins(std::int32_t at) const { return begins_[static_cast<std::size_t>(at)] != 0; }

 private:
  static constexpr std::size_t kMostSplits = 7;
  static constexpr int kNever = 1 << 24;
  // By splits, in measured units; two and four to six are padded.
  static constexpr std::array<int, 8> kPrice = {0, 5, 7, 7, 12, 12, 12, 12};

  using Costs = std::array<int, kMostSplits + 1>;

  Costs costs(const Node& node) const {
    Costs costs;
    costs.fill(kNever);
    costs[0] = 0;
    if (node.is_leaf()) return costs;
    for (std::size_t k = 1; k <= kMostSplits; ++k) {
      const std::size_t a = left_share(node, k);
      costs[k] = cost(node.left, a) + cost(node.right, k - 1 - a);
    }
    costs[0] = kPrice[best_size(costs)] + costs[best_size(costs)];
    return costs;
  }

  // How many of k splits from a node down its left subtree has in the best case.
  std::size_t left_share(const Node& node, std::size_t k) const {
    std::size_t best = 0;
    const auto total = [&](std::size_t a) {
      return cost(node.left, a) + cost(node.right, k - 1 - a);
    };
    for (std::size_t a = 1; a < k; ++a)
      if (total(a) < total(best)) best = a;
    return best;
  }

  static std::size_t best_size(const Costs& costs) {
    std::size_t best = 1;
    for (std::size_t k = 2; k <= kMostSplits; ++k)
      if (kPrice[k] + costs[k] < kPrice[best] + costs[best]) best = k;
    return best;
  }

  // Gives k splits from a node down to the piece of its parent.
  void assign(std::int32_t at, std::size_t k) {
    const Node& node = nodes_[at];
    if (node.is_leaf()) return;
    if (k == 0) {
      begins_[static_cast<std::size_t>(at)] = 1;
      k = best_size(costs_[static_cast<std::size_t>(at)]);
    }
    const std::size_t a = left_share(node, k);
    assign(node.left, a);
    assign(node.right, k - 1 - a);
  }

  int cost(std::int32_t at, std::size_t k) const { return costs_[static_cast<std::size_t>(at)][k]; }

  const Node* nodes_;
  std::vector<Costs> costs_;
  std::vector<std::uint8_t> begins_;
};

}  // namespace mddag::blocks
