// Eight neighboring features of rows in C order -> eight arrays of values rounded to float32,
// kWords rows at a time. The specification is scalar::transpose.
#pragma once

#include <cstddef>

#include "blocks/kernels/kernels.hpp"
#include "levels/simd.hpp"

namespace mddag::blocks::MDDAG_LEVEL {

using namespace simd::MDDAG_LEVEL;

MDDAG_INLINE F32x4 load4(const float* at) { return load<F32x4>(at); }

MDDAG_INLINE F32x4 load4(const double* at) {
#ifdef __AVX2__
  return (F32x4)_mm256_cvtpd_ps(_mm256_loadu_pd(at));
#elif defined(MDDAG_X86)
  return (F32x4)_mm_movelh_ps(_mm_cvtpd_ps(_mm_loadu_pd(at)), _mm_cvtpd_ps(_mm_loadu_pd(at + 2)));
#else
  return (F32x4)vcvt_high_f32_f64(vcvt_f32_f64(vld1q_f64(at)), vld1q_f64(at + 2));
#endif
}

// Where kWords rows begin; behind the last row there is none, and it stands in for them.
template <class T>
MDDAG_INLINE void find_rows(const T* rows, std::ptrdiff_t row_stride, std::size_t i, std::size_t n,
                            const T** row) {
  for (std::size_t r = 0; r < kWords; ++r)
    row[r] = rows + static_cast<std::ptrdiff_t>(i + r < n ? i + r : n - 1) * row_stride;
}

template <class T>
void transpose(const T* rows, std::ptrdiff_t row_stride, std::size_t n, const std::size_t* tiles,
               std::size_t n_tiles, float* out, std::size_t out_stride) {
  for (std::size_t i = 0; i < n; i += kWords) {
    const T* row[kWords];
    find_rows(rows, row_stride, i, n, row);
    for (std::size_t t = 0; t < n_tiles; ++t)
      for (std::size_t f = 0; f < kTile; f += 4) {
        F32 four[4], column[4];
        for (std::size_t k = 0; k < 4; ++k)
          four[k] = joined([&](std::size_t q) { return load4(row[4 * q + k] + tiles[t] + f); });
        transpose4(four, column);
        for (std::size_t k = 0; k < 4; ++k)
          store(out + (t * kTile + f + k) * out_stride + i, column[k]);
      }
  }
}

}  // namespace mddag::blocks::MDDAG_LEVEL
