// RankLoader: rows of X, of any strides, become columns of rank bytes.
//
// Rows in C order are transposed eight features (a tile) at a time, row after row, so that memory
// is read in its order; columns in F order are read where they lie, and anything else is copied
// value by value. A loader is used by one thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "blocks/kernels/kernels.hpp"
#include "blocks/ranks/prefetch.hpp"
#include "blocks/ranks/quantizer.hpp"
#include "internal/aligned.hpp"
#include "internal/span.hpp"

namespace mddag::blocks {

inline const RankKernels<float>& rank_kernels(const Kernels& kernels, float) {
  return kernels.float32;
}
inline const RankKernels<double>& rank_kernels(const Kernels& kernels, double) {
  return kernels.float64;
}

inline std::size_t padded(std::size_t n_rows, std::size_t lanes = kLanes) {
  return (n_rows + lanes - 1) / lanes * lanes;
}

// How some features are read: tiles, few enough that what they yield stays in the nearest cache,
// and features that are read alone.
struct LoadPlan {
  struct Tiled {
    std::size_t number, place;  // of the feature; of its values among those of the tiles
  };
  struct Group {
    std::vector<std::size_t> tiles;  // first features
    std::vector<Tiled> features;
  };
  std::vector<Group> groups;
  std::vector<std::size_t> alone;
};

template <class T>
class RankLoader {
 public:
  RankLoader(const Quantizer& quantizer, const Kernels& kernels, const Rows<T>& rows,
             std::size_t column_stride)
      : quantizer_(quantizer),
        kernels_(rank_kernels(kernels, T())),
        all_kernels_(kernels),
        rows_(rows),
        column_stride_(column_stride),
        values_(most_tiles(rows) * kTile * kStride, Unset{}) {}

  // Of features by their numbers, ascending.
  LoadPlan plan(const std::vector<std::size_t>& numbers) const {
    LoadPlan plan;
    const bool by_tiles = rows_.feature_stride == 1 && rows_.n_features >= kTile;
    for (std::size_t u = 0; u < numbers.size();) {
      const std::size_t start = std::min(feature(numbers[u]), rows_.n_features - kTile);
      std::size_t end = u;
      while (end < numbers.size() && feature(numbers[end]) < start + kTile) ++end;
      if (by_tiles && end - u >= 3) {  // fewer are read faster one by one
        add_tile(start, numbers.data() + u, numbers.data() + end, plan);
        u = end;
      } else {
        plan.alone.push_back(numbers[u++]);
      }
    }
    return plan;
  }

  // Rows first .. first + n.
  void load(const LoadPlan& plan, std::size_t first, std::size_t n, std::int8_t* ranks) {
    for (std::size_t i = 0; i < n; i += kChunk) {
      const std::size_t n_chunk = std::min(kChunk, n - i);
      Prefetch ahead = rows_ahead(first + i + n_chunk);
      for (const LoadPlan::Group& group : plan.groups) {
        kernels_.transpose(&at(first + i, 0), rows_.row_stride, n_chunk, group.tiles.data(),
                           group.tiles.size(), values_.data(), kStride);
        for (const LoadPlan::Tiled& tiled : group.features) {
          rank(tiled.number,
               {values_.data() + tiled.place * kStride, &at(first + i, feature(tiled.number)),
                rows_.row_stride, n_chunk},
               ranks + i);
          ahead.fetch();
        }
      }
      for (const std::size_t number : plan.alone)
        rank(number, column(number, first + i, n_chunk), ranks + i);
    }
  }

  // Features by their numbers, of rows first + row[0], first + row[1] ...
  void load(const std::vector<std::size_t>& numbers, std::size_t first, const std::int32_t* row,
            std::size_t n, std::int8_t* ranks) {
    if (kRounds && exact_.size() == 0) exact_ = Aligned<T>(values_.size(), Unset{});
    for (std::size_t i = 0; i < n; i += kChunk)
      for (std::size_t u = 0; u < numbers.size(); u += kTiles * kTile) {
        const std::size_t n_chunk = std::min(kChunk, n - i);
        const std::size_t n_here = std::min(kTiles * kTile, numbers.size() - u);
        for (std::size_t c = 0; c < n_chunk; ++c)
          for (std::size_t v = 0; v < n_here; ++v) {
            const T& x = at(first + static_cast<std::size_t>(row[i + c]), feature(numbers[u + v]));
            values_.data()[v * kStride + c] = static_cast<float>(x);
            if constexpr (kRounds) exact_.data()[v * kStride + c] = x;
          }
        for (std::size_t v = 0; v < n_here; ++v)
          rank(numbers[u + v],
               {values_.data() + v * kStride, exact_.data() + v * kStride, 1, n_chunk}, ranks + i);
      }
  }

 private:
  static constexpr bool kRounds = !std::is_same_v<T, float>;
  static constexpr std::size_t kChunk = 256;           // rows that are transposed together
  static constexpr std::size_t kTiles = 8;             // tiles that are
  static constexpr std::size_t kStride = kChunk + 16;  // no power of two

  static std::size_t most_tiles(const Rows<T>& rows) {
    return std::clamp<std::size_t>((rows.n_features + kTile - 1) / kTile, 1, kTiles);
  }

  std::size_t feature(std::size_t number) const {
    return static_cast<std::size_t>(quantizer_.features()[number].index());
  }

  void add_tile(std::size_t start, const std::size_t* number, const std::size_t* end,
                LoadPlan& plan) const {
    if (plan.groups.empty() || plan.groups.back().tiles.size() == kTiles)
      plan.groups.emplace_back();
    LoadPlan::Group& group = plan.groups.back();
    const std::size_t place = group.tiles.size() * kTile;
    group.tiles.push_back(start);
    for (; number != end; ++number)
      group.features.push_back({*number, place + feature(*number) - start});
  }

  // The rows behind a chunk, if they lie one behind the other.
  Prefetch rows_ahead(std::size_t first) const {
    if (rows_.row_stride != static_cast<std::ptrdiff_t>(rows_.n_features)) return {};
    const std::size_t n_ahead = std::min(kChunk, rows_.n_rows - first);
    return {rows_.data + first * rows_.n_features, n_ahead * rows_.n_features * sizeof(T),
            quantizer_.features().size()};
  }

  const T& at(std::size_t i, std::size_t f) const {
    return rows_.data[static_cast<std::ptrdiff_t>(i) * rows_.row_stride +
                      static_cast<std::ptrdiff_t>(f) * rows_.feature_stride];
  }

  // By itself: within its callers there are not enough registers for the loop.
  [[gnu::noinline]] Values<T> column(std::size_t number, std::size_t first, std::size_t n) {
    const T* exact = &at(first, feature(number));
    if constexpr (!kRounds)
      if (rows_.row_stride == 1 && n % kLanes == 0) return {exact, exact, 1, n};
    for (std::size_t i = 0; i < n; ++i)
      values_.data()[i] =
          static_cast<float>(exact[static_cast<std::ptrdiff_t>(i) * rows_.row_stride]);
    return {values_.data(), exact, rows_.row_stride, n};
  }

  void rank(std::size_t number, const Values<T>& values, std::int8_t* ranks) const {
    const QuantizedFeature& feature = quantizer_.features()[number];
    const std::size_t n_columns = feature.columns().size();
    std::int8_t* out = ranks + quantizer_.first_column(number) * column_stride_;
    if (n_columns > 0)
      kernels_.ranks(feature.grid<T>(), feature.columns().data(), n_columns, values, out,
                     column_stride_);
    if (feature.sets().size() > 0)
      feature.sets().template fill<T, kChunk>(all_kernels_, values,
                                              out + n_columns * column_stride_, column_stride_);
  }

  const Quantizer& quantizer_;
  const RankKernels<T>& kernels_;
  const Kernels& all_kernels_;
  const Rows<T> rows_;
  const std::size_t column_stride_;
  Aligned<float> values_;
  Aligned<T> exact_;  // of gathered rows, if values_ are rounded
};

}  // namespace mddag::blocks
