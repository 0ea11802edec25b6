// Classification paths, gathered block by block while rows take their steps side by side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mddag {

constexpr std::size_t kPathBlock = 256;  // rows that go together

struct Paths {
  std::vector<std::int32_t> n_evaluated;
  std::vector<std::int32_t> indices;  // of the source ensemble, row by row
};

struct Visited {
  std::size_t row;
  std::int32_t classifier;
};

// Visits of n <= kPathBlock rows in the order of steps -> classifiers row by row,
// each in the order of its steps.
inline std::vector<std::int32_t> by_row(const std::vector<Visited>& visits, std::size_t n,
                                        const std::int32_t* n_evaluated) {
  std::size_t place[kPathBlock], total = 0;
  for (std::size_t i = 0; i < n; ++i) {
    place[i] = total;
    total += static_cast<std::size_t>(n_evaluated[i]);
  }
  std::vector<std::int32_t> sorted(total);
  for (const Visited& visit : visits) sorted[place[visit.row]++] = visit.classifier;
  return sorted;
}

// The blocks' parts one behind the other; each is freed once copied, since paths may fill memory.
inline std::vector<std::int32_t> joined(std::vector<std::vector<std::int32_t>>&& parts) {
  std::size_t total = 0;
  for (const auto& part : parts) total += part.size();
  std::vector<std::int32_t> all;
  all.reserve(total);
  for (auto& part : parts) {
    all.insert(all.end(), part.begin(), part.end());
    std::vector<std::int32_t>().swap(part);
  }
  return all;
}

}  // namespace mddag
