// Trees on rank bytes, kBytes rows at a time. The specifications are scalar::small_trees and
// scalar::large_trees.
//
// A function for each shape selects the exit from the bottom up, straight-line code of seven byte
// comparisons; one look-up then turns exits into votes or codes. A call of such a function pays for
// itself from kManyRows rows on; below, one function does for every shape by a table of the exit
// that the seven answers lead to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "blocks/kernels/kernels.hpp"
#include "blocks/kernels/shapes.hpp"
#include "blocks/kernels/table_kernels.hpp"
#include "levels/simd.hpp"

namespace mddag::blocks::MDDAG_LEVEL {

using namespace simd::MDDAG_LEVEL;

constexpr std::size_t kManyRows = 256;

struct Machine {
  static std::uint8_t mask_equal(const std::int32_t* words, std::int32_t value) {
    return mask_equal8(words, value);
  }
};

inline void lookups(const std::int8_t* tables, std::size_t n_tables, const std::uint8_t* index,
                    std::size_t n, std::int8_t* out, std::size_t column_stride) {
  for (std::size_t t = 0; t < n_tables; ++t) {
    const Table128 table(reinterpret_cast<const std::uint8_t*>(tables) + 128 * t);
    for (std::size_t i = 0; i < n; i += kBytes)
      store(out + t * column_stride + i, table[load<U8>(index + i)]);
  }
}

// The votes of a small tree, added to the sums.
struct AddVotes {
  using Tree = SmallTree;
  using Target = std::int32_t;

  explicit MDDAG_INLINE AddVotes(const SmallTree& tree) : votes(tree.votes) {}
  MDDAG_INLINE void operator()(U8 exits, std::int32_t* sums) const { votes.add(exits, sums); }

  Words8 votes;
};

// The codes of a piece, for the rows that enter it.
struct EnterPiece {
  using Tree = Piece;
  using Target = std::uint8_t;

  explicit MDDAG_INLINE EnterPiece(const Piece& piece)
      : codes(table8(piece.codes)), entry(all(piece.entry)) {}
  MDDAG_INLINE void operator()(U8 exits, std::uint8_t* at) const {
    const U8 before = load<U8>(at);
    store(at, before == entry ? lookup(codes, exits) : before);
  }

  U8 codes, entry;
};

// Where the splits of a tree find its answers.
template <int n_splits>
struct Columns {
  I8 threshold[n_splits];
  const std::int8_t* column[n_splits];

  MDDAG_INLINE Columns(const Splits& splits, const std::int8_t* ranks) {
    for (int s = 0; s < n_splits; ++s) {
      threshold[s] = all(splits.threshold[s]);
      column[s] = ranks + splits.column[s];
    }
  }
  // All bits of the rows that split s sends left.
  MDDAG_INLINE auto left(int s, std::size_t i) const {
    return threshold[s] > load<I8>(column[s] + i);
  }
};

// The exits that the subtree at position `at` of a shape finds.
template <std::size_t shape, int at, int n_splits>
MDDAG_INLINE U8 selected(const Columns<n_splits>& columns, std::size_t i) {
  constexpr Shape kShape = kAllShapes[shape];
  constexpr int split = kShape.splits_before(at), leaf = at - split;
  if constexpr (!kShape.is_split(at)) {
    return all(static_cast<std::uint8_t>(leaf));
  } else {
    constexpr int left = at + 1, right = kShape.end(left);
    const auto goes_left = columns.left(split, i);
    if constexpr (!kShape.is_split(left) && !kShape.is_split(right))
      return all(static_cast<std::uint8_t>(leaf + 1)) + (U8)goes_left;
    else
      return goes_left ? selected<shape, left>(columns, i) : selected<shape, right>(columns, i);
  }
}

template <class Use, std::size_t shape>
void use_shaped(const typename Use::Tree& tree, const std::int8_t* ranks,
                typename Use::Target* target, std::size_t n) {
  const Columns<kAllShapes[shape].n_leaves - 1> columns(tree.splits, ranks);
  const Use use(tree);
  for (std::size_t i = 0; i < n; i += kBytes) use(selected<shape, 0>(columns, i), target + i);
}

template <class Use, class Numbers>
struct Shaped;
template <class Use, std::size_t... shape>
struct Shaped<Use, std::index_sequence<shape...>> {
  static constexpr decltype(&use_shaped<Use, 0>) kernels[] = {use_shaped<Use, shape>...};
};

// Any tree: its exit by the answers of its splits, as bits.
template <class Use>
void use_any(const typename Use::Tree& tree, const Lanes& lanes, typename Use::Target* target) {
  const Table128 exits(lanes.leaf_tables + tree.splits.shape * std::size_t{128});
  const std::int8_t* ranks = lanes.ranks;
  const std::size_t n = lanes.n;
  const Use use(tree);
  for (std::size_t i = 0; i < n; i += kBytes) {
    U8 answers = {};
    for (int s = 6; s >= 0; --s) {
      const I8 bytes = load<I8>(ranks + tree.splits.column[s] + i);
      answers = answers + answers - (U8)(all(tree.splits.threshold[s]) > bytes);
    }
    use(exits[answers], target + i);
  }
}

template <class Use>
MDDAG_INLINE void use_splits(const typename Use::Tree& tree, const Lanes& lanes,
                             typename Use::Target* target) {
  using AllShapes = std::make_index_sequence<kShapes>;
  if (lanes.n >= kManyRows)
    Shaped<Use, AllShapes>::kernels[tree.splits.shape](tree, lanes.ranks, target, lanes.n);
  else
    use_any<Use>(tree, lanes, target);
}

inline void small_tree(const SmallTree& tree, const Lanes& lanes) {
  use_splits<AddVotes>(tree, lanes, lanes.sums + tree.score * lanes.sums_stride);
}

inline void small_trees(const SmallTrees& trees, std::size_t first, std::size_t n,
                        const Lanes& lanes) {
  for (std::size_t t = first; t < first + n; ++t) small_tree(trees.trees[t], lanes);
}

template <std::uint32_t n_levels>
void find_oblivious_codes(const LargeTree& tree, const Lanes& lanes, std::uint8_t* codes) {
  I8 threshold[n_levels];
  const std::int8_t* column[n_levels];
  for (std::uint32_t l = 0; l < n_levels; ++l) {
    threshold[l] = all(tree.levels[l].threshold);
    column[l] = lanes.ranks + tree.levels[l].column;
  }
  for (std::size_t i = 0; i < lanes.n; i += kBytes) {
    U8 code = {};
    for (std::uint32_t l = 0; l < n_levels; ++l)
      code = code + code - (U8)(threshold[l] > load<I8>(column[l] + i));
    store(codes + i, code);
  }
}

inline void find_codes(const LargeTree& tree, const Lanes& lanes, std::uint8_t* codes) {
  switch (tree.n_levels) {
    case 0:
      break;
    case 4:
      return find_oblivious_codes<4>(tree, lanes, codes);
    case 5:
      return find_oblivious_codes<5>(tree, lanes, codes);
    case 6:
      return find_oblivious_codes<6>(tree, lanes, codes);
    case 7:
      return find_oblivious_codes<7>(tree, lanes, codes);
    default:
      return find_oblivious_codes<8>(tree, lanes, codes);
  }
  for (std::size_t i = 0; i < lanes.n; i += kBytes) store(codes + i, all(tree.entry));
  for (std::uint32_t p = 0; p < tree.n_pieces; ++p)
    use_splits<EnterPiece>(tree.pieces[p], lanes, codes);
}

inline void large_trees(const LargeTree* trees, std::size_t n_trees, const Lanes& lanes) {
  TableKernels<Machine>::large_trees(trees, n_trees, lanes, find_codes);
}

}  // namespace mddag::blocks::MDDAG_LEVEL
