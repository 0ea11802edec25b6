// What the kernels of a scan take: a classifier placed on one layout of cells, and eight windows.
//
// Plain data alone: this header is compiled for every level of machines (levels/level.hpp), and a
// function compiled for one must never be the copy that the linker keeps for all.
#pragma once

#include <cstddef>
#include <cstdint>

// For functions of a few instructions, to which calls would cost more than they do.
#ifdef _MSC_VER
#define MDDAG_SCAN_INLINE __forceinline
#else
#define MDDAG_SCAN_INLINE inline __attribute__((always_inline))
#endif

namespace mddag::scan {

constexpr std::size_t kLanes = 8;       // windows that a kernel takes at once, neighbors in a row
constexpr std::size_t kMostNodes = 32;  // of a tree
constexpr std::int32_t kLeaf = -1;

// A split of a tree: value <= threshold goes to side 0, else to side 1. A side is a later node of
// the tree, or a leaf (kLeaf) with its vote.
struct Node {
  std::uint32_t corners[3][4];  // offsets in cells from the window's first: see cells.hpp
  float weights[3];
  float threshold;
  std::int32_t n_rectangles;
  std::int32_t next[2];
  double votes[2];
};

// Trees whose votes are added up; then a window whose sum is below `reject` leaves.
struct Stage {
  std::uint32_t first_tree, n_trees;
  double reject;
  bool fresh;  // whether the sum starts from 0
};

struct Stages {
  const Node* nodes;
  const std::uint32_t* starts;  // of the trees in `nodes`, and one for the end
  const Stage* stages;
  std::size_t n_stages;
};

// Eight windows on their way, a bit of `alive` for each.
struct Group {
  const std::uint32_t* cells;  // of the first window
  const float* scales;
  double* sums;
  unsigned alive;
  std::size_t stage;  // the next one
};

struct Kernels {
  // Does stages until `last`, or until at most `few` windows are alive; returns how many trees were
  // evaluated, counting those of windows alive.
  std::int64_t (*run)(const Stages& stages, std::size_t last, unsigned few, Group& group);
};

}  // namespace mddag::scan
