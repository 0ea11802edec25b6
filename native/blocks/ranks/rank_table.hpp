// RankTable: the grid of kernels/rank_of.hpp for the thresholds of one feature, and the memory that
// it points to.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "blocks/kernels/kernels.hpp"
#include "blocks/kernels/rank_of.hpp"

namespace mddag::blocks {

class RankTable {
 public:
  explicit RankTable(std::vector<float> thresholds) : thresholds_(std::move(thresholds)) {
    if (thresholds_.empty()) return;  // of a feature whose splits are all nominal
    const std::size_t most = std::max<std::size_t>(4096, 2 * thresholds_.size());
    for (std::size_t n_cells = 16; n_cells <= most; n_cells *= 2)
      for (const Lookup lookup : {Lookup::value, Lookup::bits}) {
        set_up(lookup, n_cells);
        if (fill(n_cells)) return;
      }
    grid_.lookup = Lookup::search;
    cells_.clear();
  }

  RankGrid grid() const {
    RankGrid grid = grid_;
    grid.cells = cells_.data();
    grid.thresholds = thresholds_.data();
    grid.n_thresholds = static_cast<std::int32_t>(thresholds_.size());
    return grid;
  }

 private:
  void set_up(Lookup lookup, std::size_t n_cells) {
    const float low = thresholds_.front(), high = thresholds_.back();
    grid_ = {};
    grid_.lookup = lookup;
    grid_.low = low;
    grid_.scale =
        high > low
            ? static_cast<float>(static_cast<double>(n_cells) / (static_cast<double>(high) - low))
            : 0.0f;
    grid_.last = static_cast<float>(n_cells - 1);
    grid_.low_key = ordered_bits(low);
    grid_.high_key = ordered_bits(high);
    const auto width =
        static_cast<std::uint32_t>(grid_.high_key) - static_cast<std::uint32_t>(grid_.low_key);
    while ((width >> grid_.shift) >= n_cells) ++grid_.shift;
  }

  // Lays the thresholds into the cells; false if one is crowded.
  bool fill(std::size_t n_cells) {
    constexpr float never = std::numeric_limits<float>::infinity();  // no value is above
    cells_.assign(n_cells, {{never, never, never}, 0});
    std::vector<std::uint8_t> n_inside(n_cells, 0);
    for (const float t : thresholds_) {
      const std::uint32_t c = cell_of(grid_, t);
      if (n_inside[c] == 3) return false;
      cells_[c].edge[n_inside[c]++] = t;
    }
    for (std::size_t c = 1; c < n_cells; ++c) cells_[c].base = cells_[c - 1].base + n_inside[c - 1];
    return true;
  }

  std::vector<float> thresholds_;
  RankGrid grid_{};
  std::vector<RankCell> cells_;
};

}  // namespace mddag::blocks
