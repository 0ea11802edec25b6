// Trees for few rows: many trees, or one tree and many rows, go down a level at a time.
//
// One row in one tree waits at every node for the value that the split reads. Sixteen lanes (rows
// times trees) wait together. A row becomes keys first, unsigned integers of the order of its
// values, so that a node is small and a step is one comparison whose carry chooses the child:
//
//   at += delta + (threshold < keys[column])        children are neighbors, the left one first
//
// A leaf has delta 0 and reads column 0, whose key is 0: it stays. Its threshold is its vote. What
// splits read otherwise has a column of its own: a feature whose missing values go left, the same
// whose missing values go right, and each set of categories. Twin: tests/reference/trees.py.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

#include "ensemble/node.hpp"
#include "ensemble/rounding.hpp"
#include "walk/bush.hpp"
#include "walk/walk_source.hpp"

namespace mddag {

template <class T>
using KeyOf = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

// The key of a number; `missing`, if it is NaN: 0 or the largest integer, which no number has.
// Without a branch, so that compilers make vectors of it.
template <class T>
KeyOf<T> key_of(T x, KeyOf<T> missing = 0) {
  using Key = KeyOf<T>;
  using Signed = std::make_signed_t<Key>;
  constexpr int n_bits = 8 * sizeof(Key);
  constexpr Key sign = Key{1} << (n_bits - 1);
  constexpr auto infinity =
      static_cast<Signed>(sizeof(T) == 4 ? Key{0x7f800000} : Key{0x7ff} << (n_bits - 12));
  x += T{0};  // -0 and 0 are equal
  Key bits;
  std::memcpy(&bits, &x, sizeof bits);
  const Key is_nan = Key{0} - static_cast<Key>(static_cast<Signed>(bits & ~sign) > infinity);
  const Key key = bits ^ ((Key{0} - (bits >> (n_bits - 1))) | sign);
  return (key & ~is_nan) | (missing & is_nan);
}

template <class T>
struct KeyNode {
  using Part = std::conditional_t<sizeof(T) == 4, std::uint16_t, std::uint32_t>;

  KeyOf<T> threshold;  // at a leaf its vote, or its code where the tree votes for all scores
  Part column, delta;  // delta : to the left child; 0 at a leaf
};

// What the splits of an ensemble read, and rows as keys.
template <class T>
class KeyColumns {
 public:
  using Key = KeyOf<T>;
  static constexpr std::size_t kMostBytes = std::size_t{1} << 24;  // of tables of category sets

  explicit KeyColumns(const WalkSource& source)
      : n_features_(source.n_features), numbers_(2 * n_features_, 0) {
    for (std::size_t t = 0; t + 1 < source.starts.size(); ++t)
      for (std::int64_t i = source.starts[t]; i < source.starts[t + 1]; ++i) {
        const Node& node = source.nodes[static_cast<std::size_t>(i)];
        if (node.is_leaf()) continue;
        if (node.n_words > 0) {
          sets_of_[node.feature].emplace(set_of(source, t, node), 0);
          continue;
        }
        numbers_[number_of(node)] = 1;
      }
    std::size_t n = 1;  // behind column 0
    for (std::size_t number = 0; number < numbers_.size(); ++number) {
      if (numbers_[number] == 0) continue;
      const bool left = number >= n_features_;
      if (number == 0 || number == n_features_ || numbers_[number - 1] == 0)
        runs_.push_back({number - left * n_features_, 0, left ? Key{0} : ~Key{0}});
      ++runs_.back().n;
      numbers_[number] = n++;
    }
    for (auto& [feature, sets] : sets_of_) n = add_sets(feature, sets, n);
    n_ = n;
  }

  std::size_t size() const { return n_; }
  std::size_t n_bytes() const { return n_bytes_; }

  // The column that a split reads.
  std::size_t of(const WalkSource& source, std::size_t t, const Node& node) const {
    return node.n_words > 0 ? sets_of_.at(node.feature).at(set_of(source, t, node))
                            : numbers_[number_of(node)];
  }

  // keys : size() of them, `stride` apart
  template <std::size_t stride>
  void load(const T* x, Key* keys) const {
    keys[0] = 0;
    Key* to = keys + stride;
    for (const Run& run : runs_) {
      const T* from = x + run.feature;
      for (std::size_t i = 0; i < run.n; ++i) to[i * stride] = key_of(from[i], run.missing);
      to += run.n * stride;
    }
    for (const Sets& sets : categories_) {
      const std::uint8_t* outside = sets.row(x[sets.feature]);
      for (std::size_t s = 0; s < sets.n; ++s) to[s * stride] = outside[s];
      to += sets.n * stride;
    }
  }

 private:
  using Set = std::pair<std::vector<std::uint32_t>, bool>;  // words, whether missing values go left

  // Neighboring features, all of which are read, missing values going one way.
  struct Run {
    std::size_t feature, n;
    Key missing;
  };

  // The sets of one feature: by category, whether it is outside of each.
  struct Sets {
    std::size_t feature, n, n_categories;
    std::vector<std::uint8_t> outside;  // (n_categories + 2, n): then others, then missing values

    // Truncation towards zero reads a category, as in_set does.
    const std::uint8_t* row(T value) const {
      std::size_t category = n_categories;
      if (value > -1 && value < static_cast<T>(n_categories))
        category = static_cast<std::size_t>(value > 0 ? value : 0);
      else if (value != value)
        category = n_categories + 1;
      return outside.data() + category * n;
    }
  };

  // Two numbers for each feature: of splits that send missing values right, and left.
  std::size_t number_of(const Node& node) const {
    return static_cast<std::size_t>(node.feature) + (node.missing_left != 0) * n_features_;
  }

  static Set set_of(const WalkSource& source, std::size_t t, const Node& node) {
    const auto words = source.words.begin() + source.word_starts[t] + node.word;
    Set set{{words, words + node.n_words}, node.missing_left != 0};
    while (!set.first.empty() && set.first.back() == 0) set.first.pop_back();
    return set;
  }

  std::size_t add_sets(std::int32_t feature, std::map<Set, std::size_t>& sets, std::size_t first) {
    std::size_t n_words = 0, s = 0;
    for (const auto& [set, column] : sets) n_words = std::max(n_words, set.first.size());
    const std::size_t n = sets.size(), n_categories = 32 * n_words;
    n_bytes_ += (n_categories + 2) * n;
    if (n_bytes_ <= kMostBytes) {
      Sets made{static_cast<std::size_t>(feature), n, n_categories, {}};
      made.outside.assign((n_categories + 2) * n, 1);
      for (const auto& [set, column] : sets) {
        const auto& [words, missing_left] = set;
        for (std::size_t c = 0; c < 32 * words.size(); ++c)
          made.outside[c * n + s] = !(words[c / 32] >> (c % 32) & 1u);
        made.outside[(n_categories + 1) * n + s] = !missing_left;
        ++s;
      }
      categories_.push_back(std::move(made));
    }
    for (auto& [set, column] : sets) column = first++;
    return first;
  }

  std::size_t n_features_;
  std::vector<std::size_t> numbers_;  // the columns of numbers, 0 if nothing reads it
  std::map<std::int32_t, std::map<Set, std::size_t>> sets_of_;
  std::size_t n_ = 0, n_bytes_ = 0;
  std::vector<Run> runs_;
  std::vector<Sets> categories_;
};

template <class T>
class KeyTrees {
 public:
  using Key = KeyOf<T>;
  // Rows times trees. More lanes hide more, until their places leave the registers.
  static constexpr std::size_t kLanes = 16, kLanesOfOne = 12;
  static constexpr std::size_t kAhead = 8;  // trees of one row that are walked before they are due

  // Null where a node has no room for what it must hold, or tables of categories are too large.
  static std::unique_ptr<KeyTrees> of(const WalkSource& source) {
    std::unique_ptr<KeyTrees> made(new KeyTrees(source));
    return made->fits_ ? std::move(made) : nullptr;
  }

  KeyTrees(const KeyTrees&) = delete;  // refers to the source

  // Whether trees of one row should be walked ahead: a bush takes less time by itself.
  bool large() const {
    return nodes_.size() > (2 * Bush<T>::kLeaves - 1) * step_starts_.back() + 1;
  }

  // Trees that one row should be walked down without keys, since it may need no more of them: so
  // many take as long as its keys.
  std::size_t n_without() const { return columns_.size() / 64; }

  // f += all votes, of n rows x that are n_features apart. f : (n, K)
  void add_all(const T* x, std::size_t n, std::size_t n_features, std::int32_t* f) const {
    std::size_t first = 0;
    const auto rest = [&] { return n - first; };
    if (rest() >= 12) first += add_tiles<16>(x, rest(), n_features, f);
    if (rest() >= 3)
      first += add_tiles<4>(x + first * n_features, rest(), n_features, f + first * n_scores());
    for (; first < n; ++first) {
      const KeyRow keys(*this, x + first * n_features);
      add_all<1>(keys.data(), 1, f + first * n_scores());
    }
  }

  // One row as keys.
  class KeyRow {
   public:
    KeyRow(const KeyTrees& trees, const T* x) {
      if (trees.columns_.size() > kFew) many_.resize(trees.columns_.size());
      trees.columns_.template load<1>(x, many_.empty() ? few_ : many_.data());
    }
    KeyRow(const KeyRow&) = delete;
    const Key* data() const { return many_.empty() ? few_ : many_.data(); }

   private:
    static constexpr std::size_t kFew = 1024;  // that need no allocation

    Key few_[kFew];
    std::vector<Key> many_;
  };

  // Trees of one row in the order of a policy's steps, as votes are due.
  class Ahead {
   public:
    Ahead(const KeyTrees& trees, const Key* keys) : trees_(trees), keys_(keys) {}

    // f += h(x) for the base classifier of a step.
    void add(std::size_t step, std::int32_t* f) {
      for (std::size_t p = trees_.step_starts_[step]; p < trees_.step_starts_[step + 1]; ++p) {
        if (p - first_ >= kAhead) walk(p);
        trees_.add(trees_.by_step_[p], leaves_[p - first_], f);
      }
    }

   private:
    void walk(std::size_t p) {
      std::uint32_t at[kAhead];  // no member, which might be what nodes point to
      for (std::size_t lane = 0; lane < kAhead; ++lane) at[lane] = trees_.by_step_[p + lane].root;
      trees_.template descend<1, kAhead>(keys_, at, trees_.depth_ahead_[p]);
      for (std::size_t lane = 0; lane < kAhead; ++lane) leaves_[lane] = trees_.nodes_[at[lane]];
      first_ = p;
    }

    const KeyTrees& trees_;
    const Key* keys_;
    std::size_t first_ = std::numeric_limits<std::size_t>::max() / 2;
    KeyNode<T> leaves_[kAhead];
  };

 private:
  using Part = typename KeyNode<T>::Part;

  struct Tree {
    std::uint32_t root;
    std::int32_t depth, score;
    std::int64_t table;  // where its votes begin, if it votes for all scores
  };

  explicit KeyTrees(const WalkSource& source) : source_(source), columns_(source) {
    fits_ = columns_.size() <= std::numeric_limits<Part>::max() &&
            columns_.n_bytes() <= KeyColumns<T>::kMostBytes &&
            source.nodes.size() < std::numeric_limits<std::uint32_t>::max();
    if (!fits_) return;
    std::vector<Tree> trees;
    for (std::size_t t = 0; fits_ && t + 1 < source.starts.size(); ++t) trees.push_back(packed(t));
    const Tree nothing{static_cast<std::uint32_t>(nodes_.size()), 0, 0, 0};
    nodes_.push_back({0, 0, 0});
    for (const std::int64_t h : source.order) {
      step_starts_.push_back(by_step_.size());
      for (std::int64_t t = source.rounds[h]; t < source.rounds[h + 1]; ++t)
        by_step_.push_back(trees[static_cast<std::size_t>(t)]);
    }
    step_starts_.push_back(by_step_.size());
    by_depth_ = by_step_;
    std::stable_sort(by_depth_.begin(), by_depth_.end(),
                     [](const Tree& a, const Tree& b) { return a.depth < b.depth; });
    by_depth_.resize(by_step_.size() + kLanes, nothing);
    for (const Tree& tree : by_depth_) {
      roots_.push_back(tree.root);
      depths_.push_back(std::max(tree.depth, depths_.empty() ? 0 : depths_.back()));
    }
    const std::size_t n = by_step_.size();
    by_step_.resize(n + kAhead, nothing);
    for (std::size_t p = 0; p < n; ++p) {
      std::int32_t depth = 0;
      for (std::size_t lane = 0; lane < kAhead; ++lane)
        depth = std::max(depth, by_step_[p + lane].depth);
      depth_ahead_.push_back(depth);
    }
  }

  std::size_t n_scores() const { return source_.n_scores(); }

  // The same of as many rows as fill tiles of R rows, three quarters of the last one at least;
  // returns their number.
  template <std::size_t R>
  std::size_t add_tiles(const T* x, std::size_t n, std::size_t n_features, std::int32_t* f) const {
    constexpr std::size_t kBytes = std::size_t{1} << 18;  // of tiles that share one pass over trees
    const std::size_t K = n_scores(), size = columns_.size() * R;
    const std::size_t most = std::max<std::size_t>(kBytes / (size * sizeof(Key)), 1);
    const std::size_t n_tiles = (n + R / 4) / R, n_done = std::min(n, n_tiles * R);
    std::vector<Key> tiles(std::min(n_tiles, most) * size);
    std::vector<std::int32_t> sums;
    for (std::size_t first = 0; first < n_tiles; first += most) {
      const std::size_t n_now = std::min(most, n_tiles - first), row = first * R;
      for (std::size_t i = 0; i < n_now * R; ++i)  // rows that are not there are as the last one
        columns_.template load<R>(x + std::min(row + i, n - 1) * n_features,
                                  tiles.data() + i / R * size + i % R);
      sums.assign(n_now * R * K, 0);
      add_all<R>(tiles.data(), n_now, sums.data());
      const std::size_t n_sums = std::min(n_now * R, n_done - row) * K;
      for (std::size_t i = 0; i < n_sums; ++i) f[row * K + i] += sums[i];
    }
    return n_done;
  }

  // Adds all votes to the sums of R rows. tiles : each has the keys of R rows, (columns, R).
  // f : (n_tiles x R, K).
  template <std::size_t R>
  void add_all(const Key* tiles, std::size_t n_tiles, std::int32_t* f) const {
    constexpr std::size_t n_lanes = R == 1 ? kLanesOfOne : kLanes, n_trees = n_lanes / R;
    const std::size_t K = n_scores(), size = columns_.size() * R, end = by_depth_.size() - kLanes;
    for (std::size_t first = 0; first < end; first += n_trees) {
      const Tree* trees = by_depth_.data() + first;  // of rising depth
      for (std::size_t tile = 0; tile < n_tiles; ++tile) {
        std::uint32_t at[n_lanes];
        for (std::size_t lane = 0; lane < n_lanes; ++lane) at[lane] = roots_[first + lane / R];
        descend<R, n_lanes>(tiles + tile * size, at, depths_[first + n_trees - 1]);
        std::int32_t* sums = f + tile * R * K;
        if (K > 1) {
          for (std::size_t lane = 0; lane < n_lanes; ++lane)
            add(trees[lane / R], nodes_[at[lane]], sums + lane % R * K);
          continue;
        }
        std::int32_t votes[R] = {};  // in memory a sum would wait for the one before
        for (std::size_t lane = 0; lane < n_lanes; ++lane)
          votes[lane % R] += vote_of(nodes_[at[lane]]);
        for (std::size_t row = 0; row < R; ++row) sums[row] += votes[row];
      }
    }
  }

  // Packs a tree. A line of the cache holds the children of a node and those of its children: half
  // of the levels of a large tree cost a miss.
  Tree packed(std::size_t t) {
    const Node* tree = source_.nodes.data() + source_.starts[t];
    const auto n_nodes = static_cast<std::size_t>(source_.starts[t + 1] - source_.starts[t]);
    const std::int32_t score = n_scores() == 1 ? 0 : source_.score[t];
    const std::size_t root = nodes_.size();
    nodes_.resize(root + n_nodes);
    std::size_t used = 1;
    std::int32_t depth = 0;
    struct Placed {
      std::size_t at;
      std::int32_t node, depth;
    };
    std::vector<Placed> queue{{0, 0, 0}};
    // Puts a node in its place, and leaves room for its children, if it has any.
    const auto put = [&](const Placed& placed) {
      const Node& node = tree[placed.node];
      KeyNode<T>& to = nodes_[root + placed.at];
      depth = std::max(depth, placed.depth);
      if (node.is_leaf()) {
        const std::int64_t vote = source_.table_starts[t] + node.left;
        const std::int32_t leaf =
            score < 0 ? node.left : source_.values[static_cast<std::size_t>(vote)];
        to = {static_cast<Key>(static_cast<std::uint32_t>(leaf)), 0, 0};
        return false;
      }
      const bool nominal = node.n_words > 0;
      const std::size_t delta = used - placed.at;
      fits_ &=
          delta <= std::numeric_limits<Part>::max() && (nominal || !std::isnan(node.threshold));
      to = {nominal ? Key{0} : key_of(rounded_down<T>(node.threshold)),
            static_cast<Part>(columns_.of(source_, t, node)), static_cast<Part>(delta)};
      used += 2;
      return true;
    };
    for (std::size_t i = 0; i < queue.size(); ++i) {
      const Placed parent = queue[i];
      const std::size_t left = used;
      if (!put(parent)) continue;
      const Node& node = tree[parent.node];
      for (const Placed child : {Placed{left, node.left, parent.depth + 1},
                                 Placed{left + 1, node.right, parent.depth + 1}}) {
        const std::size_t place = used;
        if (!put(child)) continue;
        queue.push_back({place, tree[child.node].left, child.depth + 1});
        queue.push_back({place + 1, tree[child.node].right, child.depth + 1});
      }
    }
    return {static_cast<std::uint32_t>(root), depth, score, source_.table_starts[t]};
  }

  // Takes lanes from roots to leaves; lane l is that of row l % R. No tree is deeper than `depth`.
  // To look whether all lanes are at leaves costs more than some levels, since a processor foresees
  // it badly.
  template <std::size_t R, std::size_t n_lanes>
  void descend(const Key* keys, std::uint32_t* at, std::int32_t depth) const {
    constexpr std::int32_t kSure = 20, kAtATime = 4;  // levels
    const KeyNode<T>* nodes = nodes_.data();
    const auto level = [&] {
#pragma GCC unroll 16
      for (std::size_t lane = 0; lane < n_lanes; ++lane) {
        const KeyNode<T>& node = nodes[at[lane]];
        at[lane] += node.delta + (node.threshold < keys[std::size_t{node.column} * R + lane % R]);
      }
    };
    for (std::int32_t l = std::min(depth, kSure); l > 0; --l) level();
    for (std::int32_t l = kSure; l < depth; l += kAtATime) {
      Part moves = 0;
      for (std::size_t lane = 0; lane < n_lanes; ++lane) moves |= nodes[at[lane]].delta;
      if (moves == 0) break;
      for (std::int32_t i = 0; i < kAtATime; ++i) level();
    }
  }

  static std::int32_t vote_of(const KeyNode<T>& leaf) {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(leaf.threshold));
  }

  void add(const Tree& tree, const KeyNode<T>& leaf, std::int32_t* f) const {
    const std::int32_t vote = vote_of(leaf);
    if (tree.score >= 0) {
      f[tree.score] += vote;
      return;
    }
    const std::size_t K = n_scores();
    const std::int32_t* votes =
        source_.values.data() + tree.table + static_cast<std::size_t>(vote) * K;
    for (std::size_t k = 0; k < K; ++k) f[k] += votes[k];
  }

  const WalkSource& source_;
  KeyColumns<T> columns_;
  bool fits_;
  std::vector<KeyNode<T>> nodes_;
  std::vector<Tree> by_depth_, by_step_;  // with trees that vote 0 where lanes would be empty
  std::vector<std::uint32_t> roots_;      // of by_depth_: where no tree has a score of its own,
  std::vector<std::int32_t> depths_;      // these are all that is read
  std::vector<std::int32_t> depth_ahead_;
  std::vector<std::size_t> step_starts_;
};

}  // namespace mddag
