// The kernel of a scan for a level of vectors, MDDAG_LEVEL: compiled once for each, and it includes
// plain data and kernels alone, so that no other code in the core can come from here.
#include "scan/kernels/group_kernel.hpp"
#include "scan/kernels/vector_lanes.hpp"

namespace mddag::scan::MDDAG_LEVEL {

Kernels kernels() { return {GroupKernel<Lanes>::run}; }

}  // namespace mddag::scan::MDDAG_LEVEL
