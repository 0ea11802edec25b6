// Trees on rank bytes for machines that look up 64 and 128 bytes by one instruction (AVX-512 VBMI).
// The specifications are scalar::small_trees and scalar::large_trees.
//
// Masked additions collect the answers of seven splits, and one look-up in 128 bytes gives the
// exit: no function for each shape is needed. All trees pass over 128 rows before the next rows
// come, so that what is summed stays in registers and the ranks in the nearest cache.
//
// The exits of two small trees make one code, for which vbmi_planes.hpp adds the votes of both.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "blocks/kernels/kernels.hpp"
#include "blocks/kernels/table_kernels.hpp"
#include "blocks/kernels/vbmi_planes.hpp"

namespace mddag::blocks::vbmi {

constexpr std::size_t kBytes = 64, kHalf = 32, kManyRows = 256;

MDDAG_INLINE __m512i all(std::uint8_t byte) { return _mm512_set1_epi8(static_cast<char>(byte)); }

// 64 rows: answers + bit where a split sends the row left.
struct Whole {
  using Bytes = __m512i;

  static MDDAG_INLINE Bytes all(std::int8_t byte) { return _mm512_set1_epi8(byte); }
  static MDDAG_INLINE Bytes collected(Bytes answers, Bytes threshold, const void* ranks,
                                      Bytes bit) {
    const __mmask64 left = _mm512_cmpgt_epi8_mask(threshold, load(ranks));
    return _mm512_mask_add_epi8(answers, left, answers, bit);
  }
  static MDDAG_INLINE __m512i widened(Bytes bytes) { return bytes; }
};

// 32 rows, in half the time; what is in the other lanes is not used.
struct Half {
  using Bytes = __m256i;

  static MDDAG_INLINE Bytes all(std::int8_t byte) { return _mm256_set1_epi8(byte); }
  static MDDAG_INLINE Bytes collected(Bytes answers, Bytes threshold, const void* ranks,
                                      Bytes bit) {
    const __m256i bytes = _mm256_loadu_si256(static_cast<const __m256i*>(ranks));
    const __mmask32 left = _mm256_cmpgt_epi8_mask(threshold, bytes);
    return _mm256_mask_add_epi8(answers, left, answers, bit);
  }
  static MDDAG_INLINE __m512i widened(Bytes bytes) { return _mm512_zextsi256_si512(bytes); }
};

// The exits of kGroups times 64 rows, or of half a group; a threshold serves all of them.
template <class Rows, std::size_t kGroups>
MDDAG_INLINE void find_exits(const Splits& splits, const std::int8_t* ranks,
                             const std::uint8_t* leaf_tables, __m512i* exits) {
  typename Rows::Bytes answers[kGroups];
  for (std::size_t g = 0; g < kGroups; ++g) answers[g] = Rows::all(0);
  for (std::size_t s = 0; s < 7; ++s) {
    const auto threshold = Rows::all(splits.threshold[s]);
    const auto bit = Rows::all(static_cast<std::int8_t>(1 << s));
    for (std::size_t g = 0; g < kGroups; ++g)
      answers[g] =
          Rows::collected(answers[g], threshold, ranks + splits.column[s] + g * kBytes, bit);
  }
  const std::uint8_t* table = leaf_tables + splits.shape * std::size_t{128};
  const __m512i low = load(table), high = load(table + kBytes);
  for (std::size_t g = 0; g < kGroups; ++g)
    exits[g] = _mm512_permutex2var_epi8(low, Rows::widened(answers[g]), high);
}

// Calls body.template run<Rows, kGroups>(i) for all rows, kGroups times 64 or 32 from row i on.
template <class Body>
MDDAG_INLINE void for_groups(std::size_t n, const Body& body) {
  constexpr std::size_t kGroups = 2;
  std::size_t i = 0;
  for (; i + kGroups * kBytes <= n; i += kGroups * kBytes) body.template run<Whole, kGroups>(i);
  for (; i + kBytes <= n; i += kBytes) body.template run<Whole, 1>(i);
  if (i < n) body.template run<Half, 1>(i);
}

// Pairs of trees for the same score, at least one. The votes of a pair are added while the splits
// of the next are compared: look-ups take long, and comparisons wait for none of them.
template <std::size_t kPlanes>
struct Pairs {
  const SmallTree* trees;
  const PairVotes *first, *last;
  const Lanes& lanes;

  template <class Rows, std::size_t kGroups>
  MDDAG_INLINE void run(std::size_t i) const {
    const SmallTree* tree = trees;
    Planes<kPlanes> sums[kGroups];
    __m512i codes[kGroups];
    find_codes<Rows, kGroups>(tree, i, codes);
    std::uint32_t base = 0;
    for (const PairVotes* votes = first; votes != last; ++votes) {
      __m512i next[kGroups];
      find_codes<Rows, kGroups>(tree += 2, i, next);
      base += add<kGroups>(*votes, codes, sums);
      for (std::size_t g = 0; g < kGroups; ++g) codes[g] = next[g];
    }
    base += add<kGroups>(*last, codes, sums);
    std::int32_t* to = lanes.sums + trees->score * lanes.sums_stride + i;
    for (std::size_t g = 0; g < kGroups; ++g)
      sums[g].flush(static_cast<std::int32_t>(base), to + g * kBytes);
  }

 private:
  template <class Rows, std::size_t kGroups>
  MDDAG_INLINE void find_codes(const SmallTree* tree, std::size_t i, __m512i* codes) const {
    const std::int8_t* ranks = lanes.ranks + i;
    __m512i second[kGroups];
    find_exits<Rows, kGroups>(tree[0].splits, ranks, lanes.leaf_tables, codes);
    find_exits<Rows, kGroups>(tree[1].splits, ranks, lanes.leaf_tables, second);
    for (std::size_t g = 0; g < kGroups; ++g)
      codes[g] = _mm512_or_si512(codes[g], _mm512_slli_epi16(second[g], 3));
  }

  template <std::size_t kGroups>
  static MDDAG_INLINE std::uint32_t add(const PairVotes& votes, const __m512i* codes,
                                        Planes<kPlanes>* sums) {
    for (std::size_t g = 0; g < kGroups; ++g) sums[g].add(votes, codes[g]);
    return static_cast<std::uint32_t>(votes.least);
  }
};

// A tree that is in no pair.
struct Single {
  const SmallTree& tree;
  const Lanes& lanes;

  template <class Rows, std::size_t kGroups>
  MDDAG_INLINE void run(std::size_t i) const {
    __m512i exits[kGroups];
    find_exits<Rows, kGroups>(tree.splits, lanes.ranks + i, lanes.leaf_tables, exits);
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

// Pairs for one score from tree t on, and the planes that the widest of them needs. Where that
// number changes, a long run ends: to add its sums takes as long as one or two trees.
struct Run {
  std::size_t n_pairs = 0, n_planes = 0;

  Run(const SmallTrees& trees, std::size_t t, std::size_t end) {
    constexpr std::size_t kLong = 24;
    if (t % 2 != 0) return;
    for (; n_pairs < kMostPairs && t + 1 < end; ++n_pairs, t += 2) {
      const std::size_t needed = trees.pairs[t / 2].n_planes;
      if (needed == 0 || trees.trees[t].score != trees.trees[t - 2 * n_pairs].score) return;
      if (n_pairs >= kLong && needed != n_planes) return;
      if (needed > n_planes) n_planes = needed;
    }
  }
};

inline void small_trees(const SmallTrees& trees, std::size_t first, std::size_t n,
                        const Lanes& lanes) {
  for (std::size_t t = first; t < first + n;) {
    const Run run(trees, t, first + n);
    if (run.n_pairs == 0) {
      for_groups(lanes.n, Single{trees.trees[t], lanes});
      ++t;
      continue;
    }
    const PairVotes *votes = trees.pairs + t / 2, *last = votes + run.n_pairs - 1;
    if (run.n_planes == 3)
      for_groups(lanes.n, Pairs<3>{trees.trees + t, votes, last, lanes});
    else
      for_groups(lanes.n, Pairs<4>{trees.trees + t, votes, last, lanes});
    t += 2 * run.n_pairs;
  }
}

inline void lookups(const std::int8_t* tables, std::size_t n_tables, const std::uint8_t* index,
                    std::size_t n, std::int8_t* out, std::size_t column_stride) {
  for (std::size_t t = 0; t < n_tables; ++t) {
    const __m512i low = load(tables + 128 * t), high = load(tables + 128 * t + kBytes);
    for (std::size_t i = 0; i < n; i += kHalf) {
      const auto* half = reinterpret_cast<const __m256i*>(index + i);
      const __m512i at = _mm512_castsi256_si512(_mm256_loadu_si256(half));
      const __m512i found = _mm512_permutex2var_epi8(low, at, high);
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + t * column_stride + i),
                          _mm512_castsi512_si256(found));
    }
  }
}

// The codes of an oblivious tree.
struct ObliviousCodes {
  const LargeTree& tree;
  const Lanes& lanes;
  std::uint8_t* to;

  template <class Rows, std::size_t kGroups>
  MDDAG_INLINE void run(std::size_t i) const {
    typename Rows::Bytes codes[kGroups];
    for (std::size_t g = 0; g < kGroups; ++g) codes[g] = Rows::all(0);
    for (std::uint32_t l = 0; l < tree.n_levels; ++l) {
      const auto threshold = Rows::all(tree.levels[l].threshold);
      const auto bit = Rows::all(static_cast<std::int8_t>(1u << (tree.n_levels - 1 - l)));
      for (std::size_t g = 0; g < kGroups; ++g)
        codes[g] = Rows::collected(codes[g], threshold,
                                   lanes.ranks + tree.levels[l].column + i + g * kBytes, bit);
    }
    for (std::size_t g = 0; g < kGroups; ++g)
      _mm512_storeu_si512(to + i + g * kBytes, Rows::widened(codes[g]));
  }
};

// The codes of the leaves of a large tree, which stay in registers from piece to piece.
struct Codes {
  const LargeTree& tree;
  const Lanes& lanes;
  std::uint8_t* to;

  template <class Rows, std::size_t kGroups>
  MDDAG_INLINE void run(std::size_t i) const {
    __m512i codes[kGroups];
    for (std::size_t g = 0; g < kGroups; ++g) codes[g] = all(tree.entry);
    for (const Piece* piece = tree.pieces; piece != tree.pieces + tree.n_pieces; ++piece) {
      __m512i exits[kGroups];
      find_exits<Rows, kGroups>(piece->splits, lanes.ranks + i, lanes.leaf_tables, exits);
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
        if (tree.n_levels > 0)
          for_groups(rows.n, ObliviousCodes{tree, rows, codes});
        else
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
