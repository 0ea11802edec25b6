// Split a range of blocks over threads. Which thread takes which block is not defined, so a body
// must write to its own block alone; then the result cannot depend on the number of threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace mddag {

// Calls body(block) for every block in 0..n_blocks-1. The body must not throw.
template <class Body>
void parallel_for(std::size_t n_blocks, int n_threads, const Body& body) {
  const std::size_t n_workers =
      std::min<std::size_t>(n_blocks, n_threads > 1 ? static_cast<std::size_t>(n_threads) : 1);
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t block = next++; block < n_blocks; block = next++) body(block);
  };
  std::vector<std::thread> helpers;
  for (std::size_t i = 1; i < n_workers; ++i) helpers.emplace_back(work);
  work();
  for (std::thread& helper : helpers) helper.join();
}

}  // namespace mddag
