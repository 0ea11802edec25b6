// The kernels for machines with AVX2: the one file that is compiled for them. It includes plain data
// and its own kernels alone, so that no other code in the core can come from here.
#include "mddag/engine/avx2_pack.hpp"
#include "mddag/engine/avx2_ranks.hpp"
#include "mddag/engine/avx2_transpose.hpp"
#include "mddag/engine/avx2_trees.hpp"
#include "mddag/engine/kernels.hpp"

namespace mddag::engine {

void use_avx2(Kernels& kernels) {
  kernels.name = "avx2";
  kernels.float32 = {avx2::ranks<float>, avx2::transpose};
  kernels.float64 = {avx2::ranks<double>, avx2::transpose};
  kernels.small_trees = avx2::small_trees;
  kernels.programmes = avx2::programmes;
  kernels.pack = avx2::pack;
}

}  // namespace mddag::engine
