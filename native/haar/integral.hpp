// Integral images: cell (y, x) holds the sum of all pixels above row y and left of column x, so the
// sum over a rectangle is I(lower right) - I(lower left) - I(upper right) + I(upper left).
//
// Sums are kept modulo 2^32: in images of more than 16 million pixels they wrap around, and the
// four-cell difference is exact all the same, because a window's own sum is below 2^32. Squares are
// kept in 64 bits, which no image in memory exceeds.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mddag {

// A grey image in memory of any row stride, counted in pixels.
struct Image {
  const std::uint8_t* pixels;
  std::size_t height;
  std::size_t width;
  std::size_t stride;
};

inline std::uint64_t power(std::uint64_t pixel, int exponent) {
  return exponent == 1 ? pixel : pixel * pixel;
}

// cells : (height + 1, width + 1)
template <int kExponent, class Sum>
void integral_image(const Image& image, Sum* cells) {
  const std::size_t stride = image.width + 1;
  for (std::size_t x = 0; x < stride; ++x) cells[x] = 0;
  for (std::size_t y = 0; y < image.height; ++y) {
    const std::uint8_t* pixels = image.pixels + y * image.stride;
    const Sum* above = cells + y * stride;
    Sum* out = cells + (y + 1) * stride;
    Sum row = 0;
    out[0] = 0;
    for (std::size_t x = 0; x < image.width; ++x) {
      row += static_cast<Sum>(power(pixels[x], kExponent));
      out[x + 1] = above[x + 1] + row;
    }
  }
}

inline void sums_of(const Image& image, std::uint32_t* cells) { integral_image<1>(image, cells); }

inline void squares_of(const Image& image, std::uint64_t* cells) {
  integral_image<2>(image, cells);
}

// The sum over a rectangle of w x h pixels; cell : of its upper left corner.
template <class Sum>
Sum rectangle_sum(const Sum* cell, std::size_t stride, std::size_t w, std::size_t h) {
  return cell[0] - cell[w] - cell[h * stride] + cell[h * stride + w];
}

}  // namespace mddag
