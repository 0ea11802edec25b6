// Which windows of a group are looked at where each that fails the first stage hides the next one,
// by whether the first is hidden and the mask of those that would fail; and numbers of bits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "scan/kernels/stages.hpp"

namespace mddag::scan {

class Sights {
 public:
  struct Sight {
    std::uint8_t seen;
    bool hides_next;
  };

  Sights() {
    for (unsigned failing = 0; failing < 256; ++failing) {
      for (int first = 0; first < 2; ++first) table_[first][failing] = sight(first != 0, failing);
      counts_[failing] = static_cast<std::uint8_t>(counts_[failing / 2] + failing % 2);
    }
  }
  const Sight& at(bool hidden, unsigned failing) const { return table_[hidden ? 1 : 0][failing]; }
  std::int64_t count(unsigned mask) const { return counts_[mask]; }

 private:
  static Sight sight(bool hidden, unsigned failing) {
    unsigned seen = 0;
    for (std::size_t i = 0; i < kLanes; ++i) {
      if (!hidden) seen |= 1u << i;
      hidden = !hidden && (failing >> i & 1) != 0;
    }
    return {static_cast<std::uint8_t>(seen), hidden};
  }

  Sight table_[2][256];
  std::uint8_t counts_[256] = {};
};

}  // namespace mddag::scan
