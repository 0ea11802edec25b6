// Haar features as columns over many patches: the integral images cell by cell, so that one feature
// of all patches is a sum of few long arrays, and is computed with vector instructions.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "haar/feature.hpp"
#include "haar/integral.hpp"
#include "haar/values.hpp"
#include "internal/parallel.hpp"

namespace mddag {

struct PatchCells {
  std::uint32_t* cells;  // ((height + 1) (width + 1), n): each cell of all integral images
  float* scales;         // (n,)
  std::size_t n;
  Window window;

  const std::uint32_t* cell(std::size_t c) const { return cells + c * n; }
};

inline void fill_cells(const Patches& patches, const PatchCells& out, int n_threads) {
  constexpr std::size_t kBlock = 16;  // patches whose cells share a cache line
  const std::size_t n_cells = (out.window.height + 1) * (out.window.width + 1);
  parallel_for((out.n + kBlock - 1) / kBlock, n_threads, [&](std::size_t block) {
    const std::size_t first = block * kBlock, n = std::min(kBlock, out.n - first);
    std::vector<std::uint32_t> sums(n * n_cells);
    for (std::size_t i = 0; i < n; ++i) {
      sums_of(patches.image(first + i), sums.data() + i * n_cells);
      out.scales[first + i] = patch_scale(patches, first + i);
    }
    for (std::size_t c = 0; c < n_cells; ++c)
      for (std::size_t i = 0; i < n; ++i) out.cells[c * out.n + first + i] = sums[i * n_cells + c];
  });
}

// The values of patches first .. first + n - 1, as PlacedFeature::sum and normalized give them.
template <bool kThird>
void column_values(const PatchCells& patches, const PlacedFeature& feature, std::size_t first,
                   std::size_t n, float* out) {
  const std::uint32_t* at[3][4];
  for (std::size_t r = 0; r < 3; ++r)
    for (std::size_t k = 0; k < 4; ++k) at[r][k] = patches.cell(feature.corners[r][k]) + first;
  const auto rectangle = [&](std::size_t r, std::size_t i) {
    return feature.weights[r] * (at[r][0][i] - at[r][1][i] - at[r][2][i] + at[r][3][i]);
  };
  const float* scales = patches.scales + first;
  for (std::size_t i = 0; i < n; ++i) {
    std::uint32_t sum = rectangle(0, i) + rectangle(1, i);
    if (kThird) sum += rectangle(2, i);
    out[i] = normalized(static_cast<std::int32_t>(sum), scales[i]);
  }
}

// out : (n,)
inline void column(const PatchCells& patches, const PlacedFeature& feature, float* out) {
  if (feature.third)
    column_values<true>(patches, feature, 0, patches.n, out);
  else
    column_values<false>(patches, feature, 0, patches.n, out);
}

// The place of the corners among the cells of one patch.
inline PlacedFeature placed(const HaarFeature& feature, const Window& window) {
  return placed(feature, window.width + 1);
}

// out : (m, n)
inline void haar_columns(const PatchCells& patches, Span<const HaarFeature> features, float* out,
                         int n_threads) {
  parallel_for(features.size, n_threads, [&](std::size_t f) {
    column(patches, placed(features[f], patches.window), out + f * patches.n);
  });
}

}  // namespace mddag
