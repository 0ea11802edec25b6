// A level of vectors, MDDAG_LEVEL: compiled once for each, with the options of its machines. It
// includes plain data and kernels alone, so that no other code in the core can come from here.
#include "blocks/kernels/exit_kernels.hpp"
#include "blocks/kernels/kernels.hpp"
#include "blocks/kernels/pack.hpp"
#include "blocks/kernels/ranks.hpp"
#include "blocks/kernels/table_kernels.hpp"
#include "blocks/kernels/transpose.hpp"
#include "blocks/kernels/trees.hpp"

namespace mddag::blocks::MDDAG_LEVEL {

Kernels kernels() {
  return {kBytes,
          false,
          {ranks<float>, transpose<float>},
          {ranks<double>, transpose<double>},
          lookups,
          small_trees,
          large_trees,
          TableKernels<Machine>::steps,
          ExitKernels<Machine>::decide,
          ExitKernels<Machine>::restore,
          mask_other,
          pack_bytes,
          pack_words};
}

}  // namespace mddag::blocks::MDDAG_LEVEL
