// xoshiro256**, small and fast; the state lives in a caller's array, so that work can be resumed.
#pragma once

#include <cstdint>

namespace mddag {

class Random {
 public:
  explicit Random(std::uint64_t* state) : s_(state) {}

  std::uint64_t bits() {
    const std::uint64_t result = rotated(s_[1] * 5, 7) * 9;
    const std::uint64_t t = s_[1] << 17;
    s_[2] ^= s_[0];
    s_[3] ^= s_[1];
    s_[1] ^= s_[2];
    s_[0] ^= s_[3];
    s_[2] ^= t;
    s_[3] = rotated(s_[3], 45);
    return result;
  }

  // In [0, 1), a multiple of 2^-53.
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1.0p-53; }

  // In 0 .. n-1; n is far below 2^53, so that the bias is negligible.
  std::size_t below(std::size_t n) {
    return static_cast<std::size_t>(uniform() * static_cast<double>(n));
  }

 private:
  static std::uint64_t rotated(std::uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }

  std::uint64_t* s_;
};

}  // namespace mddag
