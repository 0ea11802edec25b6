// The level of plain loops.
#include "scan/kernels/group_kernel.hpp"
#include "scan/kernels/scalar_lanes.hpp"

namespace mddag::scan::scalar {

Kernels kernels() { return {GroupKernel<Lanes>::run}; }

}  // namespace mddag::scan::scalar
