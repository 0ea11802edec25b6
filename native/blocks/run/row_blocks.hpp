// Rows in blocks of about equal size, over threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>

#include "blocks/ranks/rank_loader.hpp"
#include "internal/parallel.hpp"

namespace mddag::blocks {

// Blocks that threads take from the first to the last: neighbors, whose rows the machine fetches
// ahead, and fewer towards the end, so that all threads end together.
class BlockQueue {
 public:
  struct Stretch {
    std::size_t begin, end;
  };

  BlockQueue(std::size_t n_blocks, std::size_t n_threads)
      : n_blocks_(n_blocks), n_threads_(n_threads) {}

  // An empty stretch when none is left.
  Stretch take() {
    std::size_t begin = next_.load(), end;
    do {
      const std::size_t share = (n_blocks_ - begin) / (2 * n_threads_);
      end = std::min(begin + std::clamp<std::size_t>(share, 1, kMost), n_blocks_);
    } while (begin < end && !next_.compare_exchange_weak(begin, end));
    return {begin, end};
  }

 private:
  static constexpr std::size_t kMost = 8;
  const std::size_t n_blocks_, n_threads_;
  std::atomic<std::size_t> next_{0};
};

constexpr std::size_t kFewRows = 512;

// Calls body(blocks) in each thread that comes to work, which so keeps its working memory;
// blocks(visit) calls visit(first, n) for the blocks that the thread takes, n being at most
// most_rows.
template <class Body>
void for_blocks_of_rows(std::size_t n_rows, std::size_t most_rows, int n_threads,
                        const Body& body) {
  if (n_rows == 0) return;
  const auto n_most = static_cast<std::size_t>(std::max(n_threads, 1));
  // A block for every thread, if the blocks are still worth a thread.
  const std::size_t n_wanted =
      std::max((n_rows + most_rows - 1) / most_rows, std::min(n_most, n_rows / kFewRows));
  const std::size_t n_each = padded((n_rows + n_wanted - 1) / n_wanted);
  const std::size_t n_blocks = (n_rows + n_each - 1) / n_each;
  const std::size_t n_workers = std::min(n_blocks, n_most);
  BlockQueue queue(n_blocks, n_workers);
  parallel_for(n_workers, n_threads, [&](std::size_t) {
    BlockQueue::Stretch taken = queue.take();
    if (taken.begin == taken.end) return;
    body([&](const auto& visit) {
      for (; taken.begin < taken.end; taken = queue.take())
        for (std::size_t b = taken.begin; b < taken.end; ++b)
          visit(b * n_each, std::min(n_each, n_rows - b * n_each));
    });
  });
}

}  // namespace mddag::blocks
