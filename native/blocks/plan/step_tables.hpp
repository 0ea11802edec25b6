// Stumps as step functions: all stumps that read one column sum to one function of its byte, so
// that a row costs one table look-up per column, however many stumps there are.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "blocks/kernels/kernels.hpp"
#include "blocks/ranks/quantizer.hpp"

namespace mddag::blocks {

class StepTables {
 public:
  // Adds a stump's votes for one score.
  void add(Place place, std::size_t score, std::int32_t left, std::int32_t right) {
    auto& votes = tables_[{score, place.column}];
    for (int byte = -128; byte < 128; ++byte)
      votes[static_cast<std::uint8_t>(byte)] += place.threshold > byte ? left : right;
  }

  std::size_t size() const { return tables_.size(); }

  // As the kernels take them, score by score; they point into this object.
  std::vector<StepFunction> records(std::size_t column_stride) const {
    std::vector<StepFunction> records;
    for (const auto& [key, votes] : tables_)
      records.push_back({votes.data(), static_cast<std::uint32_t>(key.second * column_stride),
                         static_cast<std::uint32_t>(key.first)});
    return records;
  }

 private:
  std::map<std::pair<std::size_t, std::size_t>, std::array<std::int32_t, 256>> tables_;
};

}  // namespace mddag::blocks
