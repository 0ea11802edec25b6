// What lies in chosen lanes moved together, eight at a time, by a table of shuffles: fast on every
// machine with AVX2, where the instruction made for it (pext) is slow on some.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "blocks/kernels/kernels.hpp"

namespace mddag::blocks::avx2 {

struct PackTable {
  std::uint8_t shuffle[256][8];
};

constexpr PackTable pack_table() {
  PackTable table{};
  for (int mask = 0; mask < 256; ++mask)
    for (int lane = 0, to = 0; lane < 8; ++lane)
      if ((mask >> lane) & 1) table.shuffle[mask][to++] = static_cast<std::uint8_t>(lane);
  return table;
}

constexpr PackTable kPackTable = pack_table();

inline __m128i shuffle_of(std::uint8_t mask) {
  return _mm_loadl_epi64(reinterpret_cast<const __m128i*>(kPackTable.shuffle[mask]));
}

inline void pack_bytes(const std::uint8_t* masks, std::size_t n_masks, std::int8_t* bytes) {
  std::int8_t* to = bytes;
  for (std::size_t m = 0; m < n_masks; ++m) {
    const __m128i eight = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(bytes + 8 * m));
    _mm_storel_epi64(reinterpret_cast<__m128i*>(to), _mm_shuffle_epi8(eight, shuffle_of(masks[m])));
    to += _mm_popcnt_u32(masks[m]);
  }
}

inline void pack_words(const std::uint8_t* masks, std::size_t n_masks, const std::int32_t* words,
                       std::int32_t* to) {
  for (std::size_t m = 0; m < n_masks; ++m) {
    const __m256i eight = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(words + 8 * m));
    const __m256i lanes = _mm256_cvtepu8_epi32(shuffle_of(masks[m]));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm256_permutevar8x32_epi32(eight, lanes));
    to += _mm_popcnt_u32(masks[m]);
  }
}

// Of eight words.
inline std::uint8_t mask_equal(const std::int32_t* words, std::int32_t value) {
  const __m256i eight = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(words));
  const __m256i equal = _mm256_cmpeq_epi32(eight, _mm256_set1_epi32(value));
  return static_cast<std::uint8_t>(_mm256_movemask_ps(_mm256_castsi256_ps(equal)));
}

inline void mask_other(const std::int32_t* words, std::size_t n, std::int32_t value,
                       std::uint8_t* masks) {
  for (std::size_t i = 0; i < n; i += 8)
    masks[i / 8] = static_cast<std::uint8_t>(~mask_equal(words + i, value));
}

}  // namespace mddag::blocks::avx2
