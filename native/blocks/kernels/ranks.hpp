// Ranks of kBytes values at a time. The specification is scalar::ranks.
//
// A cell of the grid is one vector of {edge, edge, edge, base}; the cells of kWords values are
// loaded one by one and transposed in registers: faster than gathers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "blocks/kernels/kernels.hpp"
#include "levels/simd.hpp"

namespace mddag::blocks::MDDAG_LEVEL {

using namespace simd::MDDAG_LEVEL;

constexpr std::size_t kAhead = 256;
constexpr int kCellShift = 4;
static_assert(sizeof(RankCell) == 1 << kCellShift, "cells are counted in bytes");

template <Lookup lookup>
MDDAG_INLINE I32 cells_of(const RankGrid& grid, F32 x) {
  if constexpr (lookup == Lookup::value) {
    return __builtin_convertvector(clamped((x - grid.low) * grid.scale, grid.last), I32);
  } else {
    const I32 bits = (I32)(x + 0.0f);
    I32 key = bits ^ ((bits >> 31) & 0x7fffffff);
    key = key > grid.low_key ? key : all(grid.low_key);
    key = key < grid.high_key ? key : all(grid.high_key);
    return (I32)(((U32)key - static_cast<std::uint32_t>(grid.low_key)) >>
                 static_cast<std::uint32_t>(grid.shift));
  }
}

// The cells of up to kAhead values from value i on, counted in bytes.
template <class T, Lookup lookup>
void find_cells(const RankGrid& grid, const Values<T>& values, std::size_t i,
                std::uint32_t* cells) {
  const RankGrid by_value = grid;  // else the stores might change it
  const std::size_t n = values.n - i < kAhead ? values.n - i : kAhead;
  for (std::size_t lane = 0; lane < n; lane += kBytes)
    for (std::size_t u = lane; u < lane + kBytes; u += kWords)
      store(cells + u, cells_of<lookup>(by_value, load<F32>(values.rounded + i + u)) << kCellShift);
}

// Bisection without branches, kWords values from value i on side by side.
template <class T>
I32 searched(const RankGrid& grid, const Values<T>& values, std::size_t i) {
  T x[kWords] = {};
  const T* thresholds;
  if constexpr (sizeof(T) == 4) {
    thresholds = grid.thresholds;
    for (std::size_t lane = 0; lane < kWords; ++lane) x[lane] = values.rounded[i + lane];
  } else {
    thresholds = grid.exact;
    for (std::size_t lane = 0; lane < kWords && i + lane < values.n; ++lane)
      x[lane] = values.exact[static_cast<std::ptrdiff_t>(i + lane) * values.stride];
  }
  std::int32_t rank[kWords] = {};
  for (std::int32_t n = grid.n_thresholds; n > 0;) {
    const std::int32_t half = (n + 1) / 2;
    for (std::size_t lane = 0; lane < kWords; ++lane)
      rank[lane] += thresholds[rank[lane] + half - 1] < x[lane] ? half : 0;
    n -= half;
  }
  return load<I32>(rank);
}

// Ranks of kWords values. Rounded values that meet a threshold are ranked again.
template <class T>
MDDAG_INLINE I32 ranks_in_cells(const RankGrid& grid, const Values<T>& values, std::size_t i,
                                const std::uint32_t* at) {
  const auto* cells = reinterpret_cast<const char*>(grid.cells);
  F32 row[4], part[4];
  for (std::size_t k = 0; k < 4; ++k)
    row[k] = joined([&](std::size_t q) { return load<F32x4>(cells + at[4 * q + k]); });
  transpose4(row, part);
  const F32 x = load<F32>(values.rounded + i);
  I32 rank = (I32)part[3], met = {};
  for (int e = 0; e < 3; ++e) {
    rank = count_above(rank, x, part[e]);
    if constexpr (sizeof(T) == 8) met |= (I32)(x == part[e]);
  }
  if constexpr (sizeof(T) == 8)
    if (any(met)) return searched(grid, values, i);
  return rank;
}

// Four times kWords ranks -> kBytes rank bytes.
MDDAG_INLINE U8 packed(const I32* ranks) {
  const U8 bytes = narrowed(ranks), most = all(static_cast<std::uint8_t>(kMostRanks));
  return (bytes < most ? bytes : most) ^ all(std::uint8_t{0x80});
}

MDDAG_INLINE U8 column_bytes(const RankColumn& column, const I32* ranks, const float* values) {
  I32 shifted[4];
  for (std::size_t u = 0; u < 4; ++u) {
    const F32 x = load<F32>(values + u * kWords);
    shifted[u] = (x != x ? all(column.missing) : ranks[u]) - column.first;
  }
  return packed(shifted);
}

template <class T, Lookup lookup>
void ranks_by(const RankGrid& grid, const RankColumn* columns, std::size_t n_columns,
              const Values<T>& values, std::int8_t* out, std::size_t column_stride) {
  const bool plain = n_columns == 1 && columns->missing == 0 && lookup == Lookup::value;
  alignas(64) std::uint32_t cells[kAhead];
  for (std::size_t i = 0; i < values.n; i += kBytes) {
    I32 ranks[4];
    if constexpr (lookup == Lookup::search) {
      for (std::size_t u = 0; u < 4; ++u) ranks[u] = searched(grid, values, i + u * kWords);
    } else {
      if (i % kAhead == 0) find_cells<T, lookup>(grid, values, i, cells);
      for (std::size_t u = 0; u < 4; ++u)
        ranks[u] = ranks_in_cells(grid, values, i + u * kWords, cells + i % kAhead + u * kWords);
    }
    if (plain) {  // NaN has rank 0 already
      store(out + i, packed(ranks));
      continue;
    }
    for (std::size_t c = 0; c < n_columns; ++c)
      store(out + c * column_stride + i, column_bytes(columns[c], ranks, values.rounded + i));
  }
}

template <class T>
void ranks(const RankGrid& grid, const RankColumn* columns, std::size_t n_columns,
           const Values<T>& values, std::int8_t* out, std::size_t column_stride) {
  const auto by = grid.lookup == Lookup::value  ? ranks_by<T, Lookup::value>
                  : grid.lookup == Lookup::bits ? ranks_by<T, Lookup::bits>
                                                : ranks_by<T, Lookup::search>;
  by(grid, columns, n_columns, values, out, column_stride);
}

}  // namespace mddag::blocks::MDDAG_LEVEL
