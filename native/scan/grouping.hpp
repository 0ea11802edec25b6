// Overlapping boxes as groups. Boxes are sorted by their left edge, so that each is compared with
// those near it alone. Twin: tests/reference/scan.py.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "internal/span.hpp"

namespace mddag::scan {

struct Box {  // the last two are exclusive
  std::int64_t xmin, ymin, xmax, ymax;

  double width() const { return static_cast<double>(xmax - xmin); }
  double height() const { return static_cast<double>(ymax - ymin); }
};

// Intersection over union; 0 where both are empty.
inline double overlap(const Box& a, const Box& b) {
  const auto w = static_cast<double>(std::min(a.xmax, b.xmax) - std::max(a.xmin, b.xmin));
  const auto h = static_cast<double>(std::min(a.ymax, b.ymax) - std::max(a.ymin, b.ymin));
  if (w <= 0.0 || h <= 0.0) return 0.0;
  return w * h / (a.width() * a.height() + b.width() * b.height() - w * h);
}

// Boxes in the order of their left edges.
class ByLeftEdge {
 public:
  explicit ByLeftEdge(Span<const Box> boxes) : order_(boxes.size), edges_(boxes.size) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::stable_sort(order_.begin(), order_.end(),
                     [&](std::size_t a, std::size_t b) { return boxes[a].xmin < boxes[b].xmin; });
    for (std::size_t i = 0; i < order_.size(); ++i)
      edges_[i] = static_cast<double>(boxes[order_[i]].xmin);
  }

  // body(box) for those whose left edge lies in [low, high].
  template <class Body>
  void between(double low, double high, const Body& body) const {
    auto at = static_cast<std::size_t>(std::lower_bound(edges_.begin(), edges_.end(), low) -
                                       edges_.begin());
    for (; at < edges_.size() && edges_[at] <= high; ++at) body(order_[at]);
  }

 private:
  std::vector<std::size_t> order_;
  std::vector<double> edges_;
};

// The heaviest box that is left, and all left that overlap it by `least`, are a group, until none
// is left. group : (n,), numbered from 0 in that order; returns how many there are.
inline std::size_t group_greedily(Span<const Box> boxes, const double* weights, double least,
                                  std::int64_t* group) {
  const ByLeftEdge near(boxes);
  std::vector<std::size_t> heaviest(boxes.size);
  std::iota(heaviest.begin(), heaviest.end(), std::size_t{0});
  std::stable_sort(heaviest.begin(), heaviest.end(),
                   [&](std::size_t a, std::size_t b) { return weights[a] > weights[b]; });
  std::fill(group, group + boxes.size, -1);
  std::int64_t n = 0;
  for (const std::size_t seed : heaviest) {
    if (group[seed] >= 0) continue;
    const Box& box = boxes[seed];
    group[seed] = n;
    // The union is at least as wide as either box: one wider by 1 / least overlaps less.
    const double left = static_cast<double>(box.xmin) - box.width() / least;
    near.between(left, static_cast<double>(box.xmax), [&](std::size_t other) {
      if (group[other] < 0 && overlap(box, boxes[other]) >= least) group[other] = n;
    });
    ++n;
  }
  return static_cast<std::size_t>(n);
}

// Whether all four edges differ by at most `part` of the mean of the smaller sides: OpenCV's rule.
inline bool are_similar(const Box& a, const Box& b, double part) {
  const double most =
      part * (std::min(a.width(), b.width()) + std::min(a.height(), b.height())) * 0.5;
  const auto near = [most](std::int64_t x, std::int64_t y) {
    return std::abs(static_cast<double>(x - y)) <= most;
  };
  return near(a.xmin, b.xmin) && near(a.ymin, b.ymin) && near(a.xmax, b.xmax) &&
         near(a.ymax, b.ymax);
}

// Chains of similar boxes are groups, numbered by their first box; returns how many there are.
inline std::size_t group_similar(Span<const Box> boxes, double part, std::int64_t* group) {
  const ByLeftEdge near(boxes);
  std::vector<std::size_t> parent(boxes.size);
  std::iota(parent.begin(), parent.end(), std::size_t{0});
  const auto root = [&](std::size_t i) {
    for (; parent[i] != i; i = parent[i]) parent[i] = parent[parent[i]];
    return i;
  };
  for (std::size_t i = 0; i < boxes.size; ++i) {
    const auto x = static_cast<double>(boxes[i].xmin);
    const double reach = part * (boxes[i].width() + boxes[i].height()) * 0.5;
    near.between(x - reach, x + reach, [&](std::size_t j) {
      if (j < i && are_similar(boxes[i], boxes[j], part)) {
        const std::size_t a = root(i), b = root(j);
        parent[std::max(a, b)] = std::min(a, b);
      }
    });
  }
  std::int64_t n = 0;
  for (std::size_t i = 0; i < boxes.size; ++i) {
    const std::size_t first = root(i);
    group[i] = first == i ? n++ : group[first];
  }
  return static_cast<std::size_t>(n);
}

}  // namespace mddag::scan
