// TreePlan: the trees of an ensemble in an order, each as the record of the fastest kernel for it.
//
//   up to 8 leaves, one score     SmallTree
//   up to 256 leaves              LargeTree
//   anything else                 walked row by row: more leaves, thresholds or categories
//
// Votes are integers, so the order of kernels never changes a sum.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

#include "blocks/kernels/kernels.hpp"
#include "blocks/plan/flat_forest.hpp"
#include "blocks/plan/large_tree.hpp"
#include "blocks/plan/pair_votes.hpp"
#include "blocks/plan/small_tree.hpp"
#include "blocks/plan/splits.hpp"
#include "blocks/ranks/quantizer.hpp"

namespace mddag::blocks {

class TreePlan {
 public:
  // The trees `order` of a forest, in that order.
  TreePlan(const FlatForest& forest, const Quantizer& quantizer, std::size_t column_stride,
           const std::vector<std::size_t>& order) {
    SplitsBuilder splits(quantizer, column_stride);
    LargeTreeBuilder large(splits);
    for (const std::size_t t : order) {
      if (!forest.in_ranks(t)) {
        add(Kind::walked, walked_, t);
      } else if (forest.n_leaves(t) <= 8 && forest.n_outputs(t) == 1) {
        add(Kind::small, small_,
            small_tree(splits, forest.nodes(t), forest.votes(t), forest.first_score(t)));
      } else {
        add(Kind::large, large_,
            large.build(forest.nodes(t), forest.n_nodes(t), forest.votes(t), forest.n_leaves(t),
                        forest.n_outputs(t), forest.first_score(t)));
      }
    }
    memory_ = large.take_memory();
  }

  std::size_t size() const { return items_.size(); }

  // For plans that evaluate all trees, in any order: kernel by kernel and shape by shape, so that
  // code and branches are still cached from the tree before; for pairs, large votes at the end.
  void group(bool has_pairs) {
    const auto key = [&](const SmallTree& tree) {
      return std::tuple(tree.score, has_pairs && is_wide(tree), tree.splits.shape);
    };
    std::stable_sort(small_.begin(), small_.end(),
                     [&](const SmallTree& a, const SmallTree& b) { return key(a) < key(b); });
    std::stable_sort(items_.begin(), items_.end(), [](Item a, Item b) { return a.kind < b.kind; });
  }

  // For kernels that evaluate pairs; once all trees are in their places.
  void pair() { pairs_ = pair_votes(small_); }

  // Adds the votes of trees a .. b of this order; walk(t) is called for those without a kernel.
  template <class Walk>
  void evaluate(std::size_t a, std::size_t b, const Kernels& kernels, const Lanes& lanes,
                const Walk& walk) const {
    while (a < b) {
      std::size_t end = a + 1;
      while (end < b && items_[end].kind == items_[a].kind) ++end;
      const std::size_t place = items_[a].place, n = end - a;
      switch (items_[a].kind) {
        case Kind::small:
          kernels.small_trees({small_.data(), pairs_.data()}, place, n, lanes);
          break;
        case Kind::large:
          kernels.large_trees(large_.data() + place, n, lanes);
          break;
        case Kind::walked:
          for (std::size_t w = place; w < place + n; ++w) walk(walked_[w]);
          break;
      }
      a = end;
    }
  }

 private:
  enum class Kind : std::uint8_t { small, large, walked };
  struct Item {
    Kind kind;
    std::uint32_t place;  // among its kind; trees of a kind stand in the order of the plan
  };

  template <class Record>
  void add(Kind kind, std::vector<Record>& records, Record record) {
    items_.push_back({kind, static_cast<std::uint32_t>(records.size())});
    records.push_back(record);
  }

  std::vector<Item> items_;
  std::vector<SmallTree> small_;
  std::vector<PairVotes> pairs_;
  std::vector<LargeTree> large_;
  std::vector<std::size_t> walked_;
  LargeTreeBuilder::Memory memory_;
};

}  // namespace mddag::blocks
