// The level of AVX-512 VBMI: eight windows are as many as AVX2's vectors take.
#include "scan/kernels/stages.hpp"

namespace mddag::scan {

namespace avx2 {
Kernels kernels();
}

namespace vbmi {

Kernels kernels() { return avx2::kernels(); }

}  // namespace vbmi

}  // namespace mddag::scan
