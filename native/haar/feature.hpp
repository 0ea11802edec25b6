// A Haar feature: up to three rectangles of a window, each with a weight; its value is the sum of
// weight x (sum of the pixels of the rectangle). Weights x areas sum to 0, so that a constant added
// to all pixels changes nothing. Four rectangles of a chessboard are two upon the whole.
//
// A feature is `placed` for images of one width: its corners become offsets into an integral
// image (integral.hpp) from the cell of the window's upper left corner.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "internal/span.hpp"

namespace mddag {

struct Window {  // of pixels, as the shape of an array
  std::size_t height;
  std::size_t width;

  std::size_t area() const { return height * width; }
};

struct Rectangle {  // weight 0: none, and all else is 0
  std::int32_t x, y, w, h, weight;
};

struct HaarFeature {
  static constexpr std::size_t kRectangles = 3;
  Rectangle rectangles[kRectangles];
};
static_assert(sizeof(HaarFeature) == 15 * sizeof(std::int32_t), "features are int32 (m, 3, 5)");

struct PlacedFeature {
  std::uint32_t corners[HaarFeature::kRectangles][4];  // upper left, upper right, lower left, right
  std::uint32_t weights[HaarFeature::kRectangles];     // modulo 2^32, as the sums are
  bool third;                                          // whether there is a third rectangle

  // cell : of the window's upper left corner in the integral image
  std::int32_t sum(const std::uint32_t* cell) const {
    std::uint32_t sum = weights[0] * rectangle(cell, 0) + weights[1] * rectangle(cell, 1);
    if (third) sum += weights[2] * rectangle(cell, 2);
    return static_cast<std::int32_t>(sum);  // exact: the true sum fits, see feature_fault
  }

 private:
  std::uint32_t rectangle(const std::uint32_t* cell, std::size_t r) const {
    const std::uint32_t* at = corners[r];
    return cell[at[0]] - cell[at[1]] - cell[at[2]] + cell[at[3]];
  }
};

constexpr std::size_t kMostWindow = std::size_t{1} << 20;  // pixels; their squares fit in 64 bits

// What is wrong with a feature, or nullptr.
inline const char* feature_fault(const HaarFeature& feature, const Window& window) {
  constexpr std::int64_t kMostSum = INT32_MAX / 255;
  std::int64_t balance = 0, most = 0;
  for (const Rectangle& r : feature.rectangles) {
    if (r.weight == 0) {
      if (r.x != 0 || r.y != 0 || r.w != 0 || r.h != 0) return "has a rectangle of weight 0";
      continue;
    }
    const bool inside = r.x >= 0 && r.y >= 0 && r.w >= 1 && r.h >= 1 &&
                        std::int64_t{r.x} + r.w <= static_cast<std::int64_t>(window.width) &&
                        std::int64_t{r.y} + r.h <= static_cast<std::int64_t>(window.height);
    if (!inside) return "has a rectangle outside of the window";
    const std::int64_t area = std::int64_t{r.w} * r.h;
    const std::int64_t weight = r.weight;
    if ((weight < 0 ? -weight : weight) > kMostSum / area) return "has too large a weight";
    balance += weight * area;
    most += (weight < 0 ? -weight : weight) * area;
  }
  if (most > kMostSum) return "has too large weights";
  if (balance != 0) return "has weights x areas that do not sum to 0";
  return nullptr;
}

// Throws unless kernels may read these features of windows of that size.
inline void require_features(Span<const HaarFeature> features, const Window& window) {
  if (window.height == 0 || window.width == 0 || window.height > kMostWindow ||
      window.width > kMostWindow || window.area() > kMostWindow)
    throw std::invalid_argument("the window has no pixels, or more than 2^20");
  for (std::size_t f = 0; f < features.size; ++f)
    if (const char* fault = feature_fault(features[f], window))
      throw std::invalid_argument("feature " + std::to_string(f) + " " + fault);
}

// stride : cells in a row of the integral image, which must have fewer than 2^32
inline PlacedFeature placed(const HaarFeature& feature, std::size_t stride) {
  PlacedFeature out{};
  for (std::size_t r = 0; r < HaarFeature::kRectangles; ++r) {
    const Rectangle& rectangle = feature.rectangles[r];
    const auto left = static_cast<std::size_t>(rectangle.x);
    const auto right = left + static_cast<std::size_t>(rectangle.w);
    const auto above = static_cast<std::size_t>(rectangle.y) * stride;
    const auto below = above + static_cast<std::size_t>(rectangle.h) * stride;
    out.corners[r][0] = static_cast<std::uint32_t>(above + left);
    out.corners[r][1] = static_cast<std::uint32_t>(above + right);
    out.corners[r][2] = static_cast<std::uint32_t>(below + left);
    out.corners[r][3] = static_cast<std::uint32_t>(below + right);
    out.weights[r] = static_cast<std::uint32_t>(rectangle.weight);
  }
  out.third = feature.rectangles[2].weight != 0;
  return out;
}

inline std::vector<PlacedFeature> placed(Span<const HaarFeature> features, std::size_t stride) {
  std::vector<PlacedFeature> out;
  out.reserve(features.size);
  for (std::size_t f = 0; f < features.size; ++f) out.push_back(placed(features[f], stride));
  return out;
}

}  // namespace mddag
