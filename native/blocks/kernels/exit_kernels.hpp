// A decision about many rows, lane by lane: loops without branches, which compilers make vectors
// of. A chunk of lanes goes through the whole decision while it is in registers and near caches.
//
// `Machine` has the one operation that compilers do not find, mask_equal, and keeps the copies for
// different instructions apart. For the same reason nothing here calls the standard library.
#pragma once

#include <cstddef>
#include <cstdint>

#include "blocks/kernels/kernels.hpp"
#include "blocks/kernels/lane_state.hpp"

namespace mddag::blocks {

template <class Machine, class State = LaneState<Machine>>
struct ExitKernels {
  static_assert(State::kFolds, "rows that wait for a later step are not located again");

  static Settled decide(const ExitArrays& lanes, const Decision& decision) {
    Settled settled{lanes.quit, 0};
    for (std::size_t i = 0; i < lanes.n; i += kExitChunk) {
      std::int32_t memory[kExitChunk], decided[kExitChunk];
      std::uint32_t part[kExitChunk];
      const std::int32_t* s = State::find(lanes, i, memory, part);
      jump(decision, 0, s, decided);
      for (std::uint32_t k = 1; k < decision.n_tables; ++k) {
        std::int32_t of_part[kExitChunk];
        jump(decision, k, s, of_part);
        for (std::size_t u = 0; u < kExitChunk; ++u)
          decided[u] = part[u] == k ? of_part[u] : decided[u];
      }
      settle(lanes, i, decided, settled);
    }
    return settled;
  }

  // Both are read whichever is kept, so that no branch is needed: which rows wait is not
  // predictable.
  static void restore(const std::int32_t* next, std::int32_t step, const std::int32_t* saved,
                      std::int32_t* sums, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
      const std::int32_t now = sums[i], before = saved[i];
      sums[i] = next[i] == step ? now : before;
    }
  }

 private:
  static constexpr std::size_t kFewJumps = 24;  // more are bisected

  // The steps that rows with these s evaluate next, were they all in part k.
  static void jump(const Decision& decision, std::uint32_t k, const std::int32_t* s,
                   std::int32_t* next) {
    const Jump* jumps = decision.jumps + decision.starts[k];
    const std::size_t n_jumps = decision.starts[k + 1] - decision.starts[k];
    if (n_jumps > kFewJumps) {
      for (std::size_t u = 0; u < kExitChunk; ++u) next[u] = bisected(jumps, n_jumps, s[u]);
      return;
    }
    for (std::size_t u = 0; u < kExitChunk; ++u) next[u] = jumps[0].next;
    for (std::size_t j = 1; j < n_jumps; ++j) {
      const std::int32_t edge = jumps[j].edge, then = jumps[j].next;
      for (std::size_t u = 0; u < kExitChunk; ++u) next[u] = s[u] > edge ? then : next[u];
    }
  }

  // The last jump whose edge is below s; the first is below every s.
  static std::int32_t bisected(const Jump* jumps, std::size_t n_jumps, std::int32_t s) {
    for (std::size_t n = n_jumps - 1; n > 0;) {
      const std::size_t half = (n + 1) / 2;
      jumps += s > jumps[half].edge ? half : 0;
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
