// Trees of at most 256 leaves as select programmes: every split chooses, lane by lane, between the
// leaf numbers that its two subtrees have found, from the bottom up and without a branch.
//
// The subtree that needs more slots comes first, so that eight slots serve 256 leaves of any shape.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "mddag/engine/kernels.hpp"
#include "mddag/engine/quantiser.hpp"
#include "mddag/node.hpp"

namespace mddag::engine {

constexpr std::size_t kMostLeaves = 256;
constexpr std::size_t kResultSlots = 9;  // behind the leaf numbers

class ProgrammeBuilder {
 public:
  ProgrammeBuilder(const Quantiser& quantiser, std::size_t column_stride)
      : quantiser_(quantiser), column_stride_(column_stride) {}

  // nodes: one tree; votes: (n_leaves, n_outputs) by leaf code. The programme points into memory
  // that lives as long as this builder's `memory` does.
  Programme build(const Node* nodes, std::size_t n_nodes, const std::int32_t* votes,
                  std::size_t n_leaves, std::size_t n_outputs, std::int32_t score) {
    nodes_ = nodes;
    selects_.clear();
    set_needs(n_nodes);
    const std::size_t result = add(0, 0);
    memory_.selects.push_back(selects_);
    memory_.votes.emplace_back(n_leaves * n_outputs);
    std::vector<std::int32_t>& by_output = memory_.votes.back();
    for (std::size_t l = 0; l < n_leaves; ++l)
      for (std::size_t k = 0; k < n_outputs; ++k)
        by_output[k * n_leaves + l] = votes[l * n_outputs + k];
    return {memory_.selects.back().data(),
            by_output.data(),
            static_cast<std::uint32_t>(selects_.size()),
            static_cast<std::uint32_t>(n_leaves),
            static_cast<std::uint32_t>(n_outputs),
            static_cast<std::uint32_t>(score),
            static_cast<std::uint32_t>(result)};
  }

  struct Memory {
    std::deque<std::vector<Select>> selects;
    std::deque<std::vector<std::int32_t>> votes;
  };
  Memory take_memory() { return std::move(memory_); }

 private:
  // Slots that a subtree needs; a leaf has its own already. Children follow their parent.
  void set_needs(std::size_t n_nodes) {
    needs_.assign(n_nodes, 0);
    for (std::size_t i = n_nodes; i-- > 0;) {
      if (nodes_[i].is_leaf()) continue;
      const std::size_t a = need(nodes_[i].left), b = need(nodes_[i].right);
      needs_[i] = std::max<std::size_t>({a, b, 1, a == b ? a + 1 : 0});
    }
  }

  std::size_t need(std::int32_t at) const { return needs_[static_cast<std::size_t>(at)]; }

  // Adds the selects of a subtree, its results from slot `free` on; returns where its answer lies.
  std::size_t add(std::int32_t at, std::size_t free) {
    const Node& node = nodes_[at];
    if (node.is_leaf()) return static_cast<std::size_t>(node.left);
    const bool left_first = need(node.left) >= need(node.right);
    const std::size_t first = add(left_first ? node.left : node.right, free);
    const std::size_t next = first >= kMostLeaves ? free + 1 : free;
    const std::size_t second = add(left_first ? node.right : node.left, next);
    const Place place = quantiser_.place(node);
    Select select{};
    select.column = static_cast<std::uint32_t>(place.column * column_stride_);
    select.threshold = place.threshold;
    select.left = static_cast<std::uint16_t>(left_first ? first : second);
    select.right = static_cast<std::uint16_t>(left_first ? second : first);
    select.target = static_cast<std::uint16_t>(kMostLeaves + free);
    selects_.push_back(select);
    return select.target;
  }

  const Quantiser& quantiser_;
  const std::size_t column_stride_;
  const Node* nodes_ = nullptr;
  std::vector<std::size_t> needs_;
  std::vector<Select> selects_;
  Memory memory_;
};

}  // namespace mddag::engine
