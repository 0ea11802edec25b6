// Stages on eight neighbouring windows at once. Corners of neighbouring windows lie side by side in
// the cells, so a load takes those of all eight. `Lanes` are the instructions of a machine.
#pragma once

#include "scan/kernels/stages.hpp"

namespace mddag::scan {

template <class Lanes>
struct GroupKernel {
  using Doubles = typename Lanes::Doubles;
  using Mask = typename Lanes::Mask;

  static std::int64_t run(const Stages& stages, std::size_t last, unsigned few, Group& group) {
    const auto scales = Lanes::load(group.scales);
    Doubles sums = Lanes::load(group.sums);
    unsigned alive = group.alive;
    unsigned n_alive = Lanes::count(alive);
    std::int64_t n_evaluated = 0;
    std::size_t s = group.stage;
    for (; s < last && n_alive > few; ++s) {
      const Stage& stage = stages.stages[s];
      if (stage.fresh) sums = Lanes::all(0.0);
      const std::uint32_t* starts = stages.starts + stage.first_tree;
      for (std::uint32_t t = 0; t < stage.n_trees; ++t)
        sums = Lanes::add(sums, vote(stages.nodes, starts[t], starts[t + 1], group.cells, scales));
      n_evaluated += static_cast<std::int64_t>(n_alive) * stage.n_trees;
      alive &= Lanes::at_least(sums, stage.reject);
      n_alive = Lanes::count(alive);
    }
    Lanes::store(group.sums, sums);
    group.alive = alive;
    group.stage = s;
    return n_evaluated;
  }

 private:
  static typename Lanes::Floats value(const Node& node, const std::uint32_t* cells,
                                      const typename Lanes::Floats& scales) {
    auto sum = Lanes::multiply(Lanes::rectangle(cells, node.corners[0]), node.weights[0]);
    for (std::int32_t r = 1; r < node.n_rectangles; ++r)
      sum = Lanes::add(sum,
                       Lanes::multiply(Lanes::rectangle(cells, node.corners[r]), node.weights[r]));
    return Lanes::multiply(sum, scales);
  }

  // All splits of a tree, from the last to the first: a split's vote is then that of one side.
  static Doubles vote(const Node* nodes, std::uint32_t first, std::uint32_t end,
                      const std::uint32_t* cells, const typename Lanes::Floats& scales) {
    if (end - first == 1) {
      const Node& stump = nodes[first];
      const Mask left = Lanes::at_most(value(stump, cells, scales), stump.threshold);
      return Lanes::choose(left, Lanes::all(stump.votes[0]), Lanes::all(stump.votes[1]));
    }
    Doubles votes[kMostNodes];
    for (std::uint32_t n = end; n-- > first;) {
      const Node& node = nodes[n];
      const Mask left = Lanes::at_most(value(node, cells, scales), node.threshold);
      votes[n - first] =
          Lanes::choose(left, side(node, 0, first, votes), side(node, 1, first, votes));
    }
    return votes[0];
  }

  static Doubles side(const Node& node, int k, std::uint32_t first, const Doubles* votes) {
    if (node.next[k] == kLeaf) return Lanes::all(node.votes[k]);
    return votes[static_cast<std::uint32_t>(node.next[k]) - first];
  }
};

}  // namespace mddag::scan
