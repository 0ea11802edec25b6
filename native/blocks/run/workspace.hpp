// Workspace: the rank bytes and sums of one block of rows, for one thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "blocks/kernels/kernels.hpp"
#include "blocks/ranks/rank_loader.hpp"
#include "internal/aligned.hpp"

namespace mddag::blocks {

// Bytes from one column to the next, for blocks of this many rows: columns a power of two apart
// would share too few cache sets.
constexpr std::size_t stride_of(std::size_t block_rows) { return block_rows + 64; }

struct Workspace {
  // lanes: rows that kernels evaluate at once.
  Workspace(std::size_t n_columns, std::size_t n_scores, std::size_t block_rows, std::size_t lanes)
      : stride(stride_of(block_rows)),
        lanes_at_once(lanes),
        ranks((n_columns + 1) * stride,
              Unset{}),  // padded trees read a first column even if there is none
        sums(n_scores * stride),
        codes(kTogether * stride, Unset{}) {}

  Lanes lanes(std::size_t n_rows, const std::uint8_t* leaf_tables) {
    return {ranks.data(), sums.data(), stride, padded(n_rows, lanes_at_once),
            codes.data(), leaf_tables};
  }

  // The bias as the sums of the first n lanes.
  template <class Bias>
  void start(const Bias& bias, std::size_t n) {
    for (std::size_t k = 0; k < bias.size(); ++k) std::fill_n(sums.data() + k * stride, n, bias[k]);
  }

  std::size_t stride, lanes_at_once;
  Aligned<std::int8_t> ranks;
  Aligned<std::int32_t> sums;
  Aligned<std::uint8_t> codes;
};

}  // namespace mddag::blocks
