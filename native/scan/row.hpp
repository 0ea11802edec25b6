// The windows of one row of a scaled image: deviations, first stage, and the rest for those that
// pass it. Eight neighbors are done at once while at least two of them are alive, the last one
// alone. Neither changes the result: every window has its own sum, added up in the same order.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "haar/normalization.hpp"
#include "scan/cells.hpp"
#include "scan/classifier.hpp"
#include "scan/sights.hpp"

namespace mddag::scan {

struct Hit {
  std::int32_t level, x, y;  // in pixels of the scaled image
  double score;
};

struct Count {
  std::int64_t windows = 0;    // looked at
  std::int64_t evaluated = 0;  // base classifiers, over all windows
};

constexpr unsigned kFew = 1;  // windows alive that are done one by one

class RowScan {
 public:
  RowScan(const Classifier& classifier, const Stages& stages, const Layout& layout,
          const Kernels& kernels, std::size_t n_windows)
      : classifier_(classifier),
        stages_(stages),
        layout_(layout),
        kernels_(kernels),
        n_(n_windows),
        scales_((n_windows + kLanes - 1) / kLanes * kLanes, HUGE_VALF),
        sums_(scales_.size()),
        visited_(scales_.size() / kLanes) {}

  // hit(window, score) for every accepted window; row : of cells, that of the windows' upper edge
  template <class Found>
  void run(const Cells& cells, std::size_t row, Count& count, const Found& hit) {
    fill_scales(cells, row);
    const std::uint32_t* sums = cells.sums(row);
    visit(sums, count);
    for (std::size_t g = 0; g < visited_.size(); ++g) {
      if (visited_[g] == 0) continue;
      Group group = of(g, sums, visited_[g], 1);
      count.evaluated += kernels_.run(stages_, stages_.n_stages, kFew, group);
      for (std::size_t i = 0; i < kLanes; ++i)
        if ((group.alive >> i & 1) != 0) {
          const bool passed = group.stage == stages_.n_stages || alone(group, i, count);
          if (passed && group.sums[i] >= classifier_.accept) hit(g * kLanes + i, group.sums[i]);
        }
    }
  }

 private:
  Group of(std::size_t g, const std::uint32_t* sums, unsigned alive, std::size_t stage) {
    return {sums + g * kLanes, scales_.data() + g * kLanes, sums_.data() + g * kLanes, alive,
            stage};
  }

  void fill_scales(const Cells& cells, std::size_t row) {
    const std::size_t m = classifier_.margin;
    const std::size_t bottom = classifier_.window.height - m, right = classifier_.window.width - m;
    const std::size_t area = (bottom - m) * (right - m);
    const std::size_t at[4] = {layout_.offset(m, m), layout_.offset(m, right),
                               layout_.offset(bottom, m), layout_.offset(bottom, right)};
    const std::uint32_t *sum = cells.sums(row), *square = cells.squares(row);
    for (std::size_t i = 0; i < n_; ++i)
      scales_[i] = window_scale(
          area, sum[at[0] + i] - sum[at[1] + i] - sum[at[2] + i] + sum[at[3] + i],
          square[at[0] + i] - square[at[1] + i] - square[at[2] + i] + square[at[3] + i]);
  }

  // The first stage of all windows, and which of them go on.
  void visit(const std::uint32_t* sums, Count& count) {
    const std::int64_t n_trees = stages_.stages[0].n_trees;
    bool hidden = false;  // the next window
    for (std::size_t g = 0; g < visited_.size(); ++g) {
      const unsigned open = not_flat(g);
      Group group = of(g, sums, open, 0);
      for (std::size_t i = 0; i < kLanes; ++i) group.sums[i] = 0.0;
      if (open != 0) kernels_.run(stages_, 1, 0, group);
      unsigned seen = g + 1 < visited_.size() ? 0xFFu : 0xFFu >> (visited_.size() * kLanes - n_);
      if (classifier_.skips) {
        const Sights::Sight& sight = sights_.at(hidden, open & ~group.alive);
        seen &= sight.seen;
        hidden = sight.hides_next;
      }
      count.windows += sights_.count(seen);
      count.evaluated += sights_.count(seen & open) * n_trees;
      visited_[g] = static_cast<std::uint8_t>(seen & group.alive);
    }
  }

  // Windows of a group whose deviation is large enough; beyond the last one there are none.
  unsigned not_flat(std::size_t g) const {
    unsigned open = 0;
    for (std::size_t i = 0; i < kLanes; ++i)
      open |= static_cast<unsigned>(scales_[g * kLanes + i] < classifier_.flattest) << i;
    return open;
  }

  // The stages that are left, of window i of the group.
  bool alone(const Group& group, std::size_t i, Count& count) {
    const std::uint32_t* cells = group.cells + i;
    const float scale = group.scales[i];
    double sum = group.sums[i];
    for (std::size_t s = group.stage; s < stages_.n_stages; ++s) {
      const Stage& stage = stages_.stages[s];
      if (stage.fresh) sum = 0.0;
      const std::uint32_t* starts = stages_.starts + stage.first_tree;
      for (std::uint32_t t = 0; t < stage.n_trees; ++t)
        sum += vote(stages_.nodes, starts[t], cells, scale);
      count.evaluated += stage.n_trees;
      if (!(sum >= stage.reject)) return false;
    }
    group.sums[i] = sum;
    return true;
  }

  static double vote(const Node* nodes, std::size_t n, const std::uint32_t* cells, float scale) {
    for (;;) {
      const Node& node = nodes[n];
      float sum = node.weights[0] * rectangle(cells, node.corners[0]);
      for (std::int32_t r = 1; r < node.n_rectangles; ++r)
        sum += node.weights[r] * rectangle(cells, node.corners[r]);
      const int side = sum * scale <= node.threshold ? 0 : 1;
      if (node.next[side] == kLeaf) return node.votes[side];
      n = static_cast<std::size_t>(node.next[side]);
    }
  }

  static float rectangle(const std::uint32_t* cells, const std::uint32_t* at) {
    return static_cast<float>(
        static_cast<std::int32_t>(cells[at[0]] - cells[at[1]] - cells[at[2]] + cells[at[3]]));
  }

  const Classifier& classifier_;
  Stages stages_;
  Layout layout_;
  Kernels kernels_;
  std::size_t n_;
  std::vector<float> scales_;
  std::vector<double> sums_;
  Sights sights_;
  std::vector<std::uint8_t> visited_;  // by group: windows that passed the first stage
};

}  // namespace mddag::scan
