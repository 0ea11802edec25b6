// The one normalization of windows, for patches and for windows of a scanned image alike:
//
//   value = feature x scale,   scale = 1 / (area x deviation),   float32,
//
// where deviation^2 = mean of squares - square of the mean, and at least kVarianceFloor: in a flat
// window the noise of single pixels would otherwise become a pattern. All but the root and the
// quotient is exact: (area x deviation)^2 = area x (sum of squares) - sum^2 is an integer, below
// 2^56 for windows of up to 2^20 pixels.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "haar/feature.hpp"
#include "haar/integral.hpp"

namespace mddag {

constexpr std::uint64_t kVarianceFloor = 1;  // grey levels squared

// (area x deviation)^2 without the floor.
inline std::uint64_t spread(std::uint64_t area, std::uint64_t sum, std::uint64_t squares) {
  return area * squares - sum * sum;
}

inline float window_scale(std::uint64_t area, std::uint64_t sum, std::uint64_t squares) {
  const std::uint64_t floor = area * area * kVarianceFloor;
  const auto of_window = static_cast<double>(std::max(spread(area, sum, squares), floor));
  return static_cast<float>(1.0 / std::sqrt(of_window));
}

// sums, squares : the cells of the window's upper left corner in the two integral images
inline float window_scale(const Window& window, const std::uint32_t* sums,
                          const std::uint64_t* squares, std::size_t stride) {
  return window_scale(window.area(), rectangle_sum(sums, stride, window.width, window.height),
                      rectangle_sum(squares, stride, window.width, window.height));
}

inline float normalized(std::int32_t sum, float scale) { return static_cast<float>(sum) * scale; }

}  // namespace mddag
