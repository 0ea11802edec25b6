// Levels: the kinds of machines that kernels are compiled for, and which of them runs here.
//
//   scalar   plain loops, everywhere        sse4   x86-64 of 2008 (SSE4.1, POPCNT)
//   avx2     x86-64 of 2013                 vbmi   x86-64 of 2019 (AVX-512 with VBMI and VBMI2)
//   neon     all 64-bit ARM
//
// The fastest that the machine has is used, unless the environment names another as MDDAG_LEVEL.
// All give the same bits.
#pragma once

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "levels/machine.hpp"

// Those of this build, the slowest first; CMakeLists.txt compiles the same.
#if defined(MDDAG_LEVELS_OF_X86)
#define MDDAG_LEVELS(X) X(scalar) X(sse4) X(avx2) X(vbmi)
#elif defined(MDDAG_LEVELS_OF_ARM)
#define MDDAG_LEVELS(X) X(scalar) X(neon)
#else
#define MDDAG_LEVELS(X) X(scalar)
#endif

// In a namespace with a table of functions, `Kernels`, and a file for each level that fills it:
// kernels_of(level).
#define MDDAG_KERNELS_OF_LEVELS                     \
  MDDAG_LEVELS(MDDAG_DECLARE_KERNELS)               \
  inline Kernels kernels_of(::mddag::Level level) { \
    switch (level) {                                \
      MDDAG_LEVELS(MDDAG_RETURN_KERNELS)            \
      default:                                      \
        return scalar::kernels();                   \
    }                                               \
  }
#define MDDAG_DECLARE_KERNELS(name) \
  namespace name {                  \
  Kernels kernels();                \
  }
#define MDDAG_RETURN_KERNELS(name) \
  case ::mddag::Level::name:       \
    return name::kernels();

namespace mddag {

enum class Level { scalar, sse4, avx2, vbmi, neon };

struct NamedLevel {
  Level level;
  const char* name;
  bool runs;
};

// Those of this build.
inline std::vector<NamedLevel> all_levels() {
#define MDDAG_NAME_LEVEL(name) {Level::name, #name, machine_runs_##name()},
  return {MDDAG_LEVELS(MDDAG_NAME_LEVEL)};
#undef MDDAG_NAME_LEVEL
}

// Those that this machine runs, the slowest first.
inline std::vector<NamedLevel> levels() {
  std::vector<NamedLevel> found;
  for (const NamedLevel& level : all_levels())
    if (level.runs) found.push_back(level);
  return found;
}

// The level of this name, or by default the fastest.
inline NamedLevel level_of(const std::string& name, const char* source) {
  const std::vector<NamedLevel> found = levels();
  if (name.empty()) return found.back();
  std::string names;
  for (const NamedLevel& level : found) {
    if (name == level.name) return level;
    names += (names.empty() ? "" : ", ") + std::string(level.name);
  }
  throw std::invalid_argument(std::string(source) + " is '" + name +
                              "', which this machine or this build does not run; wanted one of " +
                              names + ", or none for the fastest");
}

// The level that is used where none is named.
inline NamedLevel chosen_level() {
  const char* name = std::getenv("MDDAG_LEVEL");
  return level_of(name == nullptr ? "" : name, "the environment variable MDDAG_LEVEL");
}

inline NamedLevel level_or_chosen(const std::string& name) {
  return name.empty() ? chosen_level() : level_of(name, "level");
}

}  // namespace mddag
