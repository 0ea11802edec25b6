// PlanOfSteps: the trees in the order of a policy's steps, and when each feature is first read, so
// that features are quantized for the rows that get so far.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "blocks/kernels/kernels.hpp"
#include "blocks/plan/flat_forest.hpp"
#include "blocks/plan/tree_plan.hpp"
#include "blocks/ranks/quantizer.hpp"
#include "internal/span.hpp"

namespace mddag::blocks {

class PlanOfSteps {
 public:
  // Step j evaluates base classifier order[j], trees rounds[order[j]] .. rounds[order[j] + 1].
  PlanOfSteps(const FlatForest& forest, const Quantizer& quantizer, std::size_t column_stride,
              Span<const std::int64_t> rounds, Span<const std::int64_t> order, bool has_pairs)
      : starts_{0} {
    std::vector<std::size_t> trees;
    std::vector<std::size_t> first_step(quantizer.features().size(), order.size);
    for (std::size_t j = 0; j < order.size; ++j) {
      const auto h = static_cast<std::size_t>(order[j]);
      for (auto t = rounds[h]; t < rounds[h + 1]; ++t) {
        const auto tree = static_cast<std::size_t>(t);
        trees.push_back(tree);
        if (!forest.in_ranks(tree)) continue;
        forest.for_splits(tree, [&](const Node& split) {
          std::size_t& first = first_step[quantizer.number_of(split)];
          first = std::min(first, j);
        });
      }
      starts_.push_back(trees.size());
    }
    trees_.emplace_back(forest, quantizer, column_stride, trees);
    if (has_pairs) trees_.front().pair();
    first_read_.resize(order.size);
    for (std::size_t u = 0; u < first_step.size(); ++u)
      if (first_step[u] < order.size) first_read_[first_step[u]].push_back(u);
  }

  std::size_t size() const { return first_read_.size(); }

  // Features (their numbers, ascending) that are first read in steps a .. b.
  std::vector<std::size_t> first_read(std::size_t a, std::size_t b) const {
    std::vector<std::size_t> numbers;
    for (std::size_t j = a; j < b; ++j)
      numbers.insert(numbers.end(), first_read_[j].begin(), first_read_[j].end());
    std::sort(numbers.begin(), numbers.end());
    return numbers;
  }

  template <class Walk>
  void evaluate(std::size_t a, std::size_t b, const Kernels& kernels, const Lanes& lanes,
                const Walk& walk) const {
    trees_.front().evaluate(starts_[a], starts_[b], kernels, lanes, walk);
  }

 private:
  std::vector<std::size_t> starts_;                   // of each step's trees
  std::vector<TreePlan> trees_;                       // one, made when the order of trees is known
  std::vector<std::vector<std::size_t>> first_read_;  // by step
};

}  // namespace mddag::blocks
