// A decision about many rows, lane by lane: loops without branches, which compilers make vectors
// of. A chunk of lanes goes through the whole decision while it is in registers and near caches.
//
// `Machine` has the one operation that compilers do not find, mask_equal, and keeps the copies for
// different instructions apart. For the same reason nothing here calls the standard library.
#pragma once

#include <cstddef>
#include <cstdint>

#include "blocks/kernels/kernels.hpp"

namespace mddag::blocks {

template <class Machine>
struct ExitKernels {
  static Settled decide(const ExitArrays& lanes, const Decision& decision) {
    Settled settled{lanes.quit, 0};
    for (std::size_t i = 0; i < lanes.n; i += kExitChunk) {
      std::int32_t state[kExitChunk], decided[kExitChunk];
      std::uint32_t top[kExitChunk];
      if (lanes.n_scores > 1) find_states(lanes, i, state, top);
      const std::int32_t* states = lanes.n_scores > 1 ? state : lanes.sums + i;
      jump(decision, 0, states, decided);
      for (std::uint32_t k = 1; k < decision.n_tables; ++k) {
        std::int32_t of_class[kExitChunk];
        jump(decision, k, states, of_class);
        for (std::size_t u = 0; u < kExitChunk; ++u)
          decided[u] = top[u] == k ? of_class[u] : decided[u];
      }
      settle(lanes, i, decided, settled);
    }
    return settled;
  }

  // Both are read whatever comes of it, so that no branch is needed: who waits nobody can foretell.
  static void restore(const std::int32_t* next, std::int32_t step, const std::int32_t* saved,
                      std::int32_t* sums, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
      const std::int32_t now = sums[i], before = saved[i];
      sums[i] = next[i] == step ? now : before;
    }
  }

 private:
  static constexpr std::size_t kFewJumps = 24;  // more are bisected

  // The top class is the first of the best; jumps compare its margin over the second less 2^31,
  // since margins need 32 bits.
  static void find_states(const ExitArrays& lanes, std::size_t i, std::int32_t* state,
                          std::uint32_t* top) {
    std::int32_t best[kExitChunk], second[kExitChunk];
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
      state[u] = static_cast<std::int32_t>(static_cast<std::uint32_t>(best[u]) -
                                           static_cast<std::uint32_t>(second[u]) + 0x80000000u);
  }

  // The steps that rows in these states evaluate next, were class k on top.
  static void jump(const Decision& decision, std::uint32_t k, const std::int32_t* state,
                   std::int32_t* next) {
    const Jump* jumps = decision.jumps + decision.starts[k];
    const std::size_t n_jumps = decision.starts[k + 1] - decision.starts[k];
    if (n_jumps > kFewJumps) {
      for (std::size_t u = 0; u < kExitChunk; ++u) next[u] = bisected(jumps, n_jumps, state[u]);
      return;
    }
    for (std::size_t u = 0; u < kExitChunk; ++u) next[u] = jumps[0].next;
    for (std::size_t j = 1; j < n_jumps; ++j) {
      const std::int32_t edge = jumps[j].edge, then = jumps[j].next;
      for (std::size_t u = 0; u < kExitChunk; ++u) next[u] = state[u] > edge ? then : next[u];
    }
  }

  // The last jump whose edge is below the state; the first is below every state.
  static std::int32_t bisected(const Jump* jumps, std::size_t n_jumps, std::int32_t state) {
    for (std::size_t n = n_jumps - 1; n > 0;) {
      const std::size_t half = (n + 1) / 2;
      jumps += state > jumps[half].edge ? half : 0;
      n -= half;
    }
    return jumps->next;
  }

  // A row that waits for a later step decides the same again, since its state did not change and
  // jumps over steps are folded; one that has quit stays so.
  static void settle(const ExitArrays& lanes, std::size_t i, std::int32_t* decided,
                     Settled& settled) {
    const std::int32_t quit = lanes.quit;
    std::int32_t soonest = settled.soonest, n_alive = 0;
    std::int32_t* next = lanes.next + i;
    for (std::size_t u = 0; u < kExitChunk; ++u) {
      const std::int32_t now = next[u], then = now == quit ? quit : decided[u];
      next[u] = then;
      decided[u] = now == quit ? -1 : then;  // quit: at this very decision
      soonest = then < soonest ? then : soonest;
      n_alive += then != quit;
    }
    for (std::size_t m = 0; m < kExitChunk / 8; ++m)
      lanes.gone[i / 8 + m] = Machine::mask_equal(decided + 8 * m, quit);
    settled = {soonest, settled.n_alive + n_alive};
  }
};

}  // namespace mddag::blocks
