// The kernels for every machine and compiler, and what all other levels must equal: plain loops
// over lanes, which compilers turn into vectors where they can.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "blocks/kernels/exit_kernels.hpp"
#include "blocks/kernels/kernels.hpp"
#include "blocks/kernels/rank_of.hpp"
#include "blocks/kernels/table_kernels.hpp"

namespace mddag::blocks::scalar {

template <class T>
void ranks(const RankGrid& grid, const RankColumn* columns, std::size_t n_columns,
           const Values<T>& values, std::int8_t* out, std::size_t column_stride) {
  for (std::size_t i = 0; i < values.n; ++i) {
    const float x = values.rounded[i];
    const std::int32_t rank = rank_of(grid, values, i);
    for (std::size_t c = 0; c < n_columns; ++c) {
      const std::int32_t r = (x != x ? columns[c].missing : rank) - columns[c].first;
      out[c * column_stride + i] =
          static_cast<std::int8_t>(std::clamp<std::int32_t>(r, 0, kMostRanks) - 128);
    }
  }
}

template <class T>
void transpose(const T* rows, std::ptrdiff_t row_stride, std::size_t n, const std::size_t* tiles,
               std::size_t n_tiles, float* out, std::size_t out_stride) {
  for (std::size_t i = 0; i < n; ++i, rows += row_stride)
    for (std::size_t t = 0; t < n_tiles; ++t)
      for (std::size_t f = 0; f < kTile; ++f)
        out[(t * kTile + f) * out_stride + i] = static_cast<float>(rows[tiles[t] + f]);
}

inline void lookups(const std::int8_t* tables, std::size_t n_tables, const std::uint8_t* index,
                    std::size_t n, std::int8_t* out, std::size_t column_stride) {
  for (std::size_t t = 0; t < n_tables; ++t)
    for (std::size_t i = 0; i < n; ++i) out[t * column_stride + i] = tables[128 * t + index[i]];
}

// Rows whose answers are found before any is looked up: what has just been stored as a vector is
// slow to read byte by byte.
constexpr std::size_t kAhead = 256;

// The answers of up to kAhead rows from lane i on to all splits, as bits; returns how many rows.
inline std::size_t find_answers(const Splits& splits, const Lanes& lanes, std::size_t i,
                                std::uint8_t* answers) {
  const std::size_t n = std::min(kAhead, lanes.n - i);
  std::fill_n(answers, n, std::uint8_t{0});
  for (int s = 6; s >= 0; --s) {
    const std::int8_t threshold = splits.threshold[s];
    const std::int8_t* bytes = lanes.ranks + splits.column[s] + i;
    for (std::size_t lane = 0; lane < n; ++lane)
      answers[lane] = static_cast<std::uint8_t>(2 * answers[lane] + (threshold > bytes[lane]));
  }
  return n;
}

// What exit the answers lead to.
inline const std::uint8_t* exits_of(const Splits& splits, const Lanes& lanes) {
  return lanes.leaf_tables + splits.shape * std::size_t{128};
}

inline void small_tree(const SmallTree& tree, const Lanes& lanes) {
  const std::uint8_t* exits = exits_of(tree.splits, lanes);
  std::int32_t* sums = lanes.sums + tree.score * lanes.sums_stride;
  for (std::size_t i = 0; i < lanes.n; i += kAhead) {
    std::uint8_t answers[kAhead];
    const std::size_t n = find_answers(tree.splits, lanes, i, answers);
    for (std::size_t lane = 0; lane < n; ++lane)
      sums[i + lane] = wrapping_sum(sums[i + lane], tree.votes[exits[answers[lane]]]);
  }
}

inline void small_trees(const SmallTrees& trees, std::size_t first, std::size_t n,
                        const Lanes& lanes) {
  for (std::size_t t = first; t < first + n; ++t) small_tree(trees.trees[t], lanes);
}

inline void enter_piece(const Piece& piece, const Lanes& lanes, std::uint8_t* codes) {
  const std::uint8_t* exits = exits_of(piece.splits, lanes);
  const std::uint8_t entry = piece.entry;
  for (std::size_t i = 0; i < lanes.n; i += kAhead) {
    std::uint8_t answers[kAhead], after[kAhead];
    const std::size_t n = find_answers(piece.splits, lanes, i, answers);
    for (std::size_t lane = 0; lane < n; ++lane) after[lane] = piece.codes[exits[answers[lane]]];
    for (std::size_t lane = 0; lane < n; ++lane)
      codes[i + lane] = codes[i + lane] == entry ? after[lane] : codes[i + lane];
  }
}

struct Machine {
  static std::uint8_t mask_equal(const std::int32_t* words, std::int32_t value) {
    unsigned mask = 0;
    for (unsigned lane = 0; lane < 8; ++lane)
      mask |= static_cast<unsigned>(words[lane] == value) << lane;
    return static_cast<std::uint8_t>(mask);
  }
};

inline void find_oblivious_codes(const LargeTree& tree, const Lanes& lanes, std::uint8_t* codes) {
  std::fill_n(codes, lanes.n, std::uint8_t{0});
  for (std::uint32_t l = 0; l < tree.n_levels; ++l) {
    const std::int8_t threshold = tree.levels[l].threshold;
    const std::int8_t* bytes = lanes.ranks + tree.levels[l].column;
    for (std::size_t i = 0; i < lanes.n; ++i)
      codes[i] = static_cast<std::uint8_t>(2 * codes[i] + (threshold > bytes[i]));
  }
}

inline void find_codes(const LargeTree& tree, const Lanes& lanes, std::uint8_t* codes) {
  if (tree.n_levels > 0) return find_oblivious_codes(tree, lanes, codes);
  std::fill_n(codes, lanes.n, tree.entry);
  for (std::uint32_t p = 0; p < tree.n_pieces; ++p) enter_piece(tree.pieces[p], lanes, codes);
}

inline void large_trees(const LargeTree* trees, std::size_t n_trees, const Lanes& lanes) {
  TableKernels<Machine>::large_trees(trees, n_trees, lanes, find_codes);
}

inline void mask_other(const std::int32_t* words, std::size_t n, std::int32_t value,
                       std::uint8_t* masks) {
  for (std::size_t i = 0; i < n; i += 8)
    masks[i / 8] = static_cast<std::uint8_t>(~Machine::mask_equal(words + i, value));
}

template <class Word>
void pack(const std::uint8_t* masks, std::size_t n_masks, const Word* words, Word* to) {
  for (std::size_t m = 0; m < n_masks; ++m)
    for (unsigned lane = 0; lane < 8; ++lane) {
      *to = words[8 * m + lane];
      to += (masks[m] >> lane) & 1;
    }
}

inline void pack_bytes(const std::uint8_t* masks, std::size_t n_masks, std::int8_t* bytes) {
  pack(masks, n_masks, bytes, bytes);
}

}  // namespace mddag::blocks::scalar
