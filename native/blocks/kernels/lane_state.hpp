// The state of rows in lanes, as integer sums: the part (top class) and the number s that edges are
// compared with. mdp/state.hpp defines a state; here it is found for a chunk of lanes at once.
//
//   K = 1   s = sum                           K > 1   s = best sum - second best - 2^31
//
// since a margin of two 32-bit sums needs 32 bits itself. Edges are moved by as much.
#pragma once

#include <cstddef>
#include <cstdint>

#include "blocks/kernels/kernels.hpp"

namespace mddag::blocks {

// Edges of the policy's grid on the scale of s.
struct LaneScale {
  static constexpr std::int64_t kLowest = -0x80000000ll, kHighest = 0x7fffffffll;

  std::size_t n_scores;

  std::int64_t edge(std::int64_t edge) const { return n_scores == 1 ? edge : edge + kLowest; }
  // Whether every s is above: sums are above -2^31, but a margin may be zero.
  bool is_below_all(std::int64_t edge) const { return edge < kLowest + (n_scores == 1); }
  bool is_above_all(std::int64_t edge) const { return edge >= kHighest; }
};

// `Machine` keeps the copies for different machines apart, as in exit_kernels.hpp.
template <class Machine>
struct LaneState {
  static constexpr bool kFolds = true;

  // The states of kExitChunk lanes from lane i on: returns where their s are, in the memory `s` if
  // they must be computed. `part` is written for K > 1 alone.
  static const std::int32_t* find(const ExitArrays& lanes, std::size_t i, std::int32_t* s,
                                  std::uint32_t* part) {
    if (lanes.n_scores > 1) find_margins(lanes, i, s, part);
    return lanes.n_scores > 1 ? s : lanes.sums + i;
  }

 private:
  // The part is the top class, the first of the best.
  static void find_margins(const ExitArrays& lanes, std::size_t i, std::int32_t* s,
                           std::uint32_t* part) {
    std::int32_t best[kExitChunk], second[kExitChunk];
    for (std::size_t u = 0; u < kExitChunk; ++u) {
      best[u] = lanes.sums[i + u];
      second[u] = -0x7fffffff - 1;
      part[u] = 0;
    }
    for (std::uint32_t k = 1; k < lanes.n_scores; ++k) {
      const std::int32_t* sums = lanes.sums + k * lanes.stride + i;
      for (std::size_t u = 0; u < kExitChunk; ++u) {
        const std::int32_t lower = best[u] < sums[u] ? best[u] : sums[u];
        second[u] = second[u] > lower ? second[u] : lower;
        part[u] = sums[u] > best[u] ? k : part[u];
        best[u] = best[u] > sums[u] ? best[u] : sums[u];
      }
    }
    for (std::size_t u = 0; u < kExitChunk; ++u)
      s[u] = static_cast<std::int32_t>(static_cast<std::uint32_t>(best[u]) -
                                       static_cast<std::uint32_t>(second[u]) + 0x80000000u);
  }
};

}  // namespace mddag::blocks
