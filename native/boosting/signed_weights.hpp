// Signed weights q_ik = llround(w_ik 2^60) y_ik: integers, so that every sum of them is exact.
//
// Classes are laid out in blocks of 8, 4, 2 or 1, block after block, so that the histogram of one
// block stays in the nearest cache. Only the last block is padded, with zeros: class k is entry k.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "boosting/weight_units.hpp"
#include "internal/parallel.hpp"

namespace mddag {

struct ClassBlock {
  std::size_t first;  // class
  std::size_t count;  // of classes
  std::size_t width;  // count, padded to 1, 2, 4 or 8
};

inline std::vector<ClassBlock> class_blocks(std::size_t n_classes) {
  std::vector<ClassBlock> blocks;
  for (std::size_t first = 0; first < n_classes; first += 8) {
    const std::size_t count = n_classes - first < 8 ? n_classes - first : 8;
    const std::size_t width = count > 4 ? 8 : count > 2 ? 4 : count;
    blocks.push_back({first, count, width});
  }
  return blocks;
}

// Calls body with the width of a block as a constant.
template <class Body>
void with_width(std::size_t width, const Body& body) {
  if (width == 1) return body(std::integral_constant<std::size_t, 1>{});
  if (width == 2) return body(std::integral_constant<std::size_t, 2>{});
  if (width == 4) return body(std::integral_constant<std::size_t, 4>{});
  body(std::integral_constant<std::size_t, 8>{});
}

struct SignedWeights {
  std::size_t n_rows;
  std::size_t n_classes;
  std::vector<ClassBlock> blocks;
  std::size_t width;                // of a row: classes, padded
  std::vector<std::int64_t> q;      // block by block, each (n_rows, block width)
  std::vector<std::int64_t> total;  // (width,), the sum of all rows
  bool valid;                       // weights in 0..1, and their sum at most 1 but for rounding

  // targets, weights : (n_rows, n_classes)
  SignedWeights(const std::int8_t* targets, const double* weights, std::size_t rows,
                std::size_t classes, int n_threads)
      : n_rows(rows), n_classes(classes), blocks(class_blocks(classes)), valid(true) {
    width = blocks.back().first + blocks.back().width;
    q.resize(n_rows * width);
    total.resize(width);
    std::vector<Part> parts((n_rows + kPart - 1) / kPart);
    parallel_for(parts.size(), n_threads, [&](std::size_t p) {
      parts[p].total.resize(width);
      const std::size_t first = p * kPart, last = std::min(n_rows, first + kPart);
      for (const ClassBlock& block : blocks)
        with_width(block.width, [&](auto w) {
          fill<decltype(w)::value>(block, targets, weights, first, last, parts[p]);
        });
    });
    add_up(parts);
  }

  std::int64_t* rows_of(const ClassBlock& block) { return q.data() + block.first * n_rows; }
  const std::int64_t* rows_of(const ClassBlock& block) const {
    return q.data() + block.first * n_rows;
  }

 private:
  static constexpr std::size_t kPart = std::size_t{1} << 13;  // rows: worth waking a thread

  // Of some rows. Totals wrap, since weights that are not valid may be too large for them.
  struct Part {
    std::vector<std::uint64_t> total;
    double sum = 0.0;
    bool valid = true;
  };

  template <std::size_t W>
  void fill(const ClassBlock& block, const std::int8_t* targets, const double* weights,
            std::size_t first, std::size_t last, Part& part) {
    std::int64_t* out = rows_of(block);
    std::uint64_t total_of[W] = {};
    double sum = 0.0;
    bool all_in_range = true;
    for (std::size_t i = first; i < last; ++i) {
      const std::size_t at = i * n_classes + block.first;
      for (std::size_t k = 0; k < (W < 4 ? W : block.count); ++k) {
        const double weight = weights[at + k];
        const bool in_range = weight >= 0.0 && weight <= 1.0;
        all_in_range &= in_range;
        sum += weight;
        const std::int64_t signed_weight = targets[at + k] * in_units(in_range ? weight : 0.0);
        out[i * W + k] = signed_weight;
        total_of[k] += static_cast<std::uint64_t>(signed_weight);
      }
    }
    part.sum += sum;
    part.valid = part.valid && all_in_range;
    std::copy(total_of, total_of + W,
              part.total.begin() + static_cast<std::ptrdiff_t>(block.first));
  }

  void add_up(const std::vector<Part>& parts) {
    std::vector<std::uint64_t> totals(width);
    double sum = 0.0;
    for (const Part& part : parts) {
      for (std::size_t k = 0; k < width; ++k) totals[k] += part.total[k];
      sum += part.sum;
      valid = valid && part.valid;
    }
    valid = valid && sum <= 1.0 + 1e-6;
    if (!valid) return;
    for (std::size_t k = 0; k < width; ++k) total[k] = static_cast<std::int64_t>(totals[k]);
  }
};

}  // namespace mddag
