// Bytes of chosen lanes moved together, eight at a time, by a table of shuffles: fast on every
// machine with AVX2, where the instruction made for it (pext) is slow on some.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

namespace mddag::engine::avx2 {

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

inline void pack(const std::uint8_t* masks, std::size_t n_masks, std::int8_t* bytes) {
  std::int8_t* to = bytes;
  for (std::size_t m = 0; m < n_masks; ++m) {
    const auto* from = reinterpret_cast<const __m128i*>(bytes + 8 * m);
    const auto* shuffle = reinterpret_cast<const __m128i*>(kPackTable.shuffle[masks[m]]);
    const __m128i packed = _mm_shuffle_epi8(_mm_loadl_epi64(from), _mm_loadl_epi64(shuffle));
    _mm_storel_epi64(reinterpret_cast<__m128i*>(to), packed);
    to += _mm_popcnt_u32(masks[m]);
  }
}

}  // namespace mddag::engine::avx2
