// PlanOfAll: every tree, in the order that is fastest; stumps that share columns become step
// functions.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "blocks/kernels/kernels.hpp"
#include "blocks/plan/flat_forest.hpp"
#include "blocks/plan/step_tables.hpp"
#include "blocks/plan/tree_plan.hpp"
#include "blocks/ranks/quantizer.hpp"

namespace mddag::blocks {

class PlanOfAll {
 public:
  PlanOfAll(const FlatForest& forest, const Quantizer& quantizer, std::size_t column_stride,
            bool has_pairs)
      : stumps_(worth_steps(forest, quantizer)),
        functions_(step_functions(forest, quantizer, stumps_)),
        steps_(functions_.records(column_stride)),
        trees_(forest, quantizer, column_stride, others(forest, stumps_)) {
    trees_.group(has_pairs);
    if (has_pairs) trees_.pair();
  }
  PlanOfAll(const PlanOfAll&) = delete;  // records point into the functions
  PlanOfAll& operator=(const PlanOfAll&) = delete;

  template <class Walk>
  void evaluate(const Kernels& kernels, const Lanes& lanes, const Walk& walk) const {
    kernels.steps(steps_.data(), steps_.size(), lanes);
    trees_.evaluate(0, trees_.size(), kernels, lanes, walk);
  }

 private:
  static bool is_stump(const FlatForest& forest, std::size_t t) {
    return forest.in_ranks(t) && forest.n_leaves(t) == 2;
  }

  static constexpr std::size_t kMostTables = 1 << 16;  // 64 MB

  // The stumps, if they are several times as many as the columns that they read.
  static std::vector<std::size_t> worth_steps(const FlatForest& forest,
                                              const Quantizer& quantizer) {
    std::vector<std::size_t> stumps;
    std::vector<std::uint8_t> read(quantizer.n_columns(), 0);
    for (std::size_t t = 0; t < forest.n_trees(); ++t)
      if (is_stump(forest, t)) {
        stumps.push_back(t);
        read[quantizer.place(forest.nodes(t)[0]).column] = 1;
      }
    const auto n_read = static_cast<std::size_t>(std::count(read.begin(), read.end(), 1));
    const bool worth = 4 * n_read <= stumps.size() && n_read * forest.n_scores() <= kMostTables;
    return worth ? stumps : std::vector<std::size_t>();
  }

  static StepTables step_functions(const FlatForest& forest, const Quantizer& quantizer,
                                   const std::vector<std::size_t>& stumps) {
    StepTables functions;
    for (const std::size_t t : stumps) {
      const Node* nodes = forest.nodes(t);
      const Place place = quantizer.place(nodes[0]);
      const std::size_t n_outputs = forest.n_outputs(t);
      const auto vote = [&](std::int32_t child, std::size_t k) {
        return forest.votes(t)[static_cast<std::size_t>(nodes[child].left) * n_outputs + k];
      };
      for (std::size_t k = 0; k < n_outputs; ++k)
        functions.add(place, static_cast<std::size_t>(forest.first_score(t)) + k,
                      vote(nodes[0].left, k), vote(nodes[0].right, k));
    }
    return functions;
  }

  static std::vector<std::size_t> others(const FlatForest& forest,
                                         const std::vector<std::size_t>& stumps) {
    std::vector<std::size_t> order;
    for (std::size_t t = 0; t < forest.n_trees(); ++t)
      if (!std::binary_search(stumps.begin(), stumps.end(), t)) order.push_back(t);
    return order;
  }

  std::vector<std::size_t> stumps_;
  StepTables functions_;
  std::vector<StepFunction> steps_;
  TreePlan trees_;
};

}  // namespace mddag::blocks
