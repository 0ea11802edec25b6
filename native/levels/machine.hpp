// What this machine runs. Clang's own question links to a library that Windows has not.
#pragma once

#if defined(__x86_64__) || defined(_M_X64)
#ifdef _MSC_VER
#include <immintrin.h>
#include <intrin.h>
#endif
#endif

namespace mddag {

inline bool machine_runs_scalar() { return true; }
inline bool machine_runs_neon() { return true; }  // where it is compiled: all 64-bit ARM has it

#if defined(__x86_64__) || defined(_M_X64)
#ifdef _MSC_VER

// Bit `bit` of register `part` (eax, ebx, ecx, edx) that cpuid gives for a leaf.
inline bool cpuid_has(int leaf, int part, int bit) {
  int registers[4];
  __cpuidex(registers, leaf, 0);
  return (registers[part] >> bit) & 1;
}

// Whether the system keeps these parts of the registers.
inline bool system_keeps(unsigned long long parts) {
  return cpuid_has(1, 2, 27) && (_xgetbv(0) & parts) == parts;
}

inline bool machine_runs_sse4() { return cpuid_has(1, 2, 19) && cpuid_has(1, 2, 23); }
inline bool machine_runs_avx2() {
  return machine_runs_sse4() && system_keeps(0x06) && cpuid_has(7, 1, 5);
}
inline bool machine_runs_vbmi() {
  return machine_runs_avx2() && system_keeps(0xe6) && cpuid_has(7, 1, 16) && cpuid_has(7, 1, 17) &&
         cpuid_has(7, 1, 30) && cpuid_has(7, 1, 31) && cpuid_has(7, 2, 1) && cpuid_has(7, 2, 6);
}

#else

inline bool machine_runs_sse4() {
  return __builtin_cpu_supports("sse4.1") && __builtin_cpu_supports("popcnt");
}
inline bool machine_runs_avx2() { return machine_runs_sse4() && __builtin_cpu_supports("avx2"); }
inline bool machine_runs_vbmi() {
  return machine_runs_avx2() && __builtin_cpu_supports("avx512f") &&
         __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vbmi") &&
         __builtin_cpu_supports("avx512vbmi2");
}

#endif
#endif

}  // namespace mddag
