// A classifier of windows as arrays, what may be wrong with it, and its stages placed on a layout.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "haar/feature.hpp"
#include "internal/span.hpp"
#include "scan/cells.hpp"
#include "scan/kernels/stages.hpp"

namespace mddag::scan {

// WindowClassifier.native: see src/mddag/detection/windows.py.
struct Classifier {
  Window window;
  std::size_t margin;  // pixels at each side of the window that its deviation leaves out
  float flattest;      // windows of this scale (normalization.hpp) or more are rejected
  bool skips;          // whether a window that the first stage rejects hides the next in its row
  double accept;
  Span<const HaarFeature> features;
  Span<const std::int32_t> node_feature;
  Span<const float> node_threshold;
  const std::int32_t* node_next;  // (n_nodes, 2)
  const double* node_votes;       // (n_nodes, 2)
  Span<const std::int64_t> tree_starts;
  Span<const std::int64_t> stage_starts;
  Span<const bool> stage_fresh;
  Span<const double> stage_reject;
};

inline void refuse_if(bool fault, const char* what) {
  if (fault) throw std::invalid_argument(std::string("the window classifier ") + what);
}

// Starts of parts of 0..n-1, none of them empty.
inline bool are_starts(Span<const std::int64_t> starts, std::size_t n) {
  if (starts.size < 2 || starts[0] != 0 || starts[starts.size - 1] != static_cast<std::int64_t>(n))
    return false;
  for (std::size_t i = 1; i < starts.size; ++i)
    if (starts[i] <= starts[i - 1]) return false;
  return true;
}

inline void require_rectangles(const Classifier& c) {
  const auto height = static_cast<std::int64_t>(c.window.height);
  const auto width = static_cast<std::int64_t>(c.window.width);
  for (std::size_t f = 0; f < c.features.size; ++f) {
    std::int64_t most = 0;
    for (const Rectangle& r : c.features[f].rectangles) {
      const bool inside = r.x >= 0 && r.y >= 0 && r.w >= 0 && r.h >= 0 &&
                          std::int64_t{r.x} + r.w <= width && std::int64_t{r.y} + r.h <= height;
      refuse_if(!inside, "has a rectangle outside of the window");
      refuse_if(r.weight > (1 << 16) || r.weight < -(1 << 16), "has too large a weight");
      most += std::int64_t{r.w} * r.h * (r.weight < 0 ? -r.weight : r.weight);
    }
    refuse_if(most * 255 > 1 << 24, "has weights x areas that float32 does not hold exactly");
  }
}

inline void require_nodes(const Classifier& c) {
  for (std::size_t t = 0; t + 1 < c.tree_starts.size; ++t) {
    const std::int64_t first = c.tree_starts[t], end = c.tree_starts[t + 1];
    refuse_if(end - first > static_cast<std::int64_t>(kMostNodes), "has a tree of too many nodes");
    for (std::int64_t n = first; n < end; ++n) {
      const std::int64_t feature = c.node_feature[static_cast<std::size_t>(n)];
      refuse_if(feature < 0 || feature >= static_cast<std::int64_t>(c.features.size),
                "has a node without feature");
      for (int k = 0; k < 2; ++k) {
        const std::int64_t next = c.node_next[2 * n + k];
        refuse_if(next != kLeaf && (next <= n || next >= end),
                  "has a node that leads to no later one");
      }
    }
  }
}

// Throws unless kernels may run it.
inline void require_classifier(const Classifier& c) {
  refuse_if(c.window.height == 0 || c.window.width == 0 || c.window.height > kMostArea ||
                c.window.width > kMostArea || c.window.area() > kMostArea,
            "has a window without pixels or of too many");
  refuse_if(
      c.margin > kMostArea || 2 * c.margin >= c.window.height || 2 * c.margin >= c.window.width,
      "has a margin that leaves no pixel");
  const std::size_t n_nodes = c.node_feature.size, n_stages = c.stage_fresh.size;
  refuse_if(c.node_threshold.size != n_nodes, "has thresholds that are not those of its nodes");
  refuse_if(!are_starts(c.tree_starts, n_nodes), "has no whole trees");
  refuse_if(!are_starts(c.stage_starts, c.tree_starts.size - 1), "has no whole stages");
  refuse_if(c.stage_reject.size != n_stages || c.stage_starts.size != n_stages + 1,
            "has thresholds that are not those of its stages");
  require_rectangles(c);
  require_nodes(c);
}

// A classifier on one layout; owns what `stages` points to.
class Placed {
 public:
  Placed(const Classifier& c, const Layout& layout) : nodes_(c.node_feature.size) {
    for (std::size_t n = 0; n < nodes_.size(); ++n) nodes_[n] = node(c, n, layout);
    for (std::size_t t = 0; t < c.tree_starts.size; ++t)
      starts_.push_back(static_cast<std::uint32_t>(c.tree_starts[t]));
    for (std::size_t s = 0; s < c.stage_fresh.size; ++s)
      stages_.push_back({static_cast<std::uint32_t>(c.stage_starts[s]),
                         static_cast<std::uint32_t>(c.stage_starts[s + 1] - c.stage_starts[s]),
                         c.stage_reject[s], c.stage_fresh[s]});
  }
  Placed(const Placed&) = delete;

  Stages stages() const { return {nodes_.data(), starts_.data(), stages_.data(), stages_.size()}; }

 private:
  static Node node(const Classifier& c, std::size_t n, const Layout& layout) {
    Node out{};
    const HaarFeature& feature = c.features[static_cast<std::size_t>(c.node_feature[n])];
    for (std::size_t r = 0; r < HaarFeature::kRectangles; ++r) {
      const Rectangle& rectangle = feature.rectangles[r];
      const auto left = static_cast<std::size_t>(rectangle.x);
      const auto right = left + static_cast<std::size_t>(rectangle.w);
      const auto top = static_cast<std::size_t>(rectangle.y);
      const auto bottom = top + static_cast<std::size_t>(rectangle.h);
      const std::size_t at[4] = {layout.offset(top, left), layout.offset(top, right),
                                 layout.offset(bottom, left), layout.offset(bottom, right)};
      for (int k = 0; k < 4; ++k) out.corners[r][k] = static_cast<std::uint32_t>(at[k]);
      out.weights[r] = static_cast<float>(rectangle.weight);
      if (rectangle.weight != 0) out.n_rectangles = static_cast<std::int32_t>(r) + 1;
    }
    out.threshold = c.node_threshold[n];
    for (int k = 0; k < 2; ++k) {
      out.next[k] = c.node_next[2 * n + k];
      out.votes[k] = c.node_votes[2 * n + k];
    }
    return out;
  }

  std::vector<Node> nodes_;
  std::vector<std::uint32_t> starts_;
  std::vector<Stage> stages_;
};

}  // namespace mddag::scan
