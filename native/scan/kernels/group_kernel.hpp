// Stages on eight neighboring windows at once. Corners of neighboring windows lie side by side in
// the cells, so a load takes those of all eight. `Lanes` are the instructions of a machine.
#pragma once

#include "scan/kernels/stages.hpp"

namespace mddag::scan {

template <class Lanes>
struct GroupKernel {
  using Floats = typename Lanes::Floats;
  using Doubles = typename Lanes::Doubles;
  using Mask = typename Lanes::Mask;

  static std::int64_t run(const Stages& stages, std::size_t last, unsigned few, Group& group) {
    const Floats scales = Lanes::load(group.scales);
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
        sums = Lanes::add(sums, votes_of(stages.nodes + starts[t], starts[t + 1] - starts[t],
                                         starts[t], group.cells, scales));
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
  MDDAG_SCAN_INLINE static Floats value(const Node& node, const std::uint32_t* cells,
                                        const Floats& scales) {
    Floats sum = Lanes::multiply(Lanes::rectangle(cells, node.corners[0]), node.weights[0]);
    for (std::int32_t r = 1; r < node.n_rectangles; ++r)
      sum = Lanes::add(sum,
                       Lanes::multiply(Lanes::rectangle(cells, node.corners[r]), node.weights[r]));
    return Lanes::multiply(sum, scales);
  }

  MDDAG_SCAN_INLINE static Doubles of_stump(const Node& stump, const std::uint32_t* cells,
                                            const Floats& scales) {
    const Mask left = Lanes::at_most(value(stump, cells, scales), stump.threshold);
    return Lanes::choose(left, Lanes::all(stump.votes[0]), Lanes::all(stump.votes[1]));
  }

  // Trees of two and of three nodes, in registers alone. The last node has two leaves.
  MDDAG_SCAN_INLINE static Doubles of_two(const Node* nodes, std::int32_t first,
                                          const std::uint32_t* cells, const Floats& scales) {
    const Doubles last = of_stump(nodes[1], cells, scales);
    return split(nodes[0], first, last, last, cells, scales);
  }

  MDDAG_SCAN_INLINE static Doubles of_three(const Node* nodes, std::int32_t first,
                                            const std::uint32_t* cells, const Floats& scales) {
    const Doubles last = of_stump(nodes[2], cells, scales);
    const Doubles second = split(nodes[1], first, last, last, cells, scales);
    return split(nodes[0], first, second, last, cells, scales);
  }

  // The votes of a node, given those of the second node of the tree and of the last.
  MDDAG_SCAN_INLINE static Doubles split(const Node& node, std::int32_t first,
                                         const Doubles& second, const Doubles& last,
                                         const std::uint32_t* cells, const Floats& scales) {
    const Mask left = Lanes::at_most(value(node, cells, scales), node.threshold);
    const auto side = [&](int k) {
      if (node.next[k] == kLeaf) return Lanes::all(node.votes[k]);
      return node.next[k] == first + 1 ? second : last;
    };
    return Lanes::choose(left, side(0), side(1));
  }

  // All splits, from the last to the first: a split's vote is then that of one of its sides.
  static Doubles of_tree(const Node* nodes, std::uint32_t n_nodes, std::uint32_t first,
                         const std::uint32_t* cells, const Floats& scales) {
    Doubles votes[kMostNodes];
    for (std::uint32_t n = n_nodes; n-- > 0;) {
      const Mask left = Lanes::at_most(value(nodes[n], cells, scales), nodes[n].threshold);
      votes[n] =
          Lanes::choose(left, side(nodes[n], 0, first, votes), side(nodes[n], 1, first, votes));
    }
    return votes[0];
  }

  // first : the number of the root among all nodes
  MDDAG_SCAN_INLINE static Doubles votes_of(const Node* nodes, std::uint32_t n_nodes,
                                            std::uint32_t first, const std::uint32_t* cells,
                                            const Floats& scales) {
    if (n_nodes == 1) return of_stump(nodes[0], cells, scales);
    const auto root = static_cast<std::int32_t>(first);
    if (n_nodes == 2) return of_two(nodes, root, cells, scales);
    if (n_nodes == 3) return of_three(nodes, root, cells, scales);
    return of_tree(nodes, n_nodes, first, cells, scales);
  }

  static Doubles side(const Node& node, int k, std::uint32_t first, const Doubles* votes) {
    if (node.next[k] == kLeaf) return Lanes::all(node.votes[k]);
    return votes[static_cast<std::uint32_t>(node.next[k]) - first];
  }
};

}  // namespace mddag::scan
