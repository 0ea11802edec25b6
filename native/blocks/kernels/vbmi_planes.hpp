// The votes of pairs of small trees on machines with AVX-512 VBMI: a code of six bits for each of
// 64 rows chooses from a table of 64, byte by byte (PairVotes).
//
// Bytes are summed in 16 bits, which hold those of kMostPairs pairs: even and odd rows apart, `all`
// being 256 * odd + even modulo 2^16.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "blocks/kernels/kernels.hpp"

#define MDDAG_INLINE inline __attribute__((always_inline))

namespace mddag::blocks::vbmi {

constexpr std::size_t kMostPairs = 256;

MDDAG_INLINE __m512i load(const void* at) { return _mm512_loadu_si512(at); }

// Numbers of 32 bits from the sums of their four bytes, for 32 even or odd rows: of every sixteen
// rows, eight are in `low` and eight in `high`.
struct Numbers {
  __m512i low, high;

  MDDAG_INLINE Numbers(__m512i a, __m512i b, __m512i c, __m512i d) {
    low = _mm512_add_epi32(_mm512_unpacklo_epi16(a, c),
                           _mm512_slli_epi32(_mm512_unpacklo_epi16(b, d), 8));
    high = _mm512_add_epi32(_mm512_unpackhi_epi16(a, c),
                            _mm512_slli_epi32(_mm512_unpackhi_epi16(b, d), 8));
  }
};

// The sums of 64 rows, in registers: kPlanes is 3 or 4.
template <std::size_t kPlanes>
struct Planes {
  __m512i all[4], odd[4];

  MDDAG_INLINE Planes() {
    for (std::size_t p = 0; p < 4; ++p) all[p] = odd[p] = _mm512_setzero_si512();
  }
  MDDAG_INLINE void add(const PairVotes& votes, __m512i codes) {
    for (std::size_t p = 0; p < kPlanes; ++p) {
      const __m512i bytes = _mm512_permutexvar_epi8(codes, load(votes.plane[p]));
      all[p] = _mm512_add_epi16(all[p], bytes);
      odd[p] = _mm512_add_epi16(odd[p], _mm512_srli_epi16(bytes, 8));
    }
  }

  // sums += base + what was summed.
  MDDAG_INLINE void flush(std::int32_t base, std::int32_t* sums) const {
    __m512i even[4];
    for (std::size_t p = 0; p < 4; ++p)
      even[p] = _mm512_sub_epi16(all[p], _mm512_slli_epi16(odd[p], 8));
    const Numbers e(even[0], even[1], even[2], even[3]), o(odd[0], odd[1], odd[2], odd[3]);
    // Quarter q of the k-th of these has rows 16 q + 4 k and three more; then the k-th of quarter
    // q.
    const __m512i a = _mm512_unpacklo_epi32(e.low, o.low), b = _mm512_unpackhi_epi32(e.low, o.low);
    const __m512i c = _mm512_unpacklo_epi32(e.high, o.high),
                  d = _mm512_unpackhi_epi32(e.high, o.high);
    const __m512i ab = _mm512_shuffle_i32x4(a, b, 0x44), AB = _mm512_shuffle_i32x4(a, b, 0xEE);
    const __m512i cd = _mm512_shuffle_i32x4(c, d, 0x44), CD = _mm512_shuffle_i32x4(c, d, 0xEE);
    add_rows(_mm512_shuffle_i32x4(ab, cd, 0x88), base, sums);
    add_rows(_mm512_shuffle_i32x4(ab, cd, 0xDD), base, sums + 16);
    add_rows(_mm512_shuffle_i32x4(AB, CD, 0x88), base, sums + 32);
    add_rows(_mm512_shuffle_i32x4(AB, CD, 0xDD), base, sums + 48);
  }

 private:
  static MDDAG_INLINE void add_rows(__m512i rows, std::int32_t base, std::int32_t* sums) {
    const __m512i sum = _mm512_add_epi32(load(sums), rows);
    _mm512_storeu_si512(sums, _mm512_add_epi32(sum, _mm512_set1_epi32(base)));
  }
};

}  // namespace mddag::blocks::vbmi
