// A image made smaller by bilinear interpolation in fixed point, row by row: the result is the
// same on every machine. Pixel i of n_to lies at (i + 1/2) n_from / n_to - 1/2, held inside the
// image; positions are rounded to 1/256 of a pixel, sums to whole grey levels at the end. This is
// the rule of OpenCV's INTER_LINEAR_EXACT. Twin: tests/reference/scan.py.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "haar/integral.hpp"

namespace mddag::scan {

// Where the pixels of one axis come from: pixel first[i], and first[i] + apart by part[i] / 256.
struct Axis {
  std::vector<std::uint32_t> first;
  std::vector<std::uint32_t> part;
  std::size_t apart;  // 0 where there is one pixel alone

  Axis(std::size_t n_from, std::size_t n_to) : first(n_to), part(n_to), apart(n_from > 1 ? 1 : 0) {
    const double ratio = 1.0 / (static_cast<double>(n_to) / static_cast<double>(n_from));
    const double last = static_cast<double>(n_from - 1);
    for (std::size_t i = 0; i < n_to; ++i) {
      const double at = ratio * (static_cast<double>(i) + 0.5) - 0.5;
      const double whole = std::floor(at);
      if (whole < 0.0 || apart == 0) continue;
      first[i] = static_cast<std::uint32_t>(whole < last ? whole : last - 1);
      part[i] =
          whole < last ? static_cast<std::uint32_t>(std::nearbyint((at - whole) * 256.0)) : 256u;
    }
  }
};

// The rows of the smaller image, asked for from top to bottom; a row that two others need is
// interpolated once.
class ResizedRows {
 public:
  ResizedRows(const Image& image, std::size_t height, std::size_t width)
      : image_(image),
        same_(height == image.height && width == image.width),
        rows_(image.height, same_ ? 0 : height),
        columns_(image.width, same_ ? 0 : width),
        width_(width),
        lines_{std::vector<std::uint16_t>(same_ ? 0 : width),
               std::vector<std::uint16_t>(same_ ? 0 : width)} {}

  void row(std::size_t y, std::uint8_t* out) {
    if (same_) {
      std::memcpy(out, image_.pixels + y * image_.stride, width_);
      return;
    }
    const std::uint32_t part = rows_.part[y];
    const std::uint16_t* above = line(rows_.first[y]);
    const std::uint16_t* below = line(rows_.first[y] + rows_.apart);
    for (std::size_t x = 0; x < width_; ++x)
      out[x] = static_cast<std::uint8_t>(
          (above[x] * (256u - part) + below[x] * part + (1u << 15)) >> 16);
  }

 private:
  // Row y of the image, interpolated along x. Rows y and y + 1 lie in different buffers.
  const std::uint16_t* line(std::size_t y) {
    std::vector<std::uint16_t>& out = lines_[y % 2];
    if (held_[y % 2] == y + 1) return out.data();
    held_[y % 2] = y + 1;
    const std::uint8_t* pixels = image_.pixels + y * image_.stride;
    for (std::size_t x = 0; x < width_; ++x) {
      const std::uint8_t* at = pixels + columns_.first[x];
      const std::uint32_t part = columns_.part[x];
      out[x] = static_cast<std::uint16_t>(at[0] * (256u - part) + at[columns_.apart] * part);
    }
    return out.data();
  }

  Image image_;
  bool same_;
  Axis rows_, columns_;
  std::size_t width_;
  std::vector<std::uint16_t> lines_[2];
  std::size_t held_[2] = {0, 0};  // the row in each buffer, plus one
};

}  // namespace mddag::scan
