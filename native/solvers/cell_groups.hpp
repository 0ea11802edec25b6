// Neighboring cells that decide together, so that a decision rests on enough rows. Twin:
// groups_of in tests/reference/solvers.py.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace mddag {

struct Grouping {
  std::size_t most;   // groups per row of cells; 0: every visited cell is a group of its own
  std::size_t least;  // rows per group, about
};

constexpr std::int32_t kUnvisited = -1;  // the group of cells of a part that no row visits

// The groups of one row of cells, numbered from `first` on, by the quantile of each cell's middle
// row. Returns the number after the last.
inline std::int32_t group_visited(const std::uint32_t* visits, std::size_t n_cells,
                                  const Grouping& grouping, std::int32_t first,
                                  std::int32_t* group) {
  std::size_t total = 0, before = 0;
  for (std::size_t c = 0; c < n_cells; ++c) total += visits[c];
  const std::size_t n_groups =
      std::min(grouping.most, std::max<std::size_t>(total / grouping.least, 1));
  std::int32_t next = first;
  std::size_t last_part = 0;
  for (std::size_t c = 0; c < n_cells; ++c) {
    group[c] = kUnvisited;
    if (visits[c] == 0) continue;
    const std::size_t part = (2 * before + visits[c]) * n_groups / (2 * total);
    if (grouping.most == 0 || next == first || part != last_part) ++next;
    group[c] = next - 1;
    last_part = part;
    before += visits[c];
  }
  return next;
}

// Every cell without visits joins the nearest visited one of its row, the lower of two.
inline void join_nearest(std::size_t n_cells, std::int32_t* group) {
  std::int32_t* unjoined = group;  // after the last visited cell so far
  for (std::int32_t* cell = group; cell != group + n_cells; ++cell) {
    if (*cell == kUnvisited) continue;
    std::int32_t* middle = unjoined;
    if (unjoined != group) middle += (cell - unjoined + 1) / 2;
    if (unjoined != group) std::fill(unjoined, middle, unjoined[-1]);
    std::fill(middle, cell, *cell);
    unjoined = cell + 1;
  }
  if (unjoined != group) std::fill(unjoined, group + n_cells, unjoined[-1]);
}

// visits, group : (n_rows x row_cells,). Returns the number of groups.
inline std::size_t group_cells(const std::vector<std::uint32_t>& visits, std::size_t row_cells,
                               const Grouping& grouping, std::vector<std::int32_t>& group) {
  std::int32_t n_groups = 0;
  for (std::size_t row = 0; row < visits.size(); row += row_cells) {
    n_groups =
        group_visited(visits.data() + row, row_cells, grouping, n_groups, group.data() + row);
    join_nearest(row_cells, group.data() + row);
  }
  return static_cast<std::size_t>(n_groups);
}

}  // namespace mddag
