// The level of AVX-512 VBMI: what pays there by another algorithm, and AVX2's kernels for the rest.
// 64 values are not ranked faster than 32: it is loads that take the time.
#include "blocks/kernels/vbmi.hpp"

#include "blocks/kernels/kernels.hpp"

namespace mddag::blocks {

namespace avx2 {
Kernels kernels();
}

namespace vbmi {

// Where rows are many, a function for each shape finds the exits of a piece in less time.
void few_or_many_rows(const LargeTree* trees, std::size_t n_trees, const Lanes& lanes) {
  static const auto many = avx2::kernels().large_trees;
  (lanes.n < kManyRows ? large_trees : many)(trees, n_trees, lanes);
}

Kernels kernels() {
  Kernels kernels = avx2::kernels();
  kernels.lanes = kHalf;
  kernels.has_pairs = true;
  kernels.lookups = lookups;
  kernels.small_trees = small_trees;
  kernels.large_trees = few_or_many_rows;
  kernels.pack_bytes = pack_bytes;
  kernels.pack_words = pack_words;
  return kernels;
}

}  // namespace vbmi

}  // namespace mddag::blocks
