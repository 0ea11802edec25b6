// Trees on rank bytes for machines that look up 64 and 128 bytes by one instruction (AVX-512 VBMI).
// The specifications are scalar::small_trees and scalar::large_trees.
//
// Masked additions collect the answers of seven splits, and one look-up in 128 bytes gives the
// exit: no function for each shape is needed. All trees pass over 128 rows before the next rows
// come, so that what is summed stays in registers and the ranks in the nearest cache.
//
// The exits of two small trees make one code of six bits, which chooses the votes of both from a
// table of 64, byte by byte (PairVotes). Bytes are summed in 16 bits, which hold those of
// kMostPairs pairs: even and odd rows apart, `all` being 256 * odd + even modulo 2^16.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "blocks/kernels/kernels.hpp"
#include "blocks/kernels/table_kernels.hpp"

#define MDDAG_INLINE inline __attribute__((always_inline))

namespace mddag::blocks::vbmi {

constexpr std::size_t kBytes = 64, kManyRows = 256, kMostPairs = 256, kPlanes = PairVotes::kPlanes;

MDDAG_INLINE __m512i load(const void* at) { return _mm512_loadu_si512(at); }
MDDAG_INLINE __m512i all(std::uint8_t byte) { return _mm512_set1_epi8(static_cast<char>(byte)); }

// The exits of kGroups times 64 rows; a threshold serves all of them.
template <std::size_t kGroups>
MDDAG_INLINE void find_exits(const Splits& splits, const std::int8_t* ranks,
                             const std::uint8_t* leaf_tables, __m512i* exits) {
  __m512i answers[kGroups];
  for (std::size_t s = 0; s < 7; ++s) {
    const __m512i threshold = _mm512_set1_epi8(splits.threshold[s]);
    const __m512i bit = all(static_cast<std::uint8_t>(1 << s));
    for (std::size_t g = 0; g < kGroups; ++g) {
      const __m512i bytes = load(ranks + splits.column[s] + g * kBytes);
      const __mmask64 left = _mm512_cmpgt_epi8_mask(threshold, bytes);
      answers[g] = s == 0 ? _mm512_maskz_mov_epi8(left, bit)
                          : _mm512_mask_add_epi8(answers[g], left, answers[g], bit);
    }
  }
  const std::uint8_t* table = leaf_tables + splits.shape * std::size_t{128};
  const __m512i low = load(table), high = load(table + kBytes);
  for (std::size_t g = 0; g < kGroups; ++g)
    exits[g] = _mm512_permutex2var_epi8(low, answers[g], high);
}

// Calls body.template run<kGroups>(i) for all rows, kGroups times 64 from row i on.
template <class Body>
MDDAG_INLINE void for_groups(std::size_t n, const Body& body) {
  constexpr std::size_t kGroups = 2;
  std::size_t i = 0;
  for (; i + kGroups * kBytes <= n; i += kGroups * kBytes) body.template run<kGroups>(i);
  for (; i < n; i += kBytes) body.template run<1>(i);
}

// The sums of 64 rows, in registers.
struct Planes {
  __m512i all[kPlanes], odd[kPlanes];

  MDDAG_INLINE Planes() {
    for (std::size_t p = 0; p < kPlanes; ++p) all[p] = odd[p] = _mm512_setzero_si512();
  }
  MDDAG_INLINE void add(const PairVotes& votes, __m512i codes) {
    for (std::size_t p = 0; p < kPlanes; ++p) {
      const __m512i bytes = _mm512_permutexvar_epi8(codes, load(votes.plane[p]));
      all[p] = _mm512_add_epi16(all[p], bytes);
      odd[p] = _mm512_add_epi16(odd[p], _mm512_srli_epi16(bytes, 8));
    }
  }
};

// Numbers of 32 bits from the sums of their three bytes, for 32 even or odd rows: of every sixteen
// rows, eight are in `low` and eight in `high`.
struct Numbers {
  __m512i low, high;

  MDDAG_INLINE Numbers(__m512i a, __m512i b, __m512i c) {
    const __m512i none = _mm512_setzero_si512();
    low = _mm512_add_epi32(_mm512_unpacklo_epi16(a, c),
                           _mm512_slli_epi32(_mm512_unpacklo_epi16(b, none), 8));
    high = _mm512_add_epi32(_mm512_unpackhi_epi16(a, c),
                            _mm512_slli_epi32(_mm512_unpackhi_epi16(b, none), 8));
  }
};

// sums += base + what was summed, for 64 rows.
MDDAG_INLINE void flush(const Planes& planes, std::int32_t base, std::int32_t* sums) {
  __m512i even[kPlanes];
  for (std::size_t p = 0; p < kPlanes; ++p)
    even[p] = _mm512_sub_epi16(planes.all[p], _mm512_slli_epi16(planes.odd[p], 8));
  const Numbers e(even[0], even[1], even[2]), o(planes.odd[0], planes.odd[1], planes.odd[2]);
  // Quarter q of the k-th of these has rows 16 q + 4 k and three more; then the k-th of quarter q.
  const __m512i a = _mm512_unpacklo_epi32(e.low, o.low), b = _mm512_unpackhi_epi32(e.low, o.low);
  const __m512i c = _mm512_unpacklo_epi32(e.high, o.high),
                d = _mm512_unpackhi_epi32(e.high, o.high);
  const __m512i ab = _mm512_shuffle_i32x4(a, b, 0x44), AB = _mm512_shuffle_i32x4(a, b, 0xEE);
  const __m512i cd = _mm512_shuffle_i32x4(c, d, 0x44), CD = _mm512_shuffle_i32x4(c, d, 0xEE);
  const __m512i rows[4] = {_mm512_shuffle_i32x4(ab, cd, 0x88), _mm512_shuffle_i32x4(ab, cd, 0xDD),
                           _mm512_shuffle_i32x4(AB, CD, 0x88), _mm512_shuffle_i32x4(AB, CD, 0xDD)};
  for (std::size_t q = 0; q < 4; ++q) {
    const __m512i sum = _mm512_add_epi32(load(sums + 16 * q), rows[q]);
    _mm512_storeu_si512(sums + 16 * q, _mm512_add_epi32(sum, _mm512_set1_epi32(base)));
  }
}

// The trees first .. end, which are pairs for the same score.
struct Pairs {
  const SmallTrees& trees;
  std::size_t first, end;
  const Lanes& lanes;

  template <std::size_t kGroups>
  MDDAG_INLINE void run(std::size_t i) const {
    const std::int8_t* ranks = lanes.ranks + i;
    const std::uint8_t* leaf_tables = lanes.leaf_tables;
    const SmallTree* tree = trees.trees + first;
    const PairVotes* votes = trees.pairs + first / 2;
    const PairVotes* last = trees.pairs + end / 2;
    Planes sums[kGroups];
    std::int32_t base = 0;
    for (; votes != last; ++votes, tree += 2) {
      __m512i exits[2][kGroups];
      find_exits<kGroups>(tree[0].splits, ranks, leaf_tables, exits[0]);
      find_exits<kGroups>(tree[1].splits, ranks, leaf_tables, exits[1]);
      for (std::size_t g = 0; g < kGroups; ++g)
        sums[g].add(*votes, _mm512_or_si512(exits[0][g], _mm512_slli_epi16(exits[1][g], 3)));
      base = static_cast<std::int32_t>(static_cast<std::uint32_t>(base) +
                                       static_cast<std::uint32_t>(votes->least));
    }
    std::int32_t* to = lanes.sums + trees.trees[first].score * lanes.sums_stride + i;
    for (std::size_t g = 0; g < kGroups; ++g) flush(sums[g], base, to + g * kBytes);
  }
};

// A tree that is in no pair.
struct Single {
  const SmallTree& tree;
  const Lanes& lanes;

  template <std::size_t kGroups>
  MDDAG_INLINE void run(std::size_t i) const {
    __m512i exits[kGroups];
    find_exits<kGroups>(tree.splits, lanes.ranks + i, lanes.leaf_tables, exits);
    const auto* eight = reinterpret_cast<const __m256i*>(tree.votes);
    const __m512i votes = _mm512_broadcast_i64x4(_mm256_loadu_si256(eight));
    std::int32_t* sums = lanes.sums + tree.score * lanes.sums_stride + i;
    for (std::size_t g = 0; g < kGroups; ++g) {
      add<0>(exits[g], votes, sums + g * kBytes);
      add<1>(exits[g], votes, sums + g * kBytes);
      add<2>(exits[g], votes, sums + g * kBytes);
      add<3>(exits[g], votes, sums + g * kBytes);
    }
  }

 private:
  template <int quarter>
  static MDDAG_INLINE void add(__m512i exits, __m512i votes, std::int32_t* sums) {
    const __m512i at = _mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32(exits, quarter));
    std::int32_t* to = sums + 16 * quarter;
    _mm512_storeu_si512(to, _mm512_add_epi32(load(to), _mm512_permutexvar_epi32(at, votes)));
  }
};

inline void small_trees(const SmallTrees& trees, std::size_t first, std::size_t n,
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
      for_groups(lanes.n, Pairs{trees, t, stop, lanes});
    else
      for_groups(lanes.n, Single{trees.trees[stop++], lanes});
    t = stop;
  }
}

// The codes of the leaves of a large tree, which stay in registers from piece to piece.
struct Codes {
  const LargeTree& tree;
  const Lanes& lanes;
  std::uint8_t* to;

  template <std::size_t kGroups>
  MDDAG_INLINE void run(std::size_t i) const {
    __m512i codes[kGroups];
    for (std::size_t g = 0; g < kGroups; ++g) codes[g] = all(tree.entry);
    for (const Piece* piece = tree.pieces; piece != tree.pieces + tree.n_pieces; ++piece) {
      __m512i exits[kGroups];
      find_exits<kGroups>(piece->splits, lanes.ranks + i, lanes.leaf_tables, exits);
      const auto* eight = reinterpret_cast<const __m128i*>(piece->codes);
      const __m512i after = _mm512_broadcastq_epi64(_mm_loadl_epi64(eight));
      for (std::size_t g = 0; g < kGroups; ++g) {
        const __mmask64 enters = _mm512_cmpeq_epi8_mask(codes[g], all(piece->entry));
        codes[g] = _mm512_mask_shuffle_epi8(codes[g], enters, after, exits[g]);
      }
    }
    for (std::size_t g = 0; g < kGroups; ++g) _mm512_storeu_si512(to + i + g * kBytes, codes[g]);
  }
};

struct Machine;  // keeps the copies of other levels apart

inline void large_trees(const LargeTree* trees, std::size_t n_trees, const Lanes& lanes) {
  TableKernels<Machine>::large_trees(
      trees, n_trees, lanes, [](const LargeTree& tree, const Lanes& rows, std::uint8_t* codes) {
        for_groups(rows.n, Codes{tree, rows, codes});
      });
}

// Chosen bytes and words moved together: an instruction does it, in registers.
inline void pack_bytes(const std::uint8_t* masks, std::size_t n_masks, std::int8_t* bytes) {
  std::int8_t* to = bytes;
  for (std::size_t m = 0; m < n_masks; m += 8) {
    std::uint64_t mask;
    __builtin_memcpy(&mask, masks + m, 8);
    _mm512_storeu_si512(to, _mm512_maskz_compress_epi8(mask, load(bytes + 8 * m)));
    to += _mm_popcnt_u64(mask);
  }
}

inline void pack_words(const std::uint8_t* masks, std::size_t n_masks, const std::int32_t* words,
                       std::int32_t* to) {
  for (std::size_t m = 0; m < n_masks; m += 2) {
    std::uint16_t mask;
    __builtin_memcpy(&mask, masks + m, 2);
    _mm512_storeu_si512(to, _mm512_maskz_compress_epi32(mask, load(words + 8 * m)));
    to += _mm_popcnt_u32(mask);
  }
}

}  // namespace mddag::blocks::vbmi
