// Which kernels this machine runs.
#pragma once

#include "blocks/kernels/kernels.hpp"
#include "blocks/kernels/portable.hpp"

namespace mddag::blocks {

#ifdef MDDAG_AVX2
void use_avx2(Kernels& kernels);  // native/blocks/kernels/avx2.cpp
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

}  // namespace mddag::blocks
