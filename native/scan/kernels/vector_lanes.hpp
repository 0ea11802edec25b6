// Eight lanes as vectors of the level that this is compiled for, as many as that takes.
#pragma once

#include "levels/simd.hpp"
#include "scan/kernels/group_kernel.hpp"

namespace mddag::scan::MDDAG_LEVEL {

class Lanes {
  using F = float __attribute__((vector_size(MDDAG_BYTES)));
  using D = double __attribute__((vector_size(MDDAG_BYTES)));
  using U = std::uint32_t __attribute__((vector_size(MDDAG_BYTES)));
  using I = std::int32_t __attribute__((vector_size(MDDAG_BYTES)));
  using L = std::int64_t __attribute__((vector_size(MDDAG_BYTES)));
  static constexpr std::size_t kEach = sizeof(F) / 4, kParts = kLanes / kEach;

 public:
  struct Floats {
    F part[kParts];
  };
  struct Doubles {
    D part[2 * kParts];
  };
  struct Mask {
    I part[kParts];
  };

  MDDAG_INLINE static Floats load(const float* from) {
    return simd::MDDAG_LEVEL::load<Floats>(from);
  }
  MDDAG_INLINE static Doubles load(const double* from) {
    return simd::MDDAG_LEVEL::load<Doubles>(from);
  }
  MDDAG_INLINE static void store(double* to, const Doubles& values) {
    std::memcpy(to, &values, sizeof values);
  }
  MDDAG_INLINE static Doubles all(double value) {
    Doubles out;
    for (D& part : out.part) part = value - D{};
    return out;
  }
  // Sums wrap around modulo 2^32, their difference is that of the true sums.
  MDDAG_INLINE static Floats rectangle(const std::uint32_t* cells, const std::uint32_t* at) {
    Floats out;
    for (std::size_t p = 0; p < kParts; ++p) {
      const auto cell = [&](int corner) {
        return simd::MDDAG_LEVEL::load<U>(cells + at[corner] + p * kEach);
      };
      out.part[p] = __builtin_convertvector((I)(cell(0) - cell(1) + (cell(3) - cell(2))), F);
    }
    return out;
  }
  MDDAG_INLINE static Floats multiply(Floats a, float b) {
    for (F& part : a.part) part *= b;
    return a;
  }
  MDDAG_INLINE static Floats multiply(Floats a, const Floats& b) {
    for (std::size_t p = 0; p < kParts; ++p) a.part[p] *= b.part[p];
    return a;
  }
  MDDAG_INLINE static Floats add(Floats a, const Floats& b) {
    for (std::size_t p = 0; p < kParts; ++p) a.part[p] += b.part[p];
    return a;
  }
  MDDAG_INLINE static Doubles add(Doubles a, const Doubles& b) {
    for (std::size_t p = 0; p < 2 * kParts; ++p) a.part[p] += b.part[p];
    return a;
  }
  MDDAG_INLINE static Mask at_most(const Floats& a, float b) {
    Mask out;
    for (std::size_t p = 0; p < kParts; ++p) out.part[p] = (I)(a.part[p] <= b - F{});
    return out;
  }
  MDDAG_INLINE static Doubles choose(const Mask& mask, const Doubles& a, const Doubles& b) {
    Doubles out;
    for (std::size_t p = 0; p < kParts; ++p) {
      L low, high;
      widen(mask.part[p], low, high);
      out.part[2 * p] = low ? a.part[2 * p] : b.part[2 * p];
      out.part[2 * p + 1] = high ? a.part[2 * p + 1] : b.part[2 * p + 1];
    }
    return out;
  }
  MDDAG_INLINE static unsigned at_least(const Doubles& a, double b) {
    unsigned bits = 0;
    for (std::size_t p = 0; p < 2 * kParts; ++p)
      bits |= bits_of((L)(a.part[p] >= b - D{})) << p * (kEach / 2);
    return bits;
  }
  MDDAG_INLINE static unsigned count(unsigned bits) {
    return static_cast<unsigned>(__builtin_popcount(bits));
  }

 private:
  MDDAG_INLINE static void widen(I mask, L& low, L& high) {
#if MDDAG_BYTES == 32
    low = (L)_mm256_cvtepi32_epi64(_mm256_castsi256_si128((__m256i)mask));
    high = (L)_mm256_cvtepi32_epi64(_mm256_extracti128_si256((__m256i)mask, 1));
#else
    low = (L)simd::MDDAG_LEVEL::zip_low(mask, mask);
    high = (L)simd::MDDAG_LEVEL::zip_high(mask, mask);
#endif
  }

  // The lowest bit of each lane.
  MDDAG_INLINE static unsigned bits_of(L mask) {
#if MDDAG_BYTES == 32
    return static_cast<unsigned>(_mm256_movemask_pd((__m256d)mask));
#elif defined(MDDAG_X86)
    return static_cast<unsigned>(_mm_movemask_pd((__m128d)mask));
#else
    return static_cast<unsigned>(mask[0] & 1) | static_cast<unsigned>(mask[1] & 2);
#endif
  }
};

}  // namespace mddag::scan::MDDAG_LEVEL
