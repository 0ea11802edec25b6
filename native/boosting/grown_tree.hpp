// A grown tree as it crosses to Python: records, votes ±1, category sets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "boosting/grow.hpp"
#include "ensemble/node.hpp"

namespace mddag {

inline double sign(std::int64_t sum) { return sum < 0 ? -1.0 : 1.0; }

// Where the tree is written; every array is long enough for the wanted number of leaves.
struct GrownTree {
  Node* nodes;           // thresholds are left to the caller, which has the cuts
  std::int32_t* cuts;    // by node
  double* votes;         // (n_leaves, n_classes)
  std::uint32_t* words;  // the sets of nominal splits, one behind the other
  std::size_t n_classes;
  std::size_t n_nodes = 0;
  std::size_t n_words = 0;

  void write_split(const GrownNode& node) {
    const Split& split = node.split;
    const auto length = static_cast<std::int32_t>(split.set.size());
    cuts[n_nodes] = split.cut;
    nodes[n_nodes++] = {0.0,
                        split.feature,
                        node.left,
                        node.right,
                        length > 0 ? static_cast<std::int32_t>(n_words) : 0,
                        length,
                        split.missing_left,
                        {}};
    for (std::uint32_t word : split.set) words[n_words++] = word;
  }

  void write_leaf(std::int32_t code) {
    cuts[n_nodes] = 0;
    nodes[n_nodes++] = {0.0, -1, code, -1, 0, 0, 0, {}};
  }
};

// Each leaf votes for the sign of its own sums.
inline void write_free(const std::vector<GrownNode>& grown, GrownTree& tree) {
  std::int32_t n_leaves = 0;
  for (const GrownNode& node : grown) {
    if (node.left >= 0) {
      tree.write_split(node);
      continue;
    }
    for (std::size_t k = 0; k < tree.n_classes; ++k)
      tree.votes[static_cast<std::size_t>(n_leaves) * tree.n_classes + k] = sign(node.total[k]);
    tree.write_leaf(n_leaves++);
  }
}

// A stump votes v phi(x), with phi = +1 above the cut, or inside the set of categories.
inline void write_opposite(const std::vector<GrownNode>& grown, GrownTree& tree) {
  write_free(grown, tree);
  if (grown.size() == 1) return;
  const Split& split = grown[0].split;
  for (std::size_t k = 0; k < tree.n_classes; ++k) {
    const std::int64_t edge = grown[0].total[k] - 2 * split.left[k];
    const double right = split.set.empty() ? sign(edge) : -sign(-edge);
    tree.votes[k] = -right;
    tree.votes[tree.n_classes + k] = right;
  }
}

// Learns the tree; false, with nothing written, where the weights are not what they must be.
// targets, weights : (n_rows, n_classes)
template <class Code>
bool grow(const Columns<Code>& columns, const std::int8_t* targets, const double* weights,
          std::size_t n_leaves, bool opposite, int n_threads, GrownTree& tree) {
  SignedWeights q(targets, weights, columns.n_rows, tree.n_classes, n_threads);
  if (!q.valid) return false;
  if (opposite)
    write_opposite(Grower<Code, OppositeVotes>(columns, q, n_leaves, n_threads).grow(), tree);
  else
    write_free(Grower<Code, FreeVotes>(columns, q, n_leaves, n_threads).grow(), tree);
  return true;
}

}  // namespace mddag
