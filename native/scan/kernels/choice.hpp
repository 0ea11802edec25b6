// Which kernels this machine runs.
#pragma once

#include "scan/kernels/portable.hpp"

namespace mddag::scan {

#ifdef MDDAG_AVX2
void use_avx2(Kernels& kernels);  // native/scan/kernels/avx2.cpp
#endif

inline Kernels choose_kernels(bool portable) {
  Kernels kernels = portable::kernels();
#ifdef MDDAG_AVX2
  if (!portable && __builtin_cpu_supports("avx2")) use_avx2(kernels);
#else
  (void)portable;
#endif
  return kernels;
}

}  // namespace mddag::scan
