// The values of Haar features on patches: images of exactly one window. Twin:
// tests/reference/scan.py.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "haar/feature.hpp"
#include "haar/integral.hpp"
#include "haar/normalization.hpp"
#include "internal/parallel.hpp"
#include "internal/span.hpp"

namespace mddag {

struct Patches {
  const std::uint8_t* pixels;  // (n, height, width)
  std::size_t n;
  Window window;

  const std::uint8_t* patch(std::size_t i) const { return pixels + i * window.area(); }
  Image image(std::size_t i) const { return {patch(i), window.height, window.width, window.width}; }
};

inline float patch_scale(const Patches& patches, std::size_t i) {
  const std::size_t area = patches.window.area();
  const std::uint8_t* pixels = patches.patch(i);
  std::uint64_t sum = 0, squares = 0;
  for (std::size_t p = 0; p < area; ++p) {
    sum += pixels[p];
    squares += std::uint64_t{pixels[p]} * pixels[p];
  }
  return window_scale(area, sum, squares);
}

// One patch, ready for the values of its features in any order.
class PatchIntegral {
 public:
  explicit PatchIntegral(const Window& window) : cells_((window.height + 1) * (window.width + 1)) {}

  void load(const Patches& patches, std::size_t i) {
    sums_of(patches.image(i), cells_.data());
    scale_ = patch_scale(patches, i);
  }
  float value(const PlacedFeature& feature) const {
    return normalized(feature.sum(cells_.data()), scale_);
  }

 private:
  std::vector<std::uint32_t> cells_;
  float scale_ = 1.0f;
};

// values : (n_patches, n_features)
inline void haar_values(const Patches& patches, Span<const HaarFeature> features, float* values,
                        int n_threads) {
  constexpr std::size_t kBlock = 64;
  const std::vector<PlacedFeature> all = placed(features, patches.window.width + 1);
  parallel_for((patches.n + kBlock - 1) / kBlock, n_threads, [&](std::size_t block) {
    PatchIntegral patch(patches.window);
    const std::size_t end = std::min(patches.n, (block + 1) * kBlock);
    for (std::size_t i = block * kBlock; i < end; ++i) {
      patch.load(patches, i);
      for (std::size_t f = 0; f < all.size(); ++f) values[i * all.size() + f] = patch.value(all[f]);
    }
  });
}

}  // namespace mddag
