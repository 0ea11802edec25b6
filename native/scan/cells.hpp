// The integral images of some rows of a scaled image, laid out for windows that are `step`
// columns apart: column c lies in plane c % step at place c / step, so that the same corner of
// neighboring windows is neighboring cells whatever the step.
//
// Sums and sums of squares are kept modulo 2^32. They wrap around in large images, and the
// four-cell difference is exact all the same while that of a window is below 2^31: kMostArea.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "scan/kernels/stages.hpp"

namespace mddag::scan {

constexpr std::size_t kMostArea = (std::size_t{1} << 31) / (255 * 255);  // of a window, in pixels

struct Layout {
  std::size_t step;
  std::size_t plane;  // cells of a row in one plane

  // For images of up to `width` columns. Kernels read whole groups of windows: kLanes more.
  static Layout of(std::size_t width, std::size_t step) {
    const std::size_t cells = width / step + 1 + kLanes;
    return {step, (cells + 15) / 16 * 16 + 16};
  }
  std::size_t stride() const { return step * plane; }
  std::size_t offset(std::size_t y, std::size_t x) const {
    return y * stride() + x % step * plane + x / step;
  }
};

// Rows of cells of both integral images; row 0 is that above the first pixels.
class Cells {
 public:
  Cells(const Layout& layout, std::size_t n_rows)
      : layout_(layout), sums_(n_rows * layout.stride()), squares_(n_rows * layout.stride()) {}

  const std::uint32_t* sums(std::size_t row) const { return sums_.data() + row * layout_.stride(); }
  const std::uint32_t* squares(std::size_t row) const {
    return squares_.data() + row * layout_.stride();
  }

  // Cells below row `row`, from the pixels there.
  void append(std::size_t row, const std::uint8_t* pixels, std::size_t width) {
    const std::uint32_t* above = sums_.data() + row * layout_.stride();
    const std::uint32_t* above_squares = squares_.data() + row * layout_.stride();
    std::uint32_t* out = sums_.data() + (row + 1) * layout_.stride();
    std::uint32_t* out_squares = squares_.data() + (row + 1) * layout_.stride();
    std::uint32_t sum = 0, square = 0;
    out[0] = above[0];
    out_squares[0] = above_squares[0];
    std::size_t plane = 0, place = 0;
    for (std::size_t x = 0; x < width; ++x) {
      if (++plane == layout_.step) plane = 0, ++place;
      const std::size_t at = plane * layout_.plane + place;
      sum += pixels[x];
      square += std::uint32_t{pixels[x]} * pixels[x];
      out[at] = above[at] + sum;
      out_squares[at] = above_squares[at] + square;
    }
  }

  // The last rows become the first: rows first..first+n-1 to 0..n-1.
  void move_up(std::size_t first, std::size_t n) {
    const std::size_t from = first * layout_.stride(), size = n * layout_.stride() * 4;
    std::memmove(sums_.data(), sums_.data() + from, size);
    std::memmove(squares_.data(), squares_.data() + from, size);
  }

 private:
  Layout layout_;
  std::vector<std::uint32_t> sums_, squares_;
};

}  // namespace mddag::scan
