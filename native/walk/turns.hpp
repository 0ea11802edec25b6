// How rows that take their steps in turn add their votes: one way for each form that all trees may
// have, and one for ensembles of several forms, several trees a step or several scores.
#pragma once

#include <cstdint>

#include "walk/walked_trees.hpp"

namespace mddag {

constexpr std::size_t kLanes = 8;  // rows that take their steps in turn

// One row on its way.
template <class T>
struct Lane {
  std::size_t row, step;
  const T* x;
  std::int32_t* f;
};

template <class T>
struct StumpVotes {
  const WalkedTrees<T>& trees;

  void add(std::size_t step, const T* x, std::int32_t* f) const { *f += trees.stump(step, x); }
};

template <class T>
struct BushVotes {
  const WalkedTrees<T>& trees;

  void add(std::size_t step, const T* x, std::int32_t* f) const { *f += trees.bush(step, x); }
};

template <class T, bool kNominal>
struct TreeVotes {
  const WalkedTrees<T>& trees;

  void add(std::size_t step, const T* x, std::int32_t* f) const {
    *f += leaf_at<kNominal>(trees.tree(step), x, trees.words());
  }
};

template <class Votes, class T>
void add_each(const Votes& votes, const Lane<T>* lanes, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) votes.add(lanes[i].step, lanes[i].x, lanes[i].f);
}

// Large trees: all rows go down one level, then the next, until all are at leaves. A row that is
// there stays, so that there is no branch to mispredict, and the misses of all rows overlap.
template <class T, bool kNominal>
void add_each(const TreeVotes<T, kNominal>& votes, const Lane<T>* lanes, std::size_t n) {
  const PackedNode<T>* nodes[kLanes];
  std::int32_t at[kLanes] = {};
  for (std::size_t i = 0; i < n; ++i) nodes[i] = votes.trees.tree(lanes[i].step);
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t i = 0; i < n; ++i) {
      const PackedNode<T>& node = nodes[i][at[i]];
      const std::int32_t child = node.template child<kNominal>(lanes[i].x, votes.trees.words());
      moved |= child != at[i];
      at[i] = child;
    }
  }
  for (std::size_t i = 0; i < n; ++i) *lanes[i].f += nodes[i][at[i]].leaf;
}

}  // namespace mddag
