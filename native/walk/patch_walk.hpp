// The row walk over patches: a column is a Haar feature of the patch, computed when a split reads
// it. A patch that quits early has cost its integral image and the few rectangles of its path.
//
// Sums are those of Walk on the values of all features, bit by bit: the same integers, the same
// jump table, and values that are the same float32 numbers (haar/values.hpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "ensemble/table_fault.hpp"
#include "haar/feature.hpp"
#include "haar/values.hpp"
#include "internal/parallel.hpp"
#include "walk/jumps.hpp"
#include "walk/paths.hpp"
#include "walk/state.hpp"
#include "walk/walk_source.hpp"
#include "walk/walked_trees.hpp"

namespace mddag {

// One patch as a row whose values are computed when they are read.
struct LazyRow {
  const PatchIntegral& patch;
  const std::vector<PlacedFeature>& features;

  float operator[](std::size_t column) const { return patch.value(features[column]); }
};

class PatchWalk {
 public:
  // Sources and jumps as in Walk; one feature for each column.
  PatchWalk(WalkSource&& source, double unit, Jumps<SumState>&& jumps,
            Span<const HaarFeature> features, const Window& window)
      : source_(std::move(source)),
        unit_(unit),
        jumps_(std::move(jumps)),
        trees_(source_, Form::tree),
        features_(placed(features, window.width + 1)),
        window_(window) {
    for (const Node& node : source_.nodes)
      if (!node.is_leaf() && static_cast<std::size_t>(node.feature) >= features.size)
        refuse("a tree splits a column without a feature");
  }

  PatchWalk(const PatchWalk&) = delete;  // trees refer to the source

  std::size_t n_scores() const { return source_.n_scores(); }
  std::size_t n_classifiers() const { return source_.rounds.size() - 1; }
  const Window& window() const { return window_; }

  // scores : (n, K)
  void scores(const Patches& patches, double* scores, int n_threads) const {
    follow(patches, scores, n_threads, [](std::size_t, std::size_t) {});
  }

  // exit_step : (n,), one more than the last step that evaluates; it holds zeros on entry.
  void exits(const Patches& patches, double* scores, std::int32_t* exit_step, int n_threads) const {
    follow(patches, scores, n_threads,
           [&](std::size_t i, std::size_t j) { exit_step[i] = static_cast<std::int32_t>(j) + 1; });
  }

  // The same, with the paths. costs : (N,), of the base classifiers of the source; cost : (n,), it
  // holds zeros on entry.
  Paths run(const Patches& patches, const double* costs, double* scores, std::int32_t* exit_step,
            double* cost, int n_threads) const {
    std::vector<std::vector<std::int32_t>> indices(n_blocks(patches));
    std::vector<std::int32_t> n_evaluated(patches.n, 0);
    follow(patches, scores, n_threads, [&](std::size_t i, std::size_t j) {
      const std::int64_t h = source_.order[j];
      ++n_evaluated[i];
      exit_step[i] = static_cast<std::int32_t>(j) + 1;
      cost[i] += costs[h];
      indices[i / kPathBlock].push_back(static_cast<std::int32_t>(h));  // patches one by one
    });
    return {std::move(n_evaluated), joined(std::move(indices))};
  }

 private:
  static std::size_t n_blocks(const Patches& patches) {
    return (patches.n + kPathBlock - 1) / kPathBlock;
  }

  // Takes patches to their ends; visit(i, j) is called for every evaluation, patch by patch.
  template <class Visit>
  void follow(const Patches& patches, double* scores, int n_threads, const Visit& visit) const {
    parallel_for(n_blocks(patches), n_threads, [&](std::size_t block) {
      PatchIntegral integral(window_);
      const LazyRow row{integral, features_};
      std::vector<std::int32_t> f(n_scores());
      const std::size_t end = std::min(patches.n, (block + 1) * kPathBlock);
      for (std::size_t i = block * kPathBlock; i < end; ++i) {
        integral.load(patches, i);
        f = source_.bias;
        for (std::size_t j = next(0, f.data()); j < source_.n_steps(); j = next(j + 1, f.data())) {
          trees_.add_by_nodes(j, row, f.data());
          visit(i, j);
        }
        for (std::size_t k = 0; k < n_scores(); ++k) scores[i * n_scores() + k] = f[k] * unit_;
      }
    });
  }

  std::size_t next(std::size_t step, const std::int32_t* f) const {
    return static_cast<std::size_t>(jumps_.next(step, f));
  }

  WalkSource source_;
  double unit_;
  Jumps<SumState> jumps_;
  WalkedTrees<float> trees_;
  std::vector<PlacedFeature> features_;
  Window window_;
};

}  // namespace mddag
