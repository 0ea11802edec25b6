// The trees of an ensemble in the order of a policy, each in the form that is walked fastest, and
// their votes as integers. Twin: tests/reference/trees.py.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "mddag/bush.hpp"
#include "mddag/node.hpp"
#include "mddag/span.hpp"
#include "mddag/trees.hpp"

namespace mddag {

// What an executor is made of, owned, so that forms can be made from it when they are first needed.
struct WalkSource {
  std::vector<Node> nodes;
  std::vector<std::int64_t> starts;
  std::vector<std::uint32_t> words;
  std::vector<std::int64_t> word_starts;
  std::vector<std::int32_t> values;  // as Tables.values, in fixed point
  std::vector<std::int64_t> table_starts;
  std::vector<std::int32_t> score;
  std::vector<std::int64_t> rounds;
  std::vector<std::int64_t> order;  // (N,): step j evaluates base classifier order[j]
  std::vector<std::int32_t> bias;   // (K,)
  std::size_t n_features;

  std::size_t n_scores() const { return bias.size(); }
  std::size_t n_steps() const { return order.size(); }

  Trees trees() const {
    return {{nodes.data(), nodes.size()},
            {starts.data(), starts.size()},
            {words.data(), words.size()},
            {word_starts.data(), word_starts.size()}};
  }
};

// One tree while it is brought into a form.
struct TreeView {
  Span<const Node> nodes;
  const std::int32_t* values;  // by leaf code; null where the leaf code itself is kept

  const Node& node(std::int32_t i) const { return nodes[static_cast<std::size_t>(i)]; }
  std::int32_t leaf(const Node& node) const {
    return values == nullptr ? node.left : values[node.left];
  }
  bool nominal() const {
    const auto of_sets = [](const Node& n) { return !n.is_leaf() && n.n_words > 0; };
    return std::any_of(nodes.data, nodes.data + nodes.size, of_sets);
  }
};

template <class T>
Test<T> test_of(const Node& node) {
  const auto column = static_cast<std::uint32_t>(node.feature);
  return {rounded_down<T>(node.threshold), (column << 1) | (node.missing_left != 0)};
}

// A tree without splits is a stump that always goes left.
template <class T>
Stump<T> stump_of(const TreeView& tree) {
  const Node& root = tree.nodes[0];
  if (root.is_leaf()) return {{std::numeric_limits<T>::infinity(), 1}, {0, tree.leaf(root)}};
  return {test_of<T>(root), {tree.leaf(tree.node(root.right)), tree.leaf(tree.node(root.left))}};
}

// Tests in the order parent, left, right; leaves from left to right: so trees of one shape have one
// table of it.
template <class T>
class BushMaker {
 public:
  explicit BushMaker(const TreeView& tree) : tree_(tree) {
    const std::uint8_t root = lay(0);
    for (unsigned answers = 0; answers < shape.size(); ++answers) {
      std::uint8_t at = root;
      while (at < kLeaf) at = child_[at][(answers >> at) & 1u];
      shape[answers] = static_cast<std::uint8_t>(at - kLeaf);
    }
  }

  Bush<T> bush;
  Shape shape;

 private:
  static constexpr std::uint8_t kLeaf = 8;  // from here on, numbers of leaves

  std::uint8_t lay(std::int32_t i) {
    const Node& node = tree_.node(i);
    if (node.is_leaf()) {
      bush.leaf[n_leaves_] = tree_.leaf(node);
      return static_cast<std::uint8_t>(kLeaf + n_leaves_++);
    }
    const std::uint8_t at = n_tests_++;
    bush.threshold[at] = rounded_down<T>(node.threshold);
    bush.column[at] = static_cast<std::uint16_t>(node.feature);
    bush.missing_left =
        static_cast<std::uint16_t>(bush.missing_left | ((node.missing_left != 0) << at));
    child_[at][1] = lay(node.left);
    child_[at][0] = lay(node.right);
    return at;
  }

  TreeView tree_;
  std::uint8_t child_[8][2] = {};
  std::uint8_t n_tests_ = 0, n_leaves_ = 0;
};

// Nodes breadth first, so that siblings are neighbours, appended to `out`.
template <class T>
void pack(const TreeView& tree, std::vector<PackedNode<T>>& out) {
  std::vector<std::int32_t> queue{0};
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const Node& node = tree.node(queue[i]);
    if (node.is_leaf()) {
      out.push_back({{0, 0}, 0, tree.leaf(node)});
      continue;
    }
    out.push_back({test_of<T>(node), static_cast<std::int32_t>(queue.size()), 0});
    queue.push_back(node.left);
    queue.push_back(node.right);
  }
}

template <class T>
class WalkedTrees {
 public:
  explicit WalkedTrees(const WalkSource& source) : source_(source), trees_(source.trees()) {
    for (const std::int64_t h : source.order) {
      step_starts_.push_back(places_.size());
      const auto end = static_cast<std::size_t>(source.rounds[static_cast<std::size_t>(h) + 1]);
      for (auto t = static_cast<std::size_t>(source.rounds[static_cast<std::size_t>(h)]); t < end;
           ++t)
        places_.push_back(place(t));
    }
    step_starts_.push_back(places_.size());
    all_stumps_ = one_each() && stumps_.size() == places_.size();
    all_bushes_ = one_each() && bushes_.size() == places_.size();
  }

  // f += h(x) for the base classifier of a step.
  void add(std::size_t step, const T* x, std::int32_t* f) const {
    for (std::size_t p = step_starts_[step]; p < step_starts_[step + 1]; ++p) {
      const Place& tree = places_[p];
      const std::int32_t leaf = leaf_of(tree, x);
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

  // Whether each step is one stump, or one bush, that votes for the only score.
  bool all_stumps() const { return all_stumps_; }
  bool all_bushes() const { return all_bushes_; }
  const Stump<T>& stump(std::size_t step) const { return stumps_[step]; }
  std::int32_t bush(std::size_t step, const T* x) const { return bushes_[step].at(x, shapes_); }

 private:
  enum class Form : std::int32_t { stump, bush, tree, nominal };

  struct Place {
    Form form;
    std::int32_t score;
    std::size_t index;   // in the container of the form
    std::int64_t table;  // where its votes begin, if it votes for all scores
  };

  std::int32_t leaf_of(const Place& tree, const T* x) const {
    switch (tree.form) {
      case Form::stump:
        return stumps_[tree.index].at(x);
      case Form::bush:
        return bushes_[tree.index].at(x, shapes_);
      case Form::tree:
        return leaf_at(nodes_.data() + tree.index, x);
      default:
        break;
    }
    const Rows<T> row{x, 1, source_.n_features, 0, 1};
    const std::int32_t code = leaf_code(trees_, tree.index, row, 0);
    return tree.score < 0 ? code : source_.values[static_cast<std::size_t>(tree.table + code)];
  }

  Place place(std::size_t t) {
    const auto start = static_cast<std::size_t>(source_.starts[t]);
    const auto end = static_cast<std::size_t>(source_.starts[t + 1]);
    const std::int64_t table = source_.table_starts[t];
    const std::int32_t score = source_.n_scores() == 1 ? 0 : source_.score[t];
    const TreeView tree{{source_.nodes.data() + start, end - start},
                        score >= 0 ? source_.values.data() + table : nullptr};
    const auto [form, index] = formed(tree, t);
    return {form, score, index, table};
  }

  std::pair<Form, std::size_t> formed(const TreeView& tree, std::size_t t) {
    const std::size_t n_leaves = (tree.nodes.size + 1) / 2;
    if (tree.nominal()) return {Form::nominal, t};
    if (n_leaves <= 2 && source_.n_features > 0) {
      stumps_.push_back(stump_of<T>(tree));
      return {Form::stump, stumps_.size() - 1};
    }
    if (n_leaves > 2 && n_leaves <= Bush<T>::kLeaves &&
        source_.n_features <= Bush<T>::kMostColumns) {
      BushMaker<T> made(tree);
      made.bush.shape = number_of(made.shape);
      bushes_.push_back(made.bush);
      return {Form::bush, bushes_.size() - 1};
    }
    const std::size_t first = nodes_.size();
    pack(tree, nodes_);
    return {Form::tree, first};
  }

  std::uint16_t number_of(const Shape& shape) {  // there are 624 shapes of three to eight leaves
    const auto found = std::find(shapes_.begin(), shapes_.end(), shape);
    if (found == shapes_.end())
      return shapes_.push_back(shape), static_cast<std::uint16_t>(shapes_.size() - 1);
    return static_cast<std::uint16_t>(found - shapes_.begin());
  }

  bool one_each() const {
    for (std::size_t step = 0; step < step_starts_.size(); ++step)
      if (step_starts_[step] != step) return false;
    return source_.n_scores() == 1;
  }

  const WalkSource& source_;
  Trees trees_;
  std::vector<Place> places_;
  std::vector<std::size_t> step_starts_;
  std::vector<Stump<T>> stumps_;
  std::vector<Bush<T>> bushes_;
  std::vector<Shape> shapes_;
  std::vector<PackedNode<T>> nodes_;
  bool all_stumps_, all_bushes_;
};

}  // namespace mddag
