// Rows in blocks of about equal size, over threads.
#pragma once

#include <algorithm>
#include <cstddef>

#include "mddag/engine/rank_loader.hpp"
#include "mddag/parallel.hpp"

namespace mddag::engine {

// Calls body(blocks) once per stretch of blocks, so that a stretch can share its working memory;
// blocks(visit) calls visit(first, n) for each block of the stretch, n being at most most_rows.
template <class Body>
void for_blocks_of_rows(std::size_t n_rows, std::size_t most_rows, int n_threads,
                        const Body& body) {
  const std::size_t n_wanted = (n_rows + most_rows - 1) / most_rows;
  if (n_wanted == 0) return;
  const std::size_t n_each = padded((n_rows + n_wanted - 1) / n_wanted);
  const std::size_t n_blocks = (n_rows + n_each - 1) / n_each;
  const auto n_parts = static_cast<std::size_t>(n_threads > 1 ? 8 * n_threads : 1);
  const std::size_t stretch = std::max<std::size_t>(n_blocks / n_parts, 1);
  parallel_for((n_blocks + stretch - 1) / stretch, n_threads, [&](std::size_t s) {
    body([&](const auto& visit) {
      const std::size_t end = std::min((s + 1) * stretch, n_blocks);
      for (std::size_t b = s * stretch; b < end; ++b)
        visit(b * n_each, std::min(n_each, n_rows - b * n_each));
    });
  });
}

}  // namespace mddag::engine
