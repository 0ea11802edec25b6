// Eight neighbouring features of rows in C order -> eight arrays of values, with AVX2.
#pragma once

#include <immintrin.h>

#include <cstddef>

#include "mddag/engine/kernels.hpp"

namespace mddag::engine::avx2 {

inline void transpose8x8(const float* rows, std::ptrdiff_t stride, float* out,
                         std::size_t out_stride) {
  __m256 r[8], a[8], b[8];
  for (int i = 0; i < 8; ++i) r[i] = _mm256_loadu_ps(rows + i * stride);
  for (int i = 0; i < 8; i += 2) {
    a[i] = _mm256_unpacklo_ps(r[i], r[i + 1]);
    a[i + 1] = _mm256_unpackhi_ps(r[i], r[i + 1]);
  }
  for (int i = 0; i < 8; i += 4) {
    b[i] = _mm256_shuffle_ps(a[i], a[i + 2], 0x44);
    b[i + 1] = _mm256_shuffle_ps(a[i], a[i + 2], 0xEE);
    b[i + 2] = _mm256_shuffle_ps(a[i + 1], a[i + 3], 0x44);
    b[i + 3] = _mm256_shuffle_ps(a[i + 1], a[i + 3], 0xEE);
  }
  for (std::size_t f = 0; f < 4; ++f) {
    _mm256_storeu_ps(out + f * out_stride, _mm256_permute2f128_ps(b[f], b[f + 4], 0x20));
    _mm256_storeu_ps(out + (f + 4) * out_stride, _mm256_permute2f128_ps(b[f], b[f + 4], 0x31));
  }
}

inline void transpose4x4(const double* rows, std::ptrdiff_t stride, double* out,
                         std::size_t out_stride) {
  const __m256d r0 = _mm256_loadu_pd(rows), r1 = _mm256_loadu_pd(rows + stride);
  const __m256d r2 = _mm256_loadu_pd(rows + 2 * stride), r3 = _mm256_loadu_pd(rows + 3 * stride);
  const __m256d a = _mm256_unpacklo_pd(r0, r1), b = _mm256_unpackhi_pd(r0, r1);
  const __m256d c = _mm256_unpacklo_pd(r2, r3), d = _mm256_unpackhi_pd(r2, r3);
  _mm256_storeu_pd(out, _mm256_permute2f128_pd(a, c, 0x20));
  _mm256_storeu_pd(out + out_stride, _mm256_permute2f128_pd(b, d, 0x20));
  _mm256_storeu_pd(out + 2 * out_stride, _mm256_permute2f128_pd(a, c, 0x31));
  _mm256_storeu_pd(out + 3 * out_stride, _mm256_permute2f128_pd(b, d, 0x31));
}

// A square of rows and features; kRows of them at a time.
template <class T>
struct Square;
template <>
struct Square<float> {
  static constexpr std::size_t kRows = 8;
  static void transpose(const float* rows, std::ptrdiff_t stride, float* out,
                        std::size_t out_stride) {
    transpose8x8(rows, stride, out, out_stride);
  }
};
template <>
struct Square<double> {
  static constexpr std::size_t kRows = 4;
  static void transpose(const double* rows, std::ptrdiff_t stride, double* out,
                        std::size_t out_stride) {
    transpose4x4(rows, stride, out, out_stride);
    transpose4x4(rows + 4, stride, out + 4 * out_stride, out_stride);
  }
};

template <class T>
void transpose(const T* rows, std::ptrdiff_t row_stride, std::size_t n, const std::size_t* tiles,
               std::size_t n_tiles, T* out, std::size_t out_stride) {
  constexpr std::size_t kRows = Square<T>::kRows;
  std::size_t i = 0;
  for (; i + kRows <= n; i += kRows, rows += kRows * row_stride)
    for (std::size_t t = 0; t < n_tiles; ++t)
      Square<T>::transpose(rows + tiles[t], row_stride, out + t * kTile * out_stride + i,
                           out_stride);
  for (; i < n; ++i, rows += row_stride)
    for (std::size_t t = 0; t < n_tiles; ++t)
      for (std::size_t f = 0; f < kTile; ++f)
        out[(t * kTile + f) * out_stride + i] = rows[tiles[t] + f];
}

}  // namespace mddag::engine::avx2
