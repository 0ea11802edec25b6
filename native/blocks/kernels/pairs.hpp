// Small trees two by two, for machines that choose from 64 bytes by one instruction (AVX-512 VBMI).
//
// The exits of two trees make one code of six bits, which chooses the votes of both from a table of
// 64, byte by byte (PairVotes). Bytes are summed in 16 bits, which hold those of kMostPairs pairs:
// even and odd rows apart, `all` being 256 * odd + even modulo 2^16.
#pragma once

#include <cstddef>
#include <cstdint>

#include "blocks/kernels/kernels.hpp"
#include "blocks/kernels/trees.hpp"
#include "levels/simd.hpp"

namespace mddag::blocks::MDDAG_LEVEL {

using namespace simd::MDDAG_LEVEL;

#if MDDAG_BYTES != 64

constexpr bool kHasPairs = false;
inline void pairs_of_trees(const SmallTrees&, std::size_t, std::size_t, const Lanes&) {}

#else

constexpr bool kHasPairs = true;
constexpr std::size_t kMostPairs = 256, kPlanes = PairVotes::kPlanes;

// The sums of 64 rows, in registers.
struct Planes {
  U16 all[kPlanes] = {}, odd[kPlanes] = {};

  MDDAG_INLINE void add(std::size_t plane, U8 bytes) {
    all[plane] += (U16)bytes;
    odd[plane] += (U16)bytes >> 8;
  }
};

// Numbers of 32 bits from the sums of their three bytes: of rows 0 .. 7 and of rows 8 .. 15 of
// every sixteen, if even and odd rows are counted together.
struct Numbers {
  I32 low, high;

  MDDAG_INLINE Numbers(U16 a, U16 b, U16 c)
      : low((I32)zip_low(a, c) + ((I32)zip_low(b, U16{}) << 8)),
        high((I32)zip_high(a, c) + ((I32)zip_high(b, U16{}) << 8)) {}
};

template <int pick>
MDDAG_INLINE __m512i quarters(__m512i a, __m512i b) {
  return _mm512_shuffle_i32x4(a, b, pick);
}

// sums += base + what was summed, for 64 rows.
MDDAG_INLINE void flush(const Planes& planes, std::int32_t base, std::int32_t* sums) {
  U16 even[kPlanes];
  for (std::size_t p = 0; p < kPlanes; ++p) even[p] = planes.all[p] - (planes.odd[p] << 8);
  const Numbers e(even[0], even[1], even[2]), o(planes.odd[0], planes.odd[1], planes.odd[2]);
  // Quarter q of the k-th has rows 16 q + 4 k and three more; then the k-th of quarter q.
  const __m512i a = (__m512i)zip_low(e.low, o.low), b = (__m512i)zip_high(e.low, o.low);
  const __m512i c = (__m512i)zip_low(e.high, o.high), d = (__m512i)zip_high(e.high, o.high);
  const __m512i ab = quarters<0x44>(a, b), AB = quarters<0xEE>(a, b);
  const __m512i cd = quarters<0x44>(c, d), CD = quarters<0xEE>(c, d);
  const __m512i rows[4] = {quarters<0x88>(ab, cd), quarters<0xDD>(ab, cd), quarters<0x88>(AB, CD),
                           quarters<0xDD>(AB, CD)};
  for (std::size_t q = 0; q < 4; ++q)
    store(sums + q * kWords, load<I32>(sums + q * kWords) + (I32)rows[q] + base);
}

// The exits of kGroups times 64 rows; a threshold serves all of them.
template <std::size_t kGroups>
MDDAG_INLINE void find_exits(const Splits& splits, const std::int8_t* ranks,
                             const std::uint8_t* leaf_tables, U8* exits) {
  __m512i answers[kGroups];
  for (std::size_t s = 0; s < 7; ++s) {
    const __m512i threshold = _mm512_set1_epi8(splits.threshold[s]);
    const __m512i bit = _mm512_set1_epi8(static_cast<char>(1 << s));
    for (std::size_t g = 0; g < kGroups; ++g) {
      const __m512i bytes = _mm512_loadu_si512(ranks + splits.column[s] + g * kBytes);
      const __mmask64 left = _mm512_cmpgt_epi8_mask(threshold, bytes);
      answers[g] = s == 0 ? _mm512_maskz_mov_epi8(left, bit)
                          : _mm512_mask_add_epi8(answers[g], left, answers[g], bit);
    }
  }
  const Table128 table(leaf_tables + splits.shape * std::size_t{128});
  for (std::size_t g = 0; g < kGroups; ++g) exits[g] = table[(U8)answers[g]];
}

// The trees first .. end, which are pairs for the same score, on kGroups times 64 rows from row i
// on: few enough that all columns of ranks stay in the nearest cache while the trees pass.
template <std::size_t kGroups>
void run_pairs(const SmallTrees& trees, std::size_t first, std::size_t end, const Lanes& lanes,
               std::size_t i) {
  const std::int8_t* ranks = lanes.ranks + i;
  const std::uint8_t* leaf_tables = lanes.leaf_tables;
  Planes sums[kGroups];
  std::int32_t base = 0;
  for (std::size_t t = first; t < end; t += 2) {
    const PairVotes& votes = trees.pairs[t / 2];
    U8 exits[2][kGroups];
    for (std::size_t k = 0; k < 2; ++k)
      find_exits<kGroups>(trees.trees[t + k].splits, ranks, leaf_tables, exits[k]);
    for (std::size_t g = 0; g < kGroups; ++g) {
      const __m512i both = (__m512i)(exits[0][g] | (U8)((U16)exits[1][g] << 3));
      for (std::size_t p = 0; p < kPlanes; ++p)
        sums[g].add(p, (U8)_mm512_permutexvar_epi8(both, _mm512_load_si512(votes.plane[p])));
    }
    base += votes.least;
  }
  std::int32_t* to = lanes.sums + trees.trees[first].score * lanes.sums_stride + i;
  for (std::size_t g = 0; g < kGroups; ++g) flush(sums[g], base, to + g * kBytes);
}

inline void run_pairs(const SmallTrees& trees, std::size_t first, std::size_t end,
                      const Lanes& lanes) {
  constexpr std::size_t kGroups = 2;
  std::size_t i = 0;
  for (; i + kGroups * kBytes <= lanes.n; i += kGroups * kBytes)
    run_pairs<kGroups>(trees, first, end, lanes, i);
  for (; i < lanes.n; i += kBytes) run_pairs<1>(trees, first, end, lanes, i);
}

inline void pairs_of_trees(const SmallTrees& trees, std::size_t first, std::size_t n,
                           const Lanes& lanes) {
  const std::size_t end = first + n;
  const auto is_pair = [&](std::size_t t) {
    return t % 2 == 0 && t + 1 < end && trees.pairs[t / 2].fits;
  };
  for (std::size_t t = first; t < end;) {
    std::size_t stop = t;
    while (stop - t < 2 * kMostPairs && is_pair(stop) &&
           trees.trees[stop].score == trees.trees[t].score)
      stop += 2;
    if (stop > t)
      run_pairs(trees, t, stop, lanes);
    else
      small_tree(trees.trees[stop++], lanes);
    t = stop;
  }
}

#endif

}  // namespace mddag::blocks::MDDAG_LEVEL
