// Forest: an ensemble made ready to be evaluated on many rows at once. It owns all that it needs.
//
//   sums[i, k] = bias[k] + sum over the trees t that vote for k of votes_t[leaf of row i]
//
// in integers, so that neither the order of trees nor the size of blocks nor the number of threads
// changes a bit. Twin: tests/reference/forest.py.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "mddag/engine/aligned.hpp"
#include "mddag/engine/choice.hpp"
#include "mddag/engine/flat_forest.hpp"
#include "mddag/engine/kernels.hpp"
#include "mddag/engine/plan_of_all.hpp"
#include "mddag/engine/quantiser.hpp"
#include "mddag/engine/rank_loader.hpp"
#include "mddag/engine/row_blocks.hpp"
#include "mddag/engine/shapes.hpp"
#include "mddag/span.hpp"

namespace mddag::engine {

constexpr std::size_t kBlockRows = 512;  // rows whose ranks stay in the nearest caches
constexpr std::size_t kStride = kBlockRows + 64;  // no power of two

// Working memory of one thread.
struct Workspace {
  Workspace(std::size_t n_columns, std::size_t n_scores, std::size_t n_lanes)
      : stride(n_lanes), ranks((n_columns + 1) * n_lanes), sums(n_scores * n_lanes),
        slots((kMostLeaves + kResultSlots) * kSlot) {
    for (std::size_t l = 0; l < kMostLeaves; ++l)
      std::fill_n(slots.data() + l * kSlot, kSlot, static_cast<std::uint8_t>(l));
  }

  Lanes lanes(std::size_t n_rows, const std::uint8_t* leaf_tables) {
    return {ranks.data(), sums.data(), stride, padded(n_rows), slots.data(), leaf_tables};
  }

  std::size_t stride;
  Aligned<std::int8_t> ranks;
  Aligned<std::int32_t> sums;
  Aligned<std::uint8_t> slots;
};

class Forest {
 public:
  // order: base classifiers as a policy takes them; rounds groups trees into base classifiers.
  Forest(const Trees& trees, Span<const std::int32_t> values, Span<const std::int64_t> starts,
         Span<const std::int32_t> score, Span<const std::int64_t> rounds,
         Span<const std::int32_t> bias, double unit, Span<const std::int64_t> order, bool portable)
      : kernels_(choose_kernels(portable)),
        bias_(owned(bias)),
        unit_(unit),
        flat_(trees, values, starts, score, bias.size),
        quantiser_(flat_.splits()),
        all_(flat_, quantiser_, kStride),
        leaf_tables_(leaf_tables()) {
    (void)rounds;
    (void)order;
  }

  const char* kernels() const { return kernels_.name; }
  std::size_t n_scores() const { return bias_.size(); }

  // out : (n_rows, n_scores), int32 sums or float64 scores.
  template <class T, class Out>
  void scores(const Rows<T>& rows, Out* out, int n_threads) const {
    const std::vector<std::size_t> features = all_features();
    for_blocks_of_rows(rows.n_rows, kBlockRows, n_threads, [&](auto blocks) {
      Workspace work(quantiser_.n_columns(), n_scores(), kStride);
      RankLoader<T> loader(quantiser_, kernels_, rows, kStride);
      blocks([&](std::size_t first, std::size_t n) {
        loader.load(features, first, n, work.ranks.data());
        for (std::size_t k = 0; k < n_scores(); ++k)
          std::fill_n(work.sums.data() + k * kStride, n, bias_[k]);
        all_.evaluate(kernels_, work.lanes(n, leaf_tables_.data()), [&](std::size_t t) {
          flat_.walk(t, rows, n, [&](std::size_t i) { return first + i; }, work.sums.data(),
                     kStride);
        });
        for (std::size_t k = 0; k < n_scores(); ++k)
          for (std::size_t i = 0; i < n; ++i)
            write(work.sums.data()[k * kStride + i], out[(first + i) * n_scores() + k]);
      });
    });
  }

 private:
  void write(std::int32_t sum, std::int32_t& out) const { out = sum; }
  void write(std::int32_t sum, double& out) const { out = sum * unit_; }

  std::vector<std::size_t> all_features() const {
    std::vector<std::size_t> numbers(quantiser_.features().size());
    std::iota(numbers.begin(), numbers.end(), std::size_t{0});
    return numbers;
  }

  static std::vector<std::uint8_t> leaf_tables() {
    std::vector<std::uint8_t> tables;
    for (const Shape shape : kAllShapes)
      for (int answers = 0; answers < 128; ++answers) tables.push_back(leaf_of(shape, answers));
    return tables;
  }

  Kernels kernels_;
  std::vector<std::int32_t> bias_;
  double unit_;
  FlatForest flat_;
  Quantiser quantiser_;
  PlanOfAll all_;
  std::vector<std::uint8_t> leaf_tables_;
};

}  // namespace mddag::engine
