// The kernels for every machine: plain loops over lanes, which compilers turn into vectors where
// they can.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "mddag/engine/exit_kernels.hpp"
#include "mddag/engine/kernels.hpp"
#include "mddag/engine/rank_grid.hpp"

namespace mddag::engine::portable {

template <class T>
void ranks(const RankGrid<T>& grid, const RankColumn* columns, std::size_t n_columns,
           const T* values, std::size_t n, std::int8_t* out, std::size_t column_stride) {
  for (std::size_t i = 0; i < n; ++i) {
    const T x = values[i];
    const std::int32_t rank = rank_of(grid, x);
    for (std::size_t c = 0; c < n_columns; ++c) {
      const std::int32_t r = (x != x ? columns[c].missing : rank) - columns[c].first;
      out[c * column_stride + i] =
          static_cast<std::int8_t>(std::clamp<std::int32_t>(r, 0, kMostRanks) - 128);
    }
  }
}

template <class T>
void transpose(const T* rows, std::ptrdiff_t row_stride, std::size_t n, const std::size_t* tiles,
               std::size_t n_tiles, T* out, std::size_t out_stride) {
  for (std::size_t i = 0; i < n; ++i, rows += row_stride)
    for (std::size_t t = 0; t < n_tiles; ++t)
      for (std::size_t f = 0; f < kTile; ++f)
        out[(t * kTile + f) * out_stride + i] = rows[tiles[t] + f];
}

// Answers of all splits as bits, then one table look-up for the leaf.
inline void small_trees(const SmallTree* trees, std::size_t n_trees, const Lanes& lanes) {
  for (const SmallTree* tree = trees; tree != trees + n_trees; ++tree) {
    const std::uint8_t* leaves = lanes.leaf_tables + tree->shape * std::size_t{128};
    std::int32_t* sums = lanes.sums + tree->score * lanes.sums_stride;
    for (std::size_t i = 0; i < lanes.n; i += kLanes) {
      std::uint8_t answers[kLanes] = {};
      for (unsigned s = 0; s < 7; ++s) {
        const std::int8_t* bytes = lanes.ranks + tree->column[s] + i;
        for (std::size_t lane = 0; lane < kLanes; ++lane)
          answers[lane] |= static_cast<std::uint8_t>((tree->threshold[s] > bytes[lane]) << s);
      }
      for (std::size_t lane = 0; lane < kLanes; ++lane)
        sums[i + lane] += tree->votes[leaves[answers[lane]]];
    }
  }
}

inline void programmes(const Programme* programmes, std::size_t n_programmes, const Lanes& lanes) {
  for (const Programme* tree = programmes; tree != programmes + n_programmes; ++tree)
    for (std::size_t i = 0; i < lanes.n; i += kSlot) {
      const std::size_t n = std::min(kSlot, lanes.n - i);
      for (std::uint32_t s = 0; s < tree->n_selects; ++s) {
        const Select& select = tree->selects[s];
        const std::int8_t* bytes = lanes.ranks + select.column + i;
        const std::uint8_t* left = lanes.slots + select.left * kSlot;
        const std::uint8_t* right = lanes.slots + select.right * kSlot;
        std::uint8_t* target = lanes.slots + select.target * kSlot;
        for (std::size_t lane = 0; lane < n; ++lane)
          target[lane] = select.threshold > bytes[lane] ? left[lane] : right[lane];
      }
      const std::uint8_t* leaf = lanes.slots + tree->result * kSlot;
      for (std::uint32_t k = 0; k < tree->n_outputs; ++k) {
        const std::int32_t* votes = tree->votes + k * tree->n_leaves;
        std::int32_t* sums = lanes.sums + (tree->score + k) * lanes.sums_stride + i;
        for (std::size_t lane = 0; lane < n; ++lane) sums[lane] += votes[leaf[lane]];
      }
    }
}

// Four functions at a time, where they vote for the same score, spare the sums three passes.
inline void steps(const StepFunction* steps, std::size_t n_steps, const Lanes& lanes) {
  const auto bytes = [&](const StepFunction& step) {
    return reinterpret_cast<const std::uint8_t*>(lanes.ranks) + step.column;
  };
  const StepFunction* end = steps + n_steps;
  while (steps != end) {
    std::int32_t* sums = lanes.sums + steps->score * lanes.sums_stride;
    if (end - steps >= 4 && steps[3].score == steps->score) {
      const std::uint8_t *a = bytes(steps[0]), *b = bytes(steps[1]), *c = bytes(steps[2]),
                         *d = bytes(steps[3]);
      const std::int32_t *p = steps[0].votes, *q = steps[1].votes, *r = steps[2].votes,
                         *s = steps[3].votes;
      for (std::size_t i = 0; i < lanes.n; ++i) sums[i] += p[a[i]] + q[b[i]] + r[c[i]] + s[d[i]];
      steps += 4;
    } else {
      const std::uint8_t* a = bytes(*steps);
      for (std::size_t i = 0; i < lanes.n; ++i) sums[i] += steps->votes[a[i]];
      ++steps;
    }
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

inline Kernels kernels() {
  return {"portable",
          {ranks<float>, transpose<float>},
          {ranks<double>, transpose<double>},
          small_trees,
          programmes,
          steps,
          ExitKernels<Machine>::decide,
          mask_other,
          pack_bytes,
          pack<std::int32_t>};
}

}  // namespace mddag::engine::portable
