// Trees of at most 256 leaves as LargeTree records: pieces of at most eight exits, from the root
// down. An exit to a leaf has the leaf's code; an exit to a piece has the code of the first leaf
// below it, which no row can have for good before that piece is done.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "blocks/kernels/kernels.hpp"
#include "blocks/plan/cut.hpp"
#include "blocks/plan/splits.hpp"
#include "ensemble/node.hpp"
#include "ensemble/shape.hpp"

namespace mddag::blocks {

class LargeTreeBuilder {
 public:
  explicit LargeTreeBuilder(SplitsBuilder& splits) : splits_(splits) {}

  // nodes: one tree; votes: (n_leaves, n_outputs) by leaf code. The record points into memory that
  // lives as long as what `take_memory` returns.
  LargeTree build(const Node* nodes, std::size_t n_nodes, const std::int32_t* votes,
                  std::size_t n_leaves, std::size_t n_outputs, std::int32_t score) {
    for (std::size_t depth = kFewestLevels; depth <= kMostLevels; ++depth)
      if (const auto leaves = oblivious_leaves({nodes, n_nodes}, depth); !leaves.empty())
        return oblivious(nodes, leaves, votes, n_leaves, n_outputs, score);
    const Cut cut(nodes, n_nodes);
    std::vector<Piece>& pieces = memory_.pieces.emplace_back();
    if (cut.begins(0)) add(nodes, 0, cut, pieces);
    std::vector<std::int32_t>& by_output = memory_.votes.emplace_back(n_leaves * n_outputs);
    for (std::size_t l = 0; l < n_leaves; ++l)
      for (std::size_t k = 0; k < n_outputs; ++k)
        by_output[k * n_leaves + l] = votes[l * n_outputs + k];
    return {pieces.data(),
            by_output.data(),
            static_cast<std::uint32_t>(pieces.size()),
            static_cast<std::uint32_t>(n_leaves),
            static_cast<std::uint32_t>(n_outputs),
            static_cast<std::uint32_t>(score),
            first_leaf(nodes, 0),
            nullptr,
            0};
  }

  struct Memory {
    std::deque<std::vector<Piece>> pieces;
    std::deque<std::vector<std::int32_t>> votes;
    std::deque<std::vector<LevelSplit>> levels;
  };
  Memory take_memory() { return std::move(memory_); }

 private:
  static constexpr std::size_t kFewestLevels = 4, kMostLevels = 8;

  LargeTree oblivious(const Node* nodes, const std::vector<std::int32_t>& leaves,
                      const std::int32_t* votes, std::size_t n_leaves, std::size_t n_outputs,
                      std::int32_t score) {
    std::vector<LevelSplit>& levels = memory_.levels.emplace_back();
    for (std::int32_t at = 0; !nodes[at].is_leaf(); at = nodes[at].left)
      levels.push_back(splits_.level(nodes[at]));
    std::vector<std::int32_t>& by_output = memory_.votes.emplace_back(n_leaves * n_outputs);
    for (std::size_t l = 0; l < n_leaves; ++l)
      for (std::size_t k = 0; k < n_outputs; ++k)
        by_output[k * n_leaves + l] =
            votes[static_cast<std::size_t>(nodes[leaves[l]].left) * n_outputs + k];
    return {nullptr,
            by_output.data(),
            0,
            static_cast<std::uint32_t>(n_leaves),
            static_cast<std::uint32_t>(n_outputs),
            static_cast<std::uint32_t>(score),
            0,
            levels.data(),
            static_cast<std::uint32_t>(levels.size())};
  }

  static std::uint8_t first_leaf(const Node* nodes, std::int32_t at) {
    while (!nodes[at].is_leaf()) at = nodes[at].left;
    return static_cast<std::uint8_t>(nodes[at].left);
  }

  // Adds the piece that begins at a node, and those below.
  void add(const Node* nodes, std::int32_t at, const Cut& cut, std::vector<Piece>& pieces) {
    Piece piece{};
    piece.splits = splits_.build(nodes, at, [&](std::int32_t v) { return cut.begins(v); });
    const SplitsBuilder::Exits exits = splits_.exits();
    for (std::size_t e = 0; e < exits.size(); ++e) piece.codes[e] = first_leaf(nodes, exits[e]);
    piece.entry = first_leaf(nodes, at);
    pieces.push_back(piece);
    for (std::size_t e = 0; e < exits.size(); ++e)
      if (cut.begins(exits[e]) && (e == 0 || exits[e] != exits[e - 1]))
        add(nodes, exits[e], cut, pieces);
  }

  SplitsBuilder& splits_;
  Memory memory_;
};

}  // namespace mddag::blocks
