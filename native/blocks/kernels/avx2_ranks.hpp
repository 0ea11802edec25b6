// Ranks of 32 values at a time with AVX2. The specification is portable::ranks.
//
// A cell of the grid is one vector of {edge, edge, edge, base}; the cells of eight values are
// loaded one by one and transposed in registers: faster than gathers.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "blocks/kernels/kernels.hpp"

namespace mddag::blocks::avx2 {

constexpr std::size_t kAhead = 256;
constexpr int kCellShift = 4;
static_assert(sizeof(RankCell) == 1 << kCellShift, "cells are counted in bytes");

template <Lookup lookup>
__m256i cells8(const RankGrid& grid, __m256 x) {
  if constexpr (lookup == Lookup::value) {
    __m256 at =
        _mm256_mul_ps(_mm256_sub_ps(x, _mm256_set1_ps(grid.low)), _mm256_set1_ps(grid.scale));
    at = _mm256_max_ps(at, _mm256_setzero_ps());  // of NaN and zero, zero
    return _mm256_cvttps_epi32(_mm256_min_ps(at, _mm256_set1_ps(grid.last)));
  } else {
    const __m256i bits = _mm256_castps_si256(_mm256_add_ps(x, _mm256_setzero_ps()));
    __m256i key = _mm256_xor_si256(bits, _mm256_srli_epi32(_mm256_srai_epi32(bits, 31), 1));
    key = _mm256_max_epi32(key, _mm256_set1_epi32(grid.low_key));
    key = _mm256_min_epi32(key, _mm256_set1_epi32(grid.high_key));
    return _mm256_srl_epi32(_mm256_sub_epi32(key, _mm256_set1_epi32(grid.low_key)),
                            _mm_cvtsi32_si128(grid.shift));
  }
}

// The cells of up to kAhead values from value i on, counted in bytes.
template <class T, Lookup lookup>
void find_cells(const RankGrid& grid, const Values<T>& values, std::size_t i,
                std::uint32_t* cells) {
  const std::size_t n = values.n - i < kAhead ? values.n - i : kAhead;
  for (std::size_t lane = 0; lane < n; lane += kLanes)
    for (std::size_t u = lane; u < lane + kLanes; u += 8) {
      const __m256i cell = cells8<lookup>(grid, _mm256_loadu_ps(values.rounded + i + u));
      _mm256_store_si256(reinterpret_cast<__m256i*>(cells + u),
                         _mm256_slli_epi32(cell, kCellShift));
    }
}

inline __m256i count_above(__m256i rank, __m256 x, __m256 edge) {
  return _mm256_sub_epi32(rank, _mm256_castps_si256(_mm256_cmp_ps(x, edge, _CMP_GT_OQ)));
}

inline __m256 two_cells(const char* cells, std::uint32_t a, std::uint32_t b) {
  const auto cell = [&](std::uint32_t at) {
    return _mm_load_ps(reinterpret_cast<const float*>(cells + at));
  };
  return _mm256_insertf128_ps(_mm256_castps128_ps256(cell(a)), cell(b), 1);
}

// The thresholds of the cells of eight values, and the ranks of their bases.
struct Cells8 {
  __m256 edge[3];
  __m256i base;
};

inline Cells8 load_cells(const RankGrid& grid, const std::uint32_t* at) {
  const auto* cells = reinterpret_cast<const char*>(grid.cells);
  const __m256 a = two_cells(cells, at[0], at[4]), b = two_cells(cells, at[1], at[5]);
  const __m256 c = two_cells(cells, at[2], at[6]), d = two_cells(cells, at[3], at[7]);
  const __m256 ab = _mm256_unpacklo_ps(a, b), AB = _mm256_unpackhi_ps(a, b);
  const __m256 cd = _mm256_unpacklo_ps(c, d), CD = _mm256_unpackhi_ps(c, d);
  return {{_mm256_shuffle_ps(ab, cd, 0x44), _mm256_shuffle_ps(ab, cd, 0xEE),
           _mm256_shuffle_ps(AB, CD, 0x44)},
          _mm256_castps_si256(_mm256_shuffle_ps(AB, CD, 0xEE))};
}

// Bisection without branches, eight values from value i on side by side.
template <class T>
__m256i searched8(const RankGrid& grid, const Values<T>& values, std::size_t i) {
  T x[8] = {};
  const T* thresholds;
  if constexpr (sizeof(T) == 4) {
    thresholds = grid.thresholds;
    for (std::size_t lane = 0; lane < 8; ++lane) x[lane] = values.rounded[i + lane];
  } else {
    thresholds = grid.exact;
    for (std::size_t lane = 0; lane < 8 && i + lane < values.n; ++lane)
      x[lane] = values.exact[static_cast<std::ptrdiff_t>(i + lane) * values.stride];
  }
  alignas(32) std::int32_t rank[8] = {};
  for (std::int32_t n = grid.n_thresholds; n > 0;) {
    const std::int32_t half = (n + 1) / 2;
    for (std::size_t lane = 0; lane < 8; ++lane)
      rank[lane] += thresholds[rank[lane] + half - 1] < x[lane] ? half : 0;
    n -= half;
  }
  return _mm256_load_si256(reinterpret_cast<const __m256i*>(rank));
}

// Ranks of eight values as int32. Rounded values that meet a threshold are ranked again.
template <class T>
__m256i ranks8(const RankGrid& grid, const Values<T>& values, std::size_t i,
               const std::uint32_t* at) {
  const __m256 x = _mm256_loadu_ps(values.rounded + i);
  const Cells8 cells = load_cells(grid, at);
  __m256i rank = cells.base;
  __m256 met = _mm256_setzero_ps();
  for (int e = 0; e < 3; ++e) {
    rank = count_above(rank, x, cells.edge[e]);
    if constexpr (sizeof(T) == 8)
      met = _mm256_or_ps(met, _mm256_cmp_ps(x, cells.edge[e], _CMP_EQ_OQ));
  }
  return _mm256_movemask_ps(met) ? searched8(grid, values, i) : rank;
}

// All bits of the lanes that are NaN.
inline __m256i missing8(const float* values) {
  const __m256 x = _mm256_loadu_ps(values);
  return _mm256_castps_si256(_mm256_cmp_ps(x, x, _CMP_UNORD_Q));
}

// Four times eight ranks -> 32 rank bytes.
inline __m256i packed(const __m256i ranks[4]) {
  const __m256i bytes = _mm256_packus_epi16(_mm256_packs_epi32(ranks[0], ranks[1]),
                                            _mm256_packs_epi32(ranks[2], ranks[3]));
  const __m256i in_order =
      _mm256_permutevar8x32_epi32(bytes, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
  const __m256i clamped =
      _mm256_min_epu8(in_order, _mm256_set1_epi8(static_cast<char>(kMostRanks)));
  return _mm256_xor_si256(clamped, _mm256_set1_epi8(static_cast<char>(0x80)));
}

inline __m256i column_bytes(const RankColumn& column, const __m256i ranks[4], const float* values) {
  const __m256i missing = _mm256_set1_epi32(column.missing),
                first = _mm256_set1_epi32(column.first);
  __m256i shifted[4];
  for (int u = 0; u < 4; ++u) {
    const __m256i rank = _mm256_blendv_epi8(ranks[u], missing, missing8(values + 8 * u));
    shifted[u] = _mm256_sub_epi32(rank, first);
  }
  return packed(shifted);
}

template <class T, Lookup lookup>
void ranks_by(const RankGrid& grid, const RankColumn* columns, std::size_t n_columns,
              const Values<T>& values, std::int8_t* out, std::size_t column_stride) {
  const bool plain = n_columns == 1 && columns->missing == 0 && lookup == Lookup::value;
  alignas(32) std::uint32_t cells[kAhead];
  for (std::size_t i = 0; i < values.n; i += kLanes) {
    __m256i ranks[4];
    if constexpr (lookup == Lookup::search) {
      for (std::size_t u = 0; u < 4; ++u) ranks[u] = searched8(grid, values, i + 8 * u);
    } else {
      if (i % kAhead == 0) find_cells<T, lookup>(grid, values, i, cells);
      for (std::size_t u = 0; u < 4; ++u)
        ranks[u] = ranks8(grid, values, i + 8 * u, cells + i % kAhead + 8 * u);
    }
    if (plain) {  // NaN has rank 0 already
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + i), packed(ranks));
      continue;
    }
    for (std::size_t c = 0; c < n_columns; ++c)
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + c * column_stride + i),
                          column_bytes(columns[c], ranks, values.rounded + i));
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

}  // namespace mddag::blocks::avx2
