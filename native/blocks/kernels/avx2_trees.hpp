// Trees on rank bytes with AVX2, 32 rows at a time. The specifications are portable::small_trees
// and portable::large_trees.
//
// A function for each shape selects the exit from the bottom up, straight-line code of seven byte
// comparisons; one permutation then turns eight exits into votes, or one shuffle into codes. A call
// of such a function pays for itself from kManyRows rows on; below, one function does for every
// shape by a table of the exit that the seven answers lead to.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>
#include <utility>

#include "blocks/kernels/avx2_inline.hpp"
#include "blocks/kernels/avx2_pack.hpp"
#include "blocks/kernels/kernels.hpp"
#include "blocks/kernels/shapes.hpp"
#include "blocks/kernels/table_kernels.hpp"

namespace mddag::blocks::avx2 {

struct Machine {
  static std::uint8_t mask_equal(const std::int32_t* words, std::int32_t value) {
    return avx2::mask_equal(words, value);
  }
};

constexpr std::size_t kManyRows = 256;

MDDAG_INLINE __m256i load(const void* at) {
  return _mm256_loadu_si256(static_cast<const __m256i*>(at));
}

MDDAG_INLINE void store(void* at, __m256i bytes) {
  _mm256_storeu_si256(static_cast<__m256i*>(at), bytes);
}

// sums += votes[exit], for 32 exits.
MDDAG_INLINE void add_votes(__m256i leaf, __m256i votes, std::int32_t* sums) {
  const __m128i halves[2] = {_mm256_castsi256_si128(leaf), _mm256_extracti128_si256(leaf, 1)};
  for (int h = 0; h < 2; ++h) {
    const __m256i low = _mm256_cvtepu8_epi32(halves[h]);
    const __m256i high = _mm256_cvtepu8_epi32(_mm_unpackhi_epi64(halves[h], halves[h]));
    std::int32_t* at = sums + 16 * h;
    store(at, _mm256_add_epi32(load(at), _mm256_permutevar8x32_epi32(votes, low)));
    store(at + 8, _mm256_add_epi32(load(at + 8), _mm256_permutevar8x32_epi32(votes, high)));
  }
}

// The exits that the subtree at position `at` of a shape finds.
template <std::size_t shape, int at>
MDDAG_INLINE __m256i selected(const __m256i* threshold, const std::int8_t* const* column,
                              std::size_t i) {
  constexpr Shape kShape = kAllShapes[shape];
  constexpr int split = kShape.splits_before(at), leaf = at - split;
  if constexpr (!kShape.is_split(at)) {
    return _mm256_set1_epi8(leaf);
  } else {
    constexpr int left = at + 1, right = kShape.end(left);
    const __m256i goes_left = _mm256_cmpgt_epi8(threshold[split], load(column[split] + i));
    if constexpr (!kShape.is_split(left) && !kShape.is_split(right))
      return _mm256_add_epi8(_mm256_set1_epi8(leaf + 1), goes_left);
    else
      return _mm256_blendv_epi8(selected<shape, right>(threshold, column, i),
                                selected<shape, left>(threshold, column, i), goes_left);
  }
}

// The votes of a small tree, added to the sums.
struct AddVotes {
  using Tree = SmallTree;
  using Target = std::int32_t;

  explicit MDDAG_INLINE AddVotes(const SmallTree& tree) : votes(load(tree.votes)) {}
  MDDAG_INLINE void operator()(__m256i exits, std::int32_t* sums) const {
    add_votes(exits, votes, sums);
  }

  __m256i votes;
};

// The codes of a piece, for the rows that enter it.
struct EnterPiece {
  using Tree = Piece;
  using Target = std::uint8_t;

  explicit MDDAG_INLINE EnterPiece(const Piece& piece)
      : codes(_mm256_broadcastq_epi64(
            _mm_loadl_epi64(reinterpret_cast<const __m128i*>(piece.codes)))),
        entry(_mm256_set1_epi8(static_cast<char>(piece.entry))) {}
  MDDAG_INLINE void operator()(__m256i exits, std::uint8_t* at) const {
    const __m256i before = load(at);
    store(at, _mm256_blendv_epi8(before, _mm256_shuffle_epi8(codes, exits),
                                 _mm256_cmpeq_epi8(before, entry)));
  }

  __m256i codes, entry;
};

template <class Use, std::size_t shape>
void use_shaped(const typename Use::Tree& tree, const std::int8_t* ranks,
                typename Use::Target* target, std::size_t n) {
  constexpr int n_splits = kAllShapes[shape].n_leaves - 1;
  __m256i threshold[n_splits];
  const std::int8_t* column[n_splits];
  for (int s = 0; s < n_splits; ++s) {
    threshold[s] = _mm256_set1_epi8(tree.splits.threshold[s]);
    column[s] = ranks + tree.splits.column[s];
  }
  const Use use(tree);
  for (std::size_t i = 0; i < n; i += kLanes)
    use(selected<shape, 0>(threshold, column, i), target + i);
}

template <class Use, class Numbers>
struct Shaped;
template <class Use, std::size_t... shape>
struct Shaped<Use, std::index_sequence<shape...>> {
  static constexpr decltype(&use_shaped<Use, 0>) kernels[] = {use_shaped<Use, shape>...};
};

// Of 128 bytes, those that the seven lower bits of `at` choose; sixteen fit one shuffle.
MDDAG_INLINE __m256i looked_up(const std::uint8_t* table, __m256i at) {
  const __m256i bit4 = _mm256_slli_epi16(at, 3), bit5 = _mm256_slli_epi16(at, 2),
                bit6 = _mm256_slli_epi16(at, 1);
  const __m256i low = _mm256_and_si256(at, _mm256_set1_epi8(15));
  const auto sixteen = [&](int part) {
    const auto* bytes = reinterpret_cast<const __m128i*>(table) + part;
    return _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(_mm_loadu_si128(bytes)), low);
  };
  const auto choose = [](__m256i a, __m256i b, __m256i bit) {
    return _mm256_blendv_epi8(a, b, bit);
  };
  const __m256i a =
      choose(choose(sixteen(0), sixteen(1), bit4), choose(sixteen(2), sixteen(3), bit4), bit5);
  const __m256i b =
      choose(choose(sixteen(4), sixteen(5), bit4), choose(sixteen(6), sixteen(7), bit4), bit5);
  return choose(a, b, bit6);
}

template <class Use>
void use_any(const typename Use::Tree& tree, const std::uint8_t* exits, const std::int8_t* ranks,
             typename Use::Target* target, std::size_t n) {
  const Use use(tree);
  for (std::size_t i = 0; i < n; i += kLanes) {
    __m256i answers = _mm256_setzero_si256();
    for (int s = 6; s >= 0; --s) {
      const __m256i goes_left = _mm256_cmpgt_epi8(_mm256_set1_epi8(tree.splits.threshold[s]),
                                                  load(ranks + tree.splits.column[s] + i));
      answers = _mm256_sub_epi8(_mm256_add_epi8(answers, answers), goes_left);
    }
    use(looked_up(exits, answers), target + i);
  }
}

template <class Use>
MDDAG_INLINE void use_splits(const typename Use::Tree& tree, const Lanes& lanes,
                             typename Use::Target* target) {
  using AllShapes = std::make_index_sequence<kShapes>;
  const std::uint32_t shape = tree.splits.shape;
  if (lanes.n >= kManyRows)
    Shaped<Use, AllShapes>::kernels[shape](tree, lanes.ranks, target, lanes.n);
  else
    use_any<Use>(tree, lanes.leaf_tables + shape * std::size_t{128}, lanes.ranks, target, lanes.n);
}

inline void small_trees(const SmallTree* trees, std::size_t n_trees, const Lanes& lanes) {
  for (const SmallTree* tree = trees; tree != trees + n_trees; ++tree)
    use_splits<AddVotes>(*tree, lanes, lanes.sums + tree->score * lanes.sums_stride);
}

inline void large_trees(const LargeTree* trees, std::size_t n_trees, const Lanes& lanes) {
  TableKernels<Machine>::large_trees(trees, n_trees, lanes, use_splits<EnterPiece>);
}

}  // namespace mddag::blocks::avx2
