// Trees made for walking one row at a time, in three forms by size. Twin: tests/reference/trees.py.
//
// A stump is one comparison. A bush, of up to eight leaves, makes all its comparisons at once,
// since none waits for another, and a table of its shape turns the seven results into a leaf: no
// branch to mispredict, whatever the tree. A larger tree, or one that splits by categories, is
// walked node by node.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#if defined(__SSE2__) || defined(_M_X64)
#include <emmintrin.h>
#define MDDAG_SSE2 1
#endif

namespace mddag {

// Two bits of a test's column are flags.
constexpr std::size_t kMostFeatures = std::size_t{1} << 30;

// A split. What column holds, from the lowest bit: whether a missing value goes left, whether the
// split is by categories, the number of the column. By categories the threshold is above all that
// the set can hold.
template <class T>
struct Test {
  T threshold;
  std::uint32_t column;

  bool nominal() const { return column & 2u; }
  // Row : a pointer to the values, or what computes them when they are read.
  template <class Row>
  bool left(const Row& x) const {
    const T value = x[column >> 2];
    return (value <= threshold) | ((value != value) & (column & 1u));
  }
  // Truncation towards zero reads a category, as in_set does.
  template <class Row>
  bool left(const Row& x, const std::uint32_t* set) const {
    const T value = x[column >> 2];
    if (!(value > -1 && value < threshold)) return (value != value) & (column & 1u);
    const auto category = static_cast<std::uint32_t>(static_cast<std::int64_t>(value));
    return (set[category >> 5] >> (category & 31)) & 1u;
  }
};

template <class T>
struct Stump {
  Test<T> test;
  std::int32_t leaf[2];  // right, left

  std::int32_t at(const T* x) const { return leaf[test.left(x)]; }
};

// By the answers of the seven tests of a bush, the number of the leaf.
using Shape = std::array<std::uint8_t, 128>;

template <class T>
struct alignas(32) Bush {
  static constexpr std::size_t kLeaves = 8;
  static constexpr std::size_t kMostColumns = 1 << 16;

  T threshold[kLeaves] = {};  // of the tests from the root on; unused ones read column 0
  std::uint16_t column[kLeaves] = {};
  std::int32_t leaf[kLeaves] = {};
  std::uint16_t shape = 0;
  std::uint16_t missing_left = 0;  // one bit for each test

  std::int32_t at(const T* x, const std::vector<Shape>& shapes) const {
    return leaf[shapes[shape][answers(x) & 127u]];
  }

 private:
  // Bit i: whether test i sends x left.
  unsigned answers(const T* x) const {
    unsigned left = 0, missing = 0;
    for (unsigned i = 0; i + 1 < kLeaves; ++i) {
      const T value = x[column[i]];
      left |= static_cast<unsigned>(value <= threshold[i]) << i;
      missing |= static_cast<unsigned>(value != value) << i;
    }
    return left | (missing & missing_left);
  }
};

#ifdef MDDAG_SSE2
template <>
inline unsigned Bush<float>::answers(const float* x) const {
  const __m128 a = _mm_set_ps(x[column[3]], x[column[2]], x[column[1]], x[column[0]]);
  const __m128 b = _mm_set_ps(x[column[7]], x[column[6]], x[column[5]], x[column[4]]);
  const auto mask = [](__m128 low, __m128 high) {
    return static_cast<unsigned>(_mm_movemask_ps(low) | (_mm_movemask_ps(high) << 4));
  };
  const unsigned left =
      mask(_mm_cmple_ps(a, _mm_load_ps(threshold)), _mm_cmple_ps(b, _mm_load_ps(threshold + 4)));
  return left | (mask(_mm_cmpunord_ps(a, a), _mm_cmpunord_ps(b, b)) & missing_left);
}
#endif

// One node of a larger tree; the right child follows the left one. A leaf is its own left child, to
// which it sends everything.
template <class T>
struct PackedNode {
  Test<T> test;
  std::int32_t left;  // counted from the root
  std::int32_t leaf;  // at a split by categories, where its set begins in `words`

  template <bool kNominal, class Row>
  std::int32_t child(const Row& x, const std::uint32_t* words) const {
    if (kNominal && test.nominal()) return left + !test.left(x, words + leaf);
    return left + !test.left(x);
  }
};

template <bool kNominal, class T, class Row>
std::int32_t leaf_at(const PackedNode<T>* nodes, const Row& x, const std::uint32_t* words) {
  std::int32_t at = 0;
  while (nodes[at].left != at) at = nodes[at].template child<kNominal>(x, words);
  return nodes[at].leaf;
}

}  // namespace mddag
