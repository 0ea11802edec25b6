// The kernels for machines with AVX2: the one file that is compiled for them. It includes plain
// data and its own kernels alone, so that no other code in the core can come from here.
#include "blocks/kernels/avx2_pack.hpp"
#include "blocks/kernels/avx2_ranks.hpp"
#include "blocks/kernels/avx2_transpose.hpp"
#include "blocks/kernels/avx2_trees.hpp"
#include "blocks/kernels/exit_kernels.hpp"
#include "blocks/kernels/kernels.hpp"
#include "blocks/kernels/table_kernels.hpp"

namespace mddag::blocks {

void use_avx2(Kernels& kernels) {
  kernels.name = "avx2";
  kernels.float32 = {avx2::ranks<float>, avx2::transpose<float>};
  kernels.float64 = {avx2::ranks<double>, avx2::transpose<double>};
  kernels.small_trees = avx2::small_trees;
  kernels.large_trees = avx2::large_trees;
  kernels.steps = TableKernels<avx2::Machine>::steps;
  kernels.decide = ExitKernels<avx2::Machine>::decide;
  kernels.restore = ExitKernels<avx2::Machine>::restore;
  kernels.mask_other = avx2::mask_other;
  kernels.pack_bytes = avx2::pack_bytes;
  kernels.pack_words = avx2::pack_words;
}

}  // namespace mddag::blocks
