// How many rows can quit at both ends of a score while few of them get another label than by the
// full ensemble: src/mddag/solvers/exits.py. Twin: tests/reference/solvers.py.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "internal/span.hpp"

namespace mddag {

// Cells up to `low` and from `high` on quit, and so does this weight.
struct QuitCut {
  std::int64_t low, high;
  double weight;
};

// A histogram over the cells, looked at from one of its ends.
class QuitEnd {
 public:
  // there, wrong : weight of the rows in each cell, and of those that quitting gets wrong, both
  // beginning with the cell at this end; step leads to the next cell
  QuitEnd(const double* there, const double* wrong, std::size_t n_cells, std::ptrdiff_t step)
      : there_(there), step_(step), quit_(n_cells + 1), lost_(n_cells + 1) {
    double quit = 0, lost = 0;  // held here, since sums that go through memory take twice as long
    for (std::size_t c = 0; c < n_cells; ++c) {
      const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(c) * step;
      quit_[c + 1] = quit += there[at];
      lost_[c + 1] = lost += wrong[at];
    }
  }

  // The most cells that can quit while no more than `budget` is lost.
  std::size_t most(double budget) const {
    const auto first = lost_.begin() + 1;
    return static_cast<std::size_t>(std::upper_bound(first, lost_.end(), budget) - first);
  }

  // The weight that quits, and that is lost, in the first n cells.
  double quit(std::size_t n) const { return quit_[n]; }
  double lost(std::size_t n) const { return lost_[n]; }

  // The last cell with rows among the first n, counted from this end; -1 where there is none.
  std::int64_t last_filled(std::size_t n) const {
    auto c = static_cast<std::ptrdiff_t>(n) - 1;
    while (c >= 0 && !(there_[c * step_] > 0)) --c;
    return c;
  }

 private:
  const double* there_;
  const std::ptrdiff_t step_;
  std::vector<double> quit_, lost_;  // sums of the first 0 .. n_cells cells
};

// shares : of the budget for the lower end, of which the one that lets most rows quit is taken; the
//          upper end has the rest
inline QuitCut quit_cut(const double* there, const double* wrong, std::size_t n_cells,
                        double budget, Span<const double> shares) {
  if (n_cells == 0) return {-1, 0, 0.0};
  const QuitEnd lower(there, wrong, n_cells, 1);
  const QuitEnd upper(there + n_cells - 1, wrong + n_cells - 1, n_cells, -1);
  const double slack = budget * (1 + 1e-12);  // sums are rounded
  std::size_t best_low = 0, best_high = 0;
  double most = 0;
  for (std::size_t s = 0; s < shares.size; ++s) {
    const std::size_t n_low = lower.most(shares[s] * slack);
    const std::size_t n_high = std::min(upper.most(slack - lower.lost(n_low)), n_cells - n_low);
    const double weight = lower.quit(n_low) + upper.quit(n_high);
    if (weight > most) {
      most = weight;
      best_low = n_low;
      best_high = n_high;
    }
  }
  const auto last = static_cast<std::int64_t>(n_cells) - 1;
  return {lower.last_filled(best_low), last - upper.last_filled(best_high), most};
}

}  // namespace mddag
