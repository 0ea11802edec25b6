// The kernels of a scan for machines with AVX2: compiled for them, and it includes plain data and
// kernels alone, so that no other code in the core can come from here.
#include <immintrin.h>

#include "scan/kernels/group_kernel.hpp"

namespace mddag::scan {

namespace avx2 {

struct Lanes {
  using Floats = __m256;
  struct Doubles {
    __m256d low, high;
  };
  using Mask = __m256;

  static Floats load(const float* from) { return _mm256_loadu_ps(from); }
  static Doubles load(const double* from) {
    return {_mm256_loadu_pd(from), _mm256_loadu_pd(from + 4)};
  }
  static void store(double* to, const Doubles& values) {
    _mm256_storeu_pd(to, values.low);
    _mm256_storeu_pd(to + 4, values.high);
  }
  static Doubles all(double value) { return {_mm256_set1_pd(value), _mm256_set1_pd(value)}; }
  static Floats rectangle(const std::uint32_t* cells, const std::uint32_t* at) {
    const __m256i above = _mm256_sub_epi32(cell(cells + at[0]), cell(cells + at[1]));
    const __m256i below = _mm256_sub_epi32(cell(cells + at[3]), cell(cells + at[2]));
    return _mm256_cvtepi32_ps(_mm256_add_epi32(above, below));
  }
  static Floats multiply(Floats a, float b) { return _mm256_mul_ps(a, _mm256_set1_ps(b)); }
  static Floats multiply(Floats a, Floats b) { return _mm256_mul_ps(a, b); }
  static Floats add(Floats a, Floats b) { return _mm256_add_ps(a, b); }
  static Doubles add(const Doubles& a, const Doubles& b) {
    return {_mm256_add_pd(a.low, b.low), _mm256_add_pd(a.high, b.high)};
  }
  static Mask at_most(Floats a, float b) { return _mm256_cmp_ps(a, _mm256_set1_ps(b), _CMP_LE_OQ); }
  static Doubles choose(Mask mask, const Doubles& a, const Doubles& b) {
    const __m256i bits = _mm256_castps_si256(mask);
    const __m256i low = _mm256_cvtepi32_epi64(_mm256_castsi256_si128(bits));
    const __m256i high = _mm256_cvtepi32_epi64(_mm256_extracti128_si256(bits, 1));
    return {_mm256_blendv_pd(b.low, a.low, _mm256_castsi256_pd(low)),
            _mm256_blendv_pd(b.high, a.high, _mm256_castsi256_pd(high))};
  }
  static unsigned at_least(const Doubles& a, double b) {
    const __m256d bound = _mm256_set1_pd(b);
    const int low = _mm256_movemask_pd(_mm256_cmp_pd(a.low, bound, _CMP_GE_OQ));
    const int high = _mm256_movemask_pd(_mm256_cmp_pd(a.high, bound, _CMP_GE_OQ));
    return static_cast<unsigned>(low) | static_cast<unsigned>(high) << 4;
  }
  static unsigned count(unsigned bits) { return static_cast<unsigned>(__builtin_popcount(bits)); }

 private:
  static __m256i cell(const std::uint32_t* at) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
  }
};

}  // namespace avx2

void use_avx2(Kernels& kernels) { kernels = {"avx2", GroupKernel<avx2::Lanes>::run}; }

}  // namespace mddag::scan
