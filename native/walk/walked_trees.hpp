// The trees of an ensemble in the order of a policy, each in the form that is walked fastest, and
// their votes as integers. Twin: tests/reference/trees.py.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "internal/span.hpp"
#include "walk/bush.hpp"
#include "walk/packing.hpp"
#include "walk/walk_source.hpp"

namespace mddag {

enum class Form : std::int32_t { stump, bush, tree, nominal };

template <class T>
class WalkedTrees {
 public:
  // least : the form that no tree is below; from Form::tree on, all are walked node by node
  explicit WalkedTrees(const WalkSource& source, Form least = Form::stump)
      : source_(source), least_(least) {
    uniform_ = source.n_scores() == 1 && source.n_features > 0 && one_tree_each();
    for (std::size_t t = 0; uniform_ && t < source.score.size(); ++t)
      least_ = std::max(least_, natural_form(view(t)));
    for (const std::int64_t h : source.order) {
      step_starts_.push_back(places_.size());
      for (std::int64_t t = source.rounds[h]; t < source.rounds[h + 1]; ++t)
        places_.push_back(place(static_cast<std::size_t>(t)));
    }
    step_starts_.push_back(places_.size());
  }

  // f += h(x) for the base classifier of a step.
  void add(std::size_t step, const T* x, std::int32_t* f) const {
    add_leaves(step, f, [&](const Place& tree) { return leaf_of(tree, x); });
  }

  // The same of a row that computes its values when they are read: no split but those of the way
  // to the leaf reads one. All trees are walked node by node.
  template <class Row>
  void add_by_nodes(std::size_t step, const Row& x, std::int32_t* f) const {
    add_leaves(step, f, [&](const Place& tree) {
      return leaf_at<true>(nodes_.data() + tree.index, x, words());
    });
  }

  // Whether each step is one tree that votes for the only score, all in one form: step j's tree is
  // then the j-th of its container.
  bool uniform(Form form) const { return uniform_ && form == least_; }
  std::int32_t stump(std::size_t step, const T* x) const { return stumps_[step].at(x); }
  std::int32_t bush(std::size_t step, const T* x) const { return bushes_[step].at(x, shapes_); }
  const PackedNode<T>* tree(std::size_t step) const { return nodes_.data() + places_[step].index; }
  const std::uint32_t* words() const { return source_.words.data(); }

 private:
  struct Place {
    Form form;
    std::int32_t score;
    std::size_t index;   // in the container of the form
    std::int64_t table;  // where its votes begin, if it votes for all scores
  };

  template <class LeafOf>
  void add_leaves(std::size_t step, std::int32_t* f, const LeafOf& leaf_of) const {
    for (std::size_t p = step_starts_[step]; p < step_starts_[step + 1]; ++p) {
      const Place& tree = places_[p];
      const std::int32_t leaf = leaf_of(tree);
      if (tree.score >= 0) {
        f[tree.score] += leaf;
        continue;
      }
      const std::size_t K = source_.n_scores();
      const std::int32_t* votes =
          source_.values.data() + tree.table + static_cast<std::size_t>(leaf) * K;
      for (std::size_t k = 0; k < K; ++k) f[k] += votes[k];
    }
  }

  bool one_tree_each() const {
    for (std::size_t h = 0; h + 1 < source_.rounds.size(); ++h)
      if (source_.rounds[h + 1] - source_.rounds[h] != 1) return false;
    return true;
  }

  std::int32_t leaf_of(const Place& tree, const T* x) const {
    switch (tree.form) {
      case Form::stump:
        return stumps_[tree.index].at(x);
      case Form::bush:
        return bushes_[tree.index].at(x, shapes_);
      case Form::tree:
        return leaf_at<false>(nodes_.data() + tree.index, x, words());
      default:
        return leaf_at<true>(nodes_.data() + tree.index, x, words());
    }
  }

  std::int32_t score(std::size_t t) const { return source_.n_scores() == 1 ? 0 : source_.score[t]; }

  TreeView view(std::size_t t) const {
    const auto n_nodes = static_cast<std::size_t>(source_.starts[t + 1] - source_.starts[t]);
    return {{source_.nodes.data() + source_.starts[t], n_nodes},
            score(t) < 0 ? nullptr : source_.values.data() + source_.table_starts[t],
            source_.word_starts[t]};
  }

  Form natural_form(const TreeView& tree) const {
    const std::size_t n_leaves = (tree.nodes.size + 1) / 2;
    if (tree.nominal()) return Form::nominal;
    if (source_.n_features == 0) return Form::tree;  // a leaf: the others would read a column
    if (n_leaves <= 2) return Form::stump;
    const bool small = n_leaves <= Bush<T>::kLeaves && source_.n_features <= Bush<T>::kMostColumns;
    return small ? Form::bush : Form::tree;
  }

  Place place(std::size_t t) {
    const TreeView tree = view(t);
    const Form form = std::max(natural_form(tree), least_);
    return {form, score(t), packed(tree, form), source_.table_starts[t]};
  }

  // Where the container of the form now holds the tree.
  std::size_t packed(const TreeView& tree, Form form) {
    if (form == Form::stump) {
      stumps_.push_back(stump_of<T>(tree));
      return stumps_.size() - 1;
    }
    if (form == Form::bush) {
      BushMaker<T> made(tree);
      made.bush.shape = number_of(made.shape);
      bushes_.push_back(made.bush);
      return bushes_.size() - 1;
    }
    const std::size_t first = nodes_.size();
    pack(tree, nodes_);
    return first;
  }

  std::uint16_t number_of(const Shape& shape) {  // trees of up to eight leaves have 626 shapes
    const auto found = std::find(shapes_.begin(), shapes_.end(), shape);
    const auto number = static_cast<std::uint16_t>(found - shapes_.begin());
    if (found == shapes_.end()) shapes_.push_back(shape);
    return number;
  }

  const WalkSource& source_;
  bool uniform_;
  Form least_;  // smaller trees take the form of the others, if all can have one
  std::vector<Place> places_;
  std::vector<std::size_t> step_starts_;
  std::vector<Stump<T>> stumps_;
  std::vector<Bush<T>> bushes_;
  std::vector<Shape> shapes_;
  std::vector<PackedNode<T>> nodes_;
};

}  // namespace mddag
