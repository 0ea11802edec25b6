// Haar features straight to byte codes: bins of equal width within mean +- 3.5 deviations of the
// column, the outer two open to the sides. A larger value never has a smaller code. There are as
// many columns of values at a time as threads. Twin: tests/reference/scan.py.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "haar/columns.hpp"
#include "internal/parallel.hpp"
#include "internal/span.hpp"

namespace mddag {

struct EqualBins {
  static constexpr double kDeviations = 3.5;
  float low;
  float per_width;  // 0 for a constant column: one bin takes all

  static EqualBins of(const float* values, std::size_t n, std::size_t n_bins) {
    constexpr std::size_t kLanes = 8;  // sums that do not wait for each other
    double sum[kLanes] = {}, squares[kLanes] = {};
    std::size_t i = 0;
    for (; i + kLanes <= n; i += kLanes)
      for (std::size_t k = 0; k < kLanes; ++k) {
        const double x = values[i + k];
        sum[k] += x;
        squares[k] += x * x;
      }
    for (; i < n; ++i) {
      const double x = values[i];
      sum[0] += x;
      squares[0] += x * x;
    }
    for (std::size_t k = 1; k < kLanes; ++k) {
      sum[0] += sum[k];
      squares[0] += squares[k];
    }
    const double count = static_cast<double>(n), mean = sum[0] / count;
    const double deviation = std::sqrt(std::max(squares[0] / count - mean * mean, 0.0));
    const double width = 2 * kDeviations * deviation / static_cast<double>(n_bins);
    const bool constant = width < 1e-9;
    return {static_cast<float>(mean - kDeviations * deviation),
            constant ? 0.0f : static_cast<float>(1.0 / width)};
  }

  std::uint8_t code(float value, float last) const {
    const float bin = std::min(std::max((value - low) * per_width, 0.0f), last);
    return static_cast<std::uint8_t>(static_cast<std::int32_t>(bin));
  }
};

// codes : (m, n), each below n_bins, which is from 2 to 256
inline void haar_codes(const PatchCells& patches, Span<const HaarFeature> features,
                       std::size_t n_bins, std::uint8_t* codes, int n_threads) {
  constexpr std::size_t kBlock = 64;  // features that follow each other read the same cells
  const auto last = static_cast<float>(n_bins - 1);
  parallel_for((features.size + kBlock - 1) / kBlock, n_threads, [&](std::size_t block) {
    std::vector<float> values(patches.n);
    const std::size_t end = std::min(features.size, (block + 1) * kBlock);
    for (std::size_t f = block * kBlock; f < end; ++f) {
      column(patches, placed(features[f], patches.window), values.data());
      const EqualBins bins = EqualBins::of(values.data(), patches.n, n_bins);
      std::uint8_t* out = codes + f * patches.n;
      for (std::size_t i = 0; i < patches.n; ++i) out[i] = bins.code(values[i], last);
    }
  });
}

}  // namespace mddag
