// FlatForest: trees and their integer votes, owned, and which trees can be evaluated on ranks.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "blocks/kernels/kernels.hpp"
#include "blocks/ranks/quantizer.hpp"
#include "ensemble/node.hpp"
#include "ensemble/trees.hpp"
#include "internal/span.hpp"

namespace mddag::blocks {

template <class T>
std::vector<T> owned(Span<const T> values) {
  return {values.data, values.data + values.size};
}

class FlatForest {
 public:
  // values: int32 votes by leaf code, laid out as Tables.values; score[t] is -1 where tree t votes
  // for all n_scores scores.
  FlatForest(const Trees& trees, Span<const std::int32_t> values, Span<const std::int64_t> starts,
             Span<const std::int32_t> score, std::size_t n_scores)
      : nodes_(owned(trees.nodes)),
        starts_(owned(trees.starts)),
        words_(owned(trees.words)),
        word_starts_(owned(trees.word_starts)),
        values_(owned(values)),
        value_starts_(owned(starts)),
        score_(owned(score)),
        n_scores_(n_scores) {
    count_words_from_the_first();
    for (std::size_t t = 0; t < n_trees(); ++t) in_ranks_.push_back(fits_kernels(t));
    drop_crowded_features();
  }

  std::size_t n_trees() const { return score_.size(); }
  std::size_t n_scores() const { return n_scores_; }
  const Node* nodes(std::size_t t) const { return nodes_.data() + starts_[t]; }
  std::size_t n_nodes(std::size_t t) const {
    return static_cast<std::size_t>(starts_[t + 1] - starts_[t]);
  }
  const std::int32_t* votes(std::size_t t) const { return values_.data() + value_starts_[t]; }
  std::int32_t first_score(std::size_t t) const { return score_[t] < 0 ? 0 : score_[t]; }
  std::size_t n_outputs(std::size_t t) const { return score_[t] < 0 ? n_scores_ : 1; }
  std::size_t n_leaves(std::size_t t) const {
    return static_cast<std::size_t>(value_starts_[t + 1] - value_starts_[t]) / n_outputs(t);
  }
  // Of category sets, in which the nodes of all trees count.
  const std::uint32_t* words() const { return words_.data(); }
  // Whether tree t has few enough leaves, thresholds and categories for the rank kernels.
  bool in_ranks(std::size_t t) const { return in_ranks_[t] != 0; }

  // The splits of the trees that are evaluated on ranks.
  std::vector<const Node*> splits() const {
    std::vector<const Node*> splits;
    for (std::size_t t = 0; t < n_trees(); ++t)
      if (in_ranks(t)) for_splits(t, [&](const Node& node) { splits.push_back(&node); });
    return splits;
  }

  template <class Body>
  void for_splits(std::size_t t, const Body& body) const {
    for (std::size_t i = 0; i < n_nodes(t); ++i)
      if (!nodes(t)[i].is_leaf()) body(nodes(t)[i]);
  }

  // Adds the votes of tree t, walked, on n rows; row(i) is the i-th of them.
  template <class T, class Row>
  void walk(std::size_t t, const Rows<T>& rows, std::size_t n, const Row& row, std::int32_t* sums,
            std::size_t sums_stride) const {
    const Trees trees{{nodes_.data(), nodes_.size()},
                      {starts_.data(), starts_.size()},
                      {words_.data(), words_.size()},
                      {word_starts_.data(), word_starts_.size()}};
    const std::size_t n_out = n_outputs(t);
    std::int32_t* first = sums + static_cast<std::size_t>(first_score(t)) * sums_stride;
    for (std::size_t i = 0; i < n; ++i) {
      const auto leaf = static_cast<std::size_t>(leaf_code(trees, t, rows, row(i)));
      for (std::size_t k = 0; k < n_out; ++k)
        first[k * sums_stride + i] += votes(t)[leaf * n_out + k];
    }
  }

 private:
  bool fits_kernels(std::size_t t) const {
    bool fits = n_leaves(t) <= kMostLeaves;
    for_splits(t, [&](const Node& node) {
      fits &=
          node.n_words > 0 ? node.n_words <= SetColumns::kMostWords : !std::isnan(node.threshold);
    });
    return fits;
  }

  // A node alone then says where its set is.
  void count_words_from_the_first() {
    for (std::size_t t = 0; t < n_trees(); ++t) {
      for (std::int64_t i = starts_[t]; i < starts_[t + 1]; ++i) {
        Node& node = nodes_[static_cast<std::size_t>(i)];
        // without a set the word is any number that a file gives, and the sum may overflow
        if (node.n_words > 0) node.word += static_cast<std::int32_t>(word_starts_[t]);
      }
      word_starts_[t] = 0;
    }
  }

  // Trees that read features with too many thresholds, or too many features, are walked.
  void drop_crowded_features() {
    const std::vector<const Node*> ranked = splits();
    const UsedFeatures used(ranked);
    std::vector<std::vector<double>> thresholds(used.size());
    std::size_t n_columns = 0;
    for (const Node* split : ranked) {
      if (split->n_words > 0)
        ++n_columns;
      else
        thresholds[used.number(*split)].push_back(split->threshold);
    }
    std::vector<std::uint8_t> crowded;
    for (std::vector<double>& of_feature : thresholds) {
      std::sort(of_feature.begin(), of_feature.end());
      const auto n = std::unique(of_feature.begin(), of_feature.end()) - of_feature.begin();
      n_columns += 2 * (static_cast<std::size_t>(n / kMostRanks) + 1);
      crowded.push_back(n > Quantizer::kMostThresholds || n_columns > Quantizer::kMostColumns);
    }
    for (std::size_t t = 0; t < n_trees(); ++t)
      if (in_ranks(t))
        for_splits(t, [&](const Node& node) {
          if (crowded[used.number(node)]) in_ranks_[t] = 0;
        });
  }

  std::vector<Node> nodes_;
  std::vector<std::int64_t> starts_;
  std::vector<std::uint32_t> words_;
  std::vector<std::int64_t> word_starts_;
  std::vector<std::int32_t> values_;
  std::vector<std::int64_t> value_starts_;
  std::vector<std::int32_t> score_;
  std::size_t n_scores_;
  std::vector<std::uint8_t> in_ranks_;
};

}  // namespace mddag::blocks
