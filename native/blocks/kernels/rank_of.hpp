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
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "blocks/kernels/kernels.hpp"

namespace mddag::blocks {

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

}  // namespace mddag::blocks
