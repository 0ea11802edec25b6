// Eight lanes as plain arrays, for every machine and compiler.
#pragma once

#include "scan/kernels/group_kernel.hpp"

namespace mddag::scan::scalar {

struct Lanes {
  struct Floats {
    float lane[kLanes];
  };
  struct Doubles {
    double lane[kLanes];
  };
  struct Mask {
    bool lane[kLanes];
  };

  static Floats load(const float* from) {
    Floats out;
    for (std::size_t i = 0; i < kLanes; ++i) out.lane[i] = from[i];
    return out;
  }
  static Doubles load(const double* from) {
    Doubles out;
    for (std::size_t i = 0; i < kLanes; ++i) out.lane[i] = from[i];
    return out;
  }
  static void store(double* to, const Doubles& values) {
    for (std::size_t i = 0; i < kLanes; ++i) to[i] = values.lane[i];
  }
  static Doubles all(double value) {
    Doubles out;
    for (double& lane : out.lane) lane = value;
    return out;
  }
  // Sums wrap around modulo 2^32, their difference is that of the true sums.
  static Floats rectangle(const std::uint32_t* cells, const std::uint32_t* at) {
    Floats out;
    for (std::size_t i = 0; i < kLanes; ++i)
      out.lane[i] = static_cast<float>(static_cast<std::int32_t>(
          cells[at[0] + i] - cells[at[1] + i] - cells[at[2] + i] + cells[at[3] + i]));
    return out;
  }
  static Floats multiply(Floats a, float b) {
    for (float& lane : a.lane) lane *= b;
    return a;
  }
  static Floats multiply(Floats a, const Floats& b) {
    for (std::size_t i = 0; i < kLanes; ++i) a.lane[i] *= b.lane[i];
    return a;
  }
  static Floats add(Floats a, const Floats& b) {
    for (std::size_t i = 0; i < kLanes; ++i) a.lane[i] += b.lane[i];
    return a;
  }
  static Doubles add(Doubles a, const Doubles& b) {
    for (std::size_t i = 0; i < kLanes; ++i) a.lane[i] += b.lane[i];
    return a;
  }
  static Mask at_most(const Floats& a, float b) {
    Mask out;
    for (std::size_t i = 0; i < kLanes; ++i) out.lane[i] = a.lane[i] <= b;
    return out;
  }
  static Doubles choose(const Mask& mask, const Doubles& a, const Doubles& b) {
    Doubles out;
    for (std::size_t i = 0; i < kLanes; ++i) out.lane[i] = mask.lane[i] ? a.lane[i] : b.lane[i];
    return out;
  }
  static unsigned at_least(const Doubles& a, double b) {
    unsigned bits = 0;
    for (std::size_t i = 0; i < kLanes; ++i) bits |= static_cast<unsigned>(a.lane[i] >= b) << i;
    return bits;
  }
  static unsigned count(unsigned bits) {
    unsigned n = 0;
    for (; bits != 0; bits &= bits - 1) ++n;
    return n;
  }
};

}  // namespace mddag::scan::scalar
