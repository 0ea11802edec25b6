// All stumps of an ensemble as one step function per column: f(x) = bias + sum over columns of
// step[rank of x_c among the column's thresholds]. Twin: tests/reference/trees.py.
//
// Sums of integers do not depend on the order, so this is the walk's answer to the last bit, in
// time that grows with the columns and no more with the stumps.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "internal/cuts.hpp"
#include "walk/walk_source.hpp"

namespace mddag {

class StepFunctions {
 public:
  // Null unless every tree is a stump of a numeric split, or a leaf.
  static std::unique_ptr<StepFunctions> of(const WalkSource& source) {
    const auto sorts = [](const Node& n) {
      return n.is_leaf() || (n.n_words == 0 && !std::isnan(n.threshold));
    };
    if (!std::all_of(source.nodes.begin(), source.nodes.end(), sorts)) return nullptr;
    for (std::size_t t = 0; t < source.score.size(); ++t)
      if (source.starts[t + 1] - source.starts[t] > 3) return nullptr;
    return std::unique_ptr<StepFunctions>(new StepFunctions(source));
  }

  StepFunctions(const StepFunctions&) = delete;  // cuts point into the thresholds

  // f (K,) = the sum of everything, the bias included.
  template <class T>
  void sums(const T* x, std::int32_t* f) const {
    std::copy(constant_.begin(), constant_.end(), f);
    for (const Column& column : columns_) {
      const auto value = static_cast<double>(x[column.feature]);
      const std::size_t rank =
          value != value ? column.thresholds.size() + 1 : column.cuts.below(value);
      const std::int32_t* step = column.steps.data() + rank * constant_.size();
      for (std::size_t k = 0; k < constant_.size(); ++k) f[k] += step[k];
    }
  }

 private:
  struct Column {
    std::size_t feature;
    std::vector<double> thresholds;   // not decreasing
    std::vector<std::int32_t> steps;  // (n_thresholds + 2, K): by rank, then for a missing value
    Cuts cuts;
  };

  explicit StepFunctions(const WalkSource& source) : constant_(source.bias) {
    std::map<std::int32_t, std::vector<std::size_t>> stumps;  // by feature: most may be unused
    for (std::size_t t = 0; t < source.score.size(); ++t) {
      const Node& root = source.nodes[static_cast<std::size_t>(source.starts[t])];
      if (root.is_leaf())
        add(source, t, root, 1, constant_.data());
      else
        stumps[root.feature].push_back(t);
    }
    for (auto& [feature, trees] : stumps)
      columns_.push_back(column(source, static_cast<std::size_t>(feature), trees));
  }

  static Column column(const WalkSource& source, std::size_t feature,
                       std::vector<std::size_t>& stumps) {
    const auto root = [&](std::size_t t) {
      return &source.nodes[static_cast<std::size_t>(source.starts[t])];
    };
    std::sort(stumps.begin(), stumps.end(), [&](std::size_t a, std::size_t b) {
      return root(a)->threshold < root(b)->threshold;
    });
    const std::size_t n = stumps.size(), K = source.n_scores();
    std::vector<double> thresholds;
    std::vector<std::int32_t> steps((n + 2) * K, 0);
    std::vector<std::int32_t> missing(K, 0);
    for (const std::size_t t : stumps) {
      const Node* node = root(t);
      thresholds.push_back(node->threshold);
      add(source, t, node[node->left], 1, steps.data());
      add(source, t, node[node->missing_left ? node->left : node->right], 1, missing.data());
    }
    for (std::size_t i = 0; i < n; ++i) {  // past its threshold a stump votes right instead of left
      const Node* node = root(stumps[i]);
      std::int32_t* step = std::copy_n(steps.data() + i * K, K, steps.data() + (i + 1) * K) - K;
      add(source, stumps[i], node[node->left], -1, step);
      add(source, stumps[i], node[node->right], 1, step);
    }
    std::copy(missing.begin(), missing.end(), steps.end() - static_cast<std::ptrdiff_t>(K));
    const Cuts cuts(thresholds.data(), n);  // moving a vector leaves its elements where they are
    return {feature, std::move(thresholds), std::move(steps), cuts};
  }

  // Adds the vote of a leaf of tree t, or takes it away.
  static void add(const WalkSource& source, std::size_t t, const Node& leaf, std::int32_t sign,
                  std::int32_t* f) {
    const std::int32_t* votes = source.values.data() + source.table_starts[t];
    const std::size_t K = source.n_scores();
    if (source.score[t] >= 0) {
      f[source.score[t]] += sign * votes[leaf.left];
      return;
    }
    votes += static_cast<std::size_t>(leaf.left) * K;
    for (std::size_t k = 0; k < K; ++k) f[k] += sign * votes[k];
  }

  std::vector<std::int32_t> constant_;  // the bias and the votes of trees without a split
  std::vector<Column> columns_;
};

}  // namespace mddag
