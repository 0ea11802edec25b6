// What lies in chosen lanes moved together, four or eight at a time by a table of shuffles: fast on
// every machine, where the instruction made for it (pext) is slow on some. The specification is
// scalar::pack.
#pragma once

#include <cstddef>
#include <cstdint>

#include "blocks/kernels/kernels.hpp"
#include "levels/simd.hpp"

namespace mddag::blocks::MDDAG_LEVEL {

using namespace simd::MDDAG_LEVEL;

inline void mask_other(const std::int32_t* words, std::size_t n, std::int32_t value,
                       std::uint8_t* masks) {
  for (std::size_t i = 0; i < n; i += 8)
    masks[i / 8] = static_cast<std::uint8_t>(~mask_equal8(words + i, value));
}

// By mask: the lanes of its bits, and how many they are.
struct PackTable {
  std::uint8_t lanes[256][8];
  std::uint8_t count[256];
};

constexpr PackTable pack_table() {
  PackTable table{};
  for (int mask = 0; mask < 256; ++mask) {
    for (int lane = 0; lane < 8; ++lane)
      if ((mask >> lane) & 1)
        table.lanes[mask][table.count[mask]++] = static_cast<std::uint8_t>(lane);
  }
  return table;
}

constexpr PackTable kPackTable = pack_table();

// Of a mask's bits; without an instruction for it the table is faster.
MDDAG_INLINE std::size_t count_of(std::uint8_t mask) {
#ifdef MDDAG_X86
  return static_cast<std::size_t>(_mm_popcnt_u32(mask));
#else
  return kPackTable.count[mask];
#endif
}

MDDAG_INLINE U8x16 load8(const void* at) {
  using I64x2 = std::int64_t __attribute__((vector_size(16)));
  return (U8x16)I64x2{load<std::int64_t>(at), 0};
}

inline void pack_bytes(const std::uint8_t* masks, std::size_t n_masks, std::int8_t* bytes) {
  std::int8_t* to = bytes;
  for (std::size_t m = 0; m < n_masks; ++m) {
    const U8x16 packed = lookup(load8(bytes + 8 * m), load8(kPackTable.lanes[masks[m]]));
    std::memcpy(to, &packed, 8);  // the lower half
    to += count_of(masks[m]);
  }
}

#if MDDAG_BYTES == 32

inline void pack_words(const std::uint8_t* masks, std::size_t n_masks, const std::int32_t* words,
                       std::int32_t* to) {
  for (std::size_t m = 0; m < n_masks; ++m) {
    const __m256i lanes = _mm256_cvtepu8_epi32((__m128i)load8(kPackTable.lanes[masks[m]]));
    store(to, (I32)_mm256_permutevar8x32_epi32((__m256i)load<I32>(words + 8 * m), lanes));
    to += count_of(masks[m]);
  }
}

#else

// Four words, chosen by the lower four bits of a mask.
struct WordTable {
  std::uint8_t bytes[16][16];
};

constexpr WordTable word_table() {
  WordTable table{};
  for (int mask = 0; mask < 16; ++mask)
    for (int w = 0; w < kPackTable.count[mask]; ++w)
      for (int b = 0; b < 4; ++b)
        table.bytes[mask][4 * w + b] = static_cast<std::uint8_t>(4 * kPackTable.lanes[mask][w] + b);
  return table;
}

constexpr WordTable kWordTable = word_table();

inline void pack_words(const std::uint8_t* masks, std::size_t n_masks, const std::int32_t* words,
                       std::int32_t* to) {
  for (std::size_t m = 0; m < 2 * n_masks; ++m) {
    const auto mask = static_cast<std::uint8_t>(masks[m / 2] >> (m % 2 ? 4 : 0) & 15);
    store(to, lookup(load<U8>(words + 4 * m), load<U8>(kWordTable.bytes[mask])));
    to += count_of(mask);
  }
}

#endif

}  // namespace mddag::blocks::MDDAG_LEVEL
