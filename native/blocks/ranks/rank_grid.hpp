// Value -> rank among a feature's sorted thresholds: the number of thresholds below it.
//
// A grid of equal cells over the thresholds, each with at most three of them: one load and three
// comparisons. Where tails are so heavy that equal cells would crowd, the cells are equal in the
// value's bits, which grow like its logarithm; where that fails too, by bisection. The cell is a
// monotone function of the value, and thresholds are laid into cells by the same function: all
// thresholds of lower cells are below the value and none of the higher ones is, so ranks are exact.
// NaN has rank 0.
//
// Rounding keeps order: where a float64 value, rounded to float32, differs from every rounded
// threshold, they compare as before. One that meets a rounded threshold is ranked by bisection.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

#include "blocks/kernels/kernels.hpp"

namespace mddag::blocks {

// x <= t for a float32 x if and only if x <= down32(t).
inline float down32(double t) {
  const auto nearest = static_cast<float>(t);
  return nearest > t ? std::nextafter(nearest, -std::numeric_limits<float>::infinity()) : nearest;
}

// Bits ordered as the values are; adding zero makes one of the two zeros.
inline std::int32_t ordered_bits(float x) {
  x += 0.0f;
  std::int32_t bits;
  std::memcpy(&bits, &x, 4);
  return bits ^ ((bits >> 31) & 0x7fffffff);
}

// The cell of x in a grid by value or by bits.
inline std::uint32_t cell_of(const RankGrid& grid, float x) {
  if (grid.lookup == Lookup::bits) {
    const std::int32_t key = std::clamp(ordered_bits(x), grid.low_key, grid.high_key);
    return (static_cast<std::uint32_t>(key) - static_cast<std::uint32_t>(grid.low_key)) >>
           grid.shift;
  }
  const float at = (x - grid.low) * grid.scale;
  return static_cast<std::uint32_t>(at > 0 ? std::min(at, grid.last) : 0);  // NaN: the first
}

template <class T>
std::int32_t bisected(const T* thresholds, std::int32_t n, T x) {
  return x != x ? 0
                : static_cast<std::int32_t>(std::lower_bound(thresholds, thresholds + n, x) -
                                            thresholds);
}

// Of value i.
template <class T>
std::int32_t rank_of(const RankGrid& grid, const Values<T>& values, std::size_t i) {
  const auto exactly = [&] {
    if constexpr (std::is_same_v<T, float>)
      return bisected(grid.thresholds, grid.n_thresholds, values.rounded[i]);
    else
      return bisected(grid.exact, grid.n_thresholds,
                      values.exact[static_cast<std::ptrdiff_t>(i) * values.stride]);
  };
  if (grid.lookup == Lookup::search) return exactly();
  const float x = values.rounded[i];
  const RankCell& cell = grid.cells[cell_of(grid, x)];
  if (!std::is_same_v<T, float> && (x == cell.edge[0] || x == cell.edge[1] || x == cell.edge[2]))
    return exactly();
  return cell.base + (x > cell.edge[0]) + (x > cell.edge[1]) + (x > cell.edge[2]);
}

// The grid of some thresholds and the memory that it points to.
class RankTable {
 public:
  explicit RankTable(std::vector<float> thresholds) : thresholds_(std::move(thresholds)) {
    const std::size_t most = std::max<std::size_t>(4096, 2 * thresholds_.size());
    for (std::size_t n_cells = 16; n_cells <= most; n_cells *= 2)
      for (const Lookup lookup : {Lookup::value, Lookup::bits}) {
        set_up(lookup, n_cells);
        if (fill(n_cells)) return;
      }
    grid_.lookup = Lookup::search;
    cells_.clear();
  }

  RankGrid grid() const {
    RankGrid grid = grid_;
    grid.cells = cells_.data();
    grid.thresholds = thresholds_.data();
    grid.n_thresholds = static_cast<std::int32_t>(thresholds_.size());
    return grid;
  }

 private:
  void set_up(Lookup lookup, std::size_t n_cells) {
    const float low = thresholds_.front(), high = thresholds_.back();
    grid_ = {};
    grid_.lookup = lookup;
    grid_.low = low;
    grid_.scale =
        high > low
            ? static_cast<float>(static_cast<double>(n_cells) / (static_cast<double>(high) - low))
            : 0.0f;
    grid_.last = static_cast<float>(n_cells - 1);
    grid_.low_key = ordered_bits(low);
    grid_.high_key = ordered_bits(high);
    const auto width =
        static_cast<std::uint32_t>(grid_.high_key) - static_cast<std::uint32_t>(grid_.low_key);
    while ((width >> grid_.shift) >= n_cells) ++grid_.shift;
  }

  // Lays the thresholds into the cells; false if one is crowded.
  bool fill(std::size_t n_cells) {
    constexpr float never = std::numeric_limits<float>::infinity();  // no value is above
    cells_.assign(n_cells, {{never, never, never}, 0});
    std::vector<std::uint8_t> n_inside(n_cells, 0);
    for (const float t : thresholds_) {
      const std::uint32_t c = cell_of(grid_, t);
      if (n_inside[c] == 3) return false;
      cells_[c].edge[n_inside[c]++] = t;
    }
    for (std::size_t c = 1; c < n_cells; ++c) cells_[c].base = cells_[c - 1].base + n_inside[c - 1];
    return true;
  }

  std::vector<float> thresholds_;
  RankGrid grid_{};
  std::vector<RankCell> cells_;
};

}  // namespace mddag::blocks
