// Eight neighbouring features of rows in C order -> eight arrays of values rounded to float32,
// with AVX2.
#pragma once

#include <immintrin.h>

#include <cstddef>

#include "blocks/kernels/avx2_inline.hpp"
#include "blocks/kernels/kernels.hpp"

namespace mddag::blocks::avx2 {

MDDAG_INLINE __m256 load8(const float* at) { return _mm256_loadu_ps(at); }

MDDAG_INLINE __m256 load8(const double* at) {
  return _mm256_set_m128(_mm256_cvtpd_ps(_mm256_loadu_pd(at + 4)),
                         _mm256_cvtpd_ps(_mm256_loadu_pd(at)));
}

template <class T>
MDDAG_INLINE void transpose8x8(const T* rows, std::ptrdiff_t stride, float* out,
                               std::size_t out_stride) {
  __m256 r[8], a[8], b[8];
  for (int i = 0; i < 8; ++i) r[i] = load8(rows + i * stride);
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

template <class T>
void transpose(const T* rows, std::ptrdiff_t row_stride, std::size_t n, const std::size_t* tiles,
               std::size_t n_tiles, float* out, std::size_t out_stride) {
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8, rows += 8 * row_stride)
    for (std::size_t t = 0; t < n_tiles; ++t)
      transpose8x8(rows + tiles[t], row_stride, out + t * kTile * out_stride + i, out_stride);
  for (; i < n; ++i, rows += row_stride)
    for (std::size_t t = 0; t < n_tiles; ++t)
      for (std::size_t f = 0; f < kTile; ++f)
        out[(t * kTile + f) * out_stride + i] = static_cast<float>(rows[tiles[t] + f]);
}

}  // namespace mddag::blocks::avx2
