// The decisions of many rows, lane by lane: loops without branches, which compilers make vectors
// of.
//
// `Machine` names the instructions that a copy is compiled for; it is otherwise unused, but keeps
// the copies apart. For the same reason nothing here calls the standard library.
#pragma once

#include <cstddef>
#include <cstdint>

#include "mddag/engine/kernels.hpp"

namespace mddag::engine {

template <class Machine>
struct ExitKernels {
  static constexpr std::size_t kFewJumps = 24;  // more are bisected

  // The top class is the first of the best; jumps compare its margin over the second less 2^31,
  // since margins need 32 bits.
  static void find_states(const ExitArrays& lanes) {
    for (std::size_t i = 0; i < lanes.n; i += kExitChunk) {
      std::int32_t best[kExitChunk], second[kExitChunk];
      std::uint32_t* top = lanes.top + i;
      for (std::size_t u = 0; u < kExitChunk; ++u) {
        best[u] = lanes.sums[i + u];
        second[u] = -0x7fffffff - 1;
        top[u] = 0;
      }
      for (std::uint32_t k = 1; k < lanes.n_scores; ++k) {
        const std::int32_t* sums = lanes.sums + k * lanes.stride + i;
        for (std::size_t u = 0; u < kExitChunk; ++u) {
          const std::int32_t lower = best[u] < sums[u] ? best[u] : sums[u];
          second[u] = second[u] > lower ? second[u] : lower;
          top[u] = sums[u] > best[u] ? k : top[u];
          best[u] = best[u] > sums[u] ? best[u] : sums[u];
        }
      }
      for (std::size_t u = 0; u < kExitChunk; ++u)
        lanes.state[i + u] =
            static_cast<std::int32_t>(static_cast<std::uint32_t>(best[u]) -
                                      static_cast<std::uint32_t>(second[u]) + 0x80000000u);
    }
  }

  static void decide(const ExitArrays& lanes, const Jump* jumps, std::size_t n_jumps,
                     std::uint32_t k) {
    for (std::size_t i = 0; i < lanes.n; i += kExitChunk) {
      const std::int32_t* state = lanes.state + i;
      std::int32_t chosen[kExitChunk];
      if (n_jumps <= kFewJumps) {
        for (std::size_t u = 0; u < kExitChunk; ++u) chosen[u] = jumps[0].next;
        for (std::size_t j = 1; j < n_jumps; ++j) {
          const std::int32_t edge = jumps[j].edge, next = jumps[j].next;
          for (std::size_t u = 0; u < kExitChunk; ++u)
            chosen[u] = state[u] > edge ? next : chosen[u];
        }
      } else {
        for (std::size_t u = 0; u < kExitChunk; ++u) chosen[u] = bisected(jumps, n_jumps, state[u]);
      }
      std::int32_t* decided = lanes.decided + i;
      const std::uint32_t* top = lanes.top + i;
      if (lanes.n_scores == 1)
        for (std::size_t u = 0; u < kExitChunk; ++u) decided[u] = chosen[u];
      else
        for (std::size_t u = 0; u < kExitChunk; ++u)
          decided[u] = top[u] == k ? chosen[u] : decided[u];
    }
  }

  // A row that waits for a later step decides the same again, since its state did not change and
  // jumps over steps are folded; one that has quit stays so.
  static Settled settle(const ExitArrays& lanes, std::int32_t a, std::int32_t b) {
    const std::int32_t quit = lanes.quit, n_steps = b - a;
    std::int32_t soonest = quit, n_alive = 0;
    std::int32_t *next = lanes.next, *exit_step = lanes.exit_step, *n_evaluated = lanes.n_evaluated,
                 *decided = lanes.decided;
    for (std::size_t i = 0; i < lanes.n; ++i) {
      const std::int32_t now = next[i], then = now == quit ? quit : decided[i];
      exit_step[i] = now == a ? b : exit_step[i];
      n_evaluated[i] += now == a ? n_steps : 0;
      next[i] = then;
      decided[i] = now != then ? then : -1;  // quit: at this very decision
      soonest = then < soonest ? then : soonest;
      n_alive += then != quit;
    }
    for (std::size_t k = 0; k < lanes.n_scores; ++k) {
      std::int32_t* final = lanes.final + k * lanes.stride;
      const std::int32_t* sums = lanes.sums + k * lanes.stride;
      for (std::size_t i = 0; i < lanes.n; ++i) final[i] = decided[i] == quit ? sums[i] : final[i];
    }
    return {soonest, n_alive};
  }

 private:
  // The last jump whose edge is below the state; the first is below every state.
  static std::int32_t bisected(const Jump* jumps, std::size_t n_jumps, std::int32_t state) {
    for (std::size_t n = n_jumps - 1; n > 0;) {
      const std::size_t half = (n + 1) / 2;
      jumps += state > jumps[half].edge ? half : 0;
      n -= half;
    }
    return jumps->next;
  }
};

}  // namespace mddag::engine
