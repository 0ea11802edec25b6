// The level of plain loops.
#include "blocks/kernels/scalar.hpp"

#include "blocks/kernels/exit_kernels.hpp"
#include "blocks/kernels/table_kernels.hpp"

namespace mddag::blocks::scalar {

Kernels kernels() {
  return {1,
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
          pack<std::int32_t>};
}

}  // namespace mddag::blocks::scalar
