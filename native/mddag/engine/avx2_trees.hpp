// Trees on rank bytes with AVX2, 32 rows at a time. The specifications are portable::small_trees
// and portable::programmes.
//
// Small trees: a function for each shape selects from the bottom up, straight-line code of seven
// byte comparisons; one permutation then turns eight leaf numbers into votes. A call of such a
// function pays for itself from kManyRows rows on; below, one function serves every shape by a
// table of the leaf that the seven answers lead to.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>
#include <utility>

#include "mddag/engine/kernels.hpp"
#include "mddag/engine/shapes.hpp"

#define MDDAG_INLINE inline __attribute__((always_inline))

namespace mddag::engine::avx2 {

constexpr std::size_t kManyRows = 256;

MDDAG_INLINE __m256i load(const void* at) {
  return _mm256_loadu_si256(static_cast<const __m256i*>(at));
}

MDDAG_INLINE void store(void* at, __m256i bytes) {
  _mm256_storeu_si256(static_cast<__m256i*>(at), bytes);
}

// sums += votes[leaf], for 32 leaf numbers below eight.
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

// The leaf numbers that the subtree at position `at` of a shape finds.
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

template <std::size_t shape>
void shaped_tree(const SmallTree& tree, const std::int8_t* ranks, std::int32_t* sums,
                 std::size_t n) {
  constexpr int n_splits = kAllShapes[shape].n_leaves - 1;
  __m256i threshold[n_splits];
  const std::int8_t* column[n_splits];
  for (int s = 0; s < n_splits; ++s) {
    threshold[s] = _mm256_set1_epi8(tree.threshold[s]);
    column[s] = ranks + tree.column[s];
  }
  const __m256i votes = load(tree.votes);
  for (std::size_t i = 0; i < n; i += kLanes)
    add_votes(selected<shape, 0>(threshold, column, i), votes, sums + i);
}

using TreeKernel = void (*)(const SmallTree&, const std::int8_t*, std::int32_t*, std::size_t);

template <class Numbers>
struct ShapedTrees;
template <std::size_t... shape>
struct ShapedTrees<std::index_sequence<shape...>> {
  static constexpr TreeKernel kernels[] = {shaped_tree<shape>...};
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

inline void any_tree(const SmallTree& tree, const std::uint8_t* leaves, const std::int8_t* ranks,
                     std::int32_t* sums, std::size_t n) {
  const __m256i votes = load(tree.votes);
  for (std::size_t i = 0; i < n; i += kLanes) {
    __m256i answers = _mm256_setzero_si256();
    for (int s = 6; s >= 0; --s) {
      const __m256i goes_left =
          _mm256_cmpgt_epi8(_mm256_set1_epi8(tree.threshold[s]), load(ranks + tree.column[s] + i));
      answers = _mm256_sub_epi8(_mm256_add_epi8(answers, answers), goes_left);
    }
    add_votes(looked_up(leaves, answers), votes, sums + i);
  }
}

inline void small_trees(const SmallTree* trees, std::size_t n_trees, const Lanes& lanes) {
  using Kernels = ShapedTrees<std::make_index_sequence<kShapes>>;
  for (const SmallTree* tree = trees; tree != trees + n_trees; ++tree) {
    std::int32_t* sums = lanes.sums + tree->score * lanes.sums_stride;
    if (lanes.n >= kManyRows)
      Kernels::kernels[tree->shape](*tree, lanes.ranks, sums, lanes.n);
    else
      any_tree(*tree, lanes.leaf_tables + tree->shape * std::size_t{128}, lanes.ranks, sums,
               lanes.n);
  }
}

// The leaf numbers of n_vectors * 32 rows from row i on, into the slot of the result.
template <int n_vectors>
void run_selects(const Programme& tree, const std::int8_t* ranks, std::uint8_t* slots) {
  for (const Select* select = tree.selects; select != tree.selects + tree.n_selects; ++select) {
    const __m256i threshold = _mm256_set1_epi8(select->threshold);
    const std::int8_t* bytes = ranks + select->column;
    const std::uint8_t* left = slots + select->left * kSlot;
    const std::uint8_t* right = slots + select->right * kSlot;
    std::uint8_t* target = slots + select->target * kSlot;
    for (int v = 0; v < n_vectors; ++v) {
      const __m256i goes_left = _mm256_cmpgt_epi8(threshold, load(bytes + 32 * v));
      store(target + 32 * v,
            _mm256_blendv_epi8(load(right + 32 * v), load(left + 32 * v), goes_left));
    }
  }
}

inline void programmes(const Programme* programmes, std::size_t n_programmes, const Lanes& lanes) {
  for (const Programme* tree = programmes; tree != programmes + n_programmes; ++tree)
    for (std::size_t i = 0; i < lanes.n; i += kSlot) {
      const std::size_t n = lanes.n - i < kSlot ? lanes.n - i : kSlot;
      if (n == kSlot)
        run_selects<4>(*tree, lanes.ranks + i, lanes.slots);
      else
        for (std::size_t v = 0; v < n; v += kLanes)
          run_selects<1>(*tree, lanes.ranks + i + v, lanes.slots + v);
      const std::uint8_t* leaf = lanes.slots + tree->result * kSlot;
      for (std::uint32_t k = 0; k < tree->n_outputs; ++k) {
        const std::int32_t* votes = tree->votes + k * tree->n_leaves;
        std::int32_t* sums = lanes.sums + (tree->score + k) * lanes.sums_stride + i;
        for (std::size_t lane = 0; lane < n; lane += 4)
          for (std::size_t u = lane; u < lane + 4; ++u) sums[u] += votes[leaf[u]];
      }
    }
}

}  // namespace mddag::engine::avx2
