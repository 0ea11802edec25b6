// RankLoader: rows of X, of any strides, become columns of rank bytes.
//
// Rows in C order are transposed eight features at a time, columns in F order are read where they
// lie, and anything else is copied value by value. One loader serves one thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "mddag/engine/aligned.hpp"
#include "mddag/engine/kernels.hpp"
#include "mddag/engine/quantiser.hpp"
#include "mddag/span.hpp"

namespace mddag::engine {

inline const RankKernels<float>& rank_kernels(const Kernels& kernels, float) {
  return kernels.float32;
}
inline const RankKernels<double>& rank_kernels(const Kernels& kernels, double) {
  return kernels.float64;
}

inline std::size_t padded(std::size_t n_rows) { return (n_rows + kLanes - 1) / kLanes * kLanes; }

template <class T>
class RankLoader {
 public:
  RankLoader(const Quantiser& quantiser, const Kernels& kernels, const Rows<T>& rows,
             std::size_t column_stride)
      : quantiser_(quantiser),
        kernels_(rank_kernels(kernels, T())),
        rows_(rows),
        column_stride_(column_stride),
        tile_stride_(column_stride + 16),  // no power of two: those share too few cache sets
        tile_(kTile * tile_stride_) {}

  // Features of these numbers, ascending, of rows first .. first + n.
  void load(const std::vector<std::size_t>& numbers, std::size_t first, std::size_t n,
            std::int8_t* ranks) {
    for (std::size_t i = 0; i < n; i += kChunk)
      load_chunk(numbers, first + i, std::min(kChunk, n - i), ranks + i);
  }

  // One feature of rows first + row[0], first + row[1] ...
  void load(std::size_t number, std::size_t first, const std::int32_t* row, std::size_t n,
            std::int8_t* ranks) {
    const std::size_t f = feature(number);
    for (std::size_t i = 0; i < n; ++i) tile_.data()[i] = at(first + static_cast<std::size_t>(row[i]), f);
    rank(number, tile_.data(), n, ranks);
  }

 private:
  static constexpr std::size_t kChunk = 256;  // rows that stay in the second cache while transposed

  void load_chunk(const std::vector<std::size_t>& numbers, std::size_t first, std::size_t n,
                  std::int8_t* ranks) {
    for (std::size_t u = 0; u < numbers.size();) {
      const std::size_t start = tile_start(feature(numbers[u]));
      std::size_t end = u;
      while (end < numbers.size() && feature(numbers[end]) < start + kTile) ++end;
      if (rows_.feature_stride == 1 && rows_.n_features >= kTile && end - u >= 3) {
        kernels_.transpose(&at(first, start), rows_.row_stride, n, tile_.data(), tile_stride_);
        for (; u < end; ++u)
          rank(numbers[u], tile_.data() + (feature(numbers[u]) - start) * tile_stride_, n, ranks);
      } else {
        rank(numbers[u], column(numbers[u], first, n), n, ranks);
        ++u;
      }
    }
  }

  std::size_t feature(std::size_t number) const {
    return static_cast<std::size_t>(quantiser_.features()[number].index());
  }

  std::size_t tile_start(std::size_t f) const {
    return rows_.n_features < kTile ? 0 : std::min(f, rows_.n_features - kTile);
  }

  const T& at(std::size_t i, std::size_t f) const {
    return rows_.data[static_cast<std::ptrdiff_t>(i) * rows_.row_stride +
                      static_cast<std::ptrdiff_t>(f) * rows_.feature_stride];
  }

  // The values of one feature side by side, readable up to a whole number of vectors.
  const T* column(std::size_t number, std::size_t first, std::size_t n) {
    const std::size_t f = feature(number);
    if (rows_.row_stride == 1 && n % kLanes == 0) return &at(first, f);
    for (std::size_t i = 0; i < n; ++i) tile_.data()[i] = at(first + i, f);
    return tile_.data();
  }

  void rank(std::size_t number, const T* values, std::size_t n, std::int8_t* ranks) const {
    const QuantisedFeature& feature = quantiser_.features()[number];
    kernels_.ranks(feature.grid(T()), feature.columns().data(), feature.columns().size(), values,
                   padded(n), ranks + quantiser_.first_column(number) * column_stride_,
                   column_stride_);
  }

  const Quantiser& quantiser_;
  const RankKernels<T>& kernels_;
  const Rows<T> rows_;
  const std::size_t column_stride_, tile_stride_;
  Aligned<T> tile_;
};

}  // namespace mddag::engine
