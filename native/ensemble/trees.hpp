// Walk rows down flat trees: leaf codes and scores. The specification is tests/reference/trees.py.
//
// A block of rows goes down one tree before the next, so that the tree's nodes stay in the nearest
// cache, and eight rows step together, so that the latency of one step hides behind the others.
// Every row's sum is in the order of the trees, whatever the block size or the number of threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "ensemble/node.hpp"
#include "internal/parallel.hpp"
#include "internal/span.hpp"

namespace mddag {

// The flat trees of an ensemble; tree t owns nodes[starts[t] .. starts[t + 1]) and likewise words.
struct Trees {
  Span<const Node> nodes;
  Span<const std::int64_t> starts;
  Span<const std::uint32_t> words;
  Span<const std::int64_t> word_starts;

  std::size_t count() const { return starts.size - 1; }
  Span<const Node> nodes_of(std::size_t t) const {
    return {nodes.data + starts[t], static_cast<std::size_t>(starts[t + 1] - starts[t])};
  }
};

// Truncation towards zero reads a category, as LightGBM, XGBoost and scikit-learn do.
inline bool in_set(const std::uint32_t* words, std::int32_t n_words, double x) {
  if (!(x > -1.0 && x < 32.0 * n_words)) return false;
  const auto category = static_cast<std::uint32_t>(static_cast<std::int64_t>(x));
  return (words[category >> 5] >> (category & 31)) & 1u;
}

// The leaf that row i reaches in tree t.
template <class T>
std::int32_t leaf_code(const Trees& trees, std::size_t t, const Rows<T>& rows, std::size_t i) {
  const Node* nodes = trees.nodes.data + trees.starts[t];
  const std::uint32_t* words = trees.words.data + trees.word_starts[t];
  const Node* node = nodes;
  while (!node->is_leaf()) {
    const auto value = static_cast<double>(rows.at(i, static_cast<std::size_t>(node->feature)));
    const bool left = value != value      ? node->missing_left != 0
                      : node->n_words > 0 ? in_set(words + node->word, node->n_words, value)
                                          : value <= node->threshold;
    node = nodes + (left ? node->left : node->right);
  }
  return node->left;
}

// A numeric split without branches: leaves point at themselves, so that a walk may overshoot them.
struct Step {
  double threshold;
  std::int32_t feature;
  std::int32_t child[2];
  std::int32_t missing_right;
};

struct Plan {  // of one tree
  std::int32_t depth;
  bool nominal;
};

class Walker {
 public:
  static constexpr std::size_t kBlock = 64;  // rows that share one pass over the trees
  static constexpr std::size_t kLanes = 8;   // rows that step together

  explicit Walker(const Trees& trees) : trees_(trees), steps_(trees.nodes.size) {
    plans_.reserve(trees.count());
    std::vector<std::int32_t> depth;
    for (std::size_t t = 0; t < trees.count(); ++t) {
      const auto start = static_cast<std::size_t>(trees.starts[t]);
      const auto n_nodes = static_cast<std::size_t>(trees.starts[t + 1]) - start;
      Plan plan{0, false};
      depth.assign(n_nodes, 0);
      for (std::size_t i = 0; i < n_nodes; ++i) {  // children follow their parent
        const Node& node = trees.nodes[start + i];
        const auto self = static_cast<std::int32_t>(i);
        Step& step = steps_[start + i];
        if (node.is_leaf()) {
          step = {0.0, 0, {self, self}, 0};
          plan.depth = std::max(plan.depth, depth[i]);
          continue;
        }
        step = {node.threshold, node.feature, {node.left, node.right}, !node.missing_left};
        plan.nominal |= node.n_words > 0;
        depth[static_cast<std::size_t>(node.left)] = depth[i] + 1;
        depth[static_cast<std::size_t>(node.right)] = depth[i] + 1;
      }
      plans_.push_back(plan);
    }
  }

  // Leaf codes of n <= kBlock rows, each n_features apart, in tree t.
  template <class T>
  void codes(std::size_t t, const T* x, std::size_t n, std::size_t n_features,
             std::int32_t* out) const {
    const auto start = static_cast<std::size_t>(trees_.starts[t]);
    const Node* nodes = trees_.nodes.data + start;
    std::size_t i = 0;
    if (!plans_[t].nominal) {
      const Step* steps = steps_.data() + start;
      for (; i + kLanes <= n; i += kLanes) {
        std::int32_t at[kLanes] = {};
        for (std::int32_t level = 0; level < plans_[t].depth; ++level) {
          for (std::size_t lane = 0; lane < kLanes; ++lane) {
            const Step& step = steps[at[lane]];
            const auto value = static_cast<double>(x[(i + lane) * n_features + step.feature]);
            const int right =
                int(value > step.threshold) | (int(value != value) & step.missing_right);
            at[lane] = step.child[right];
          }
        }
        for (std::size_t lane = 0; lane < kLanes; ++lane) out[i + lane] = nodes[at[lane]].left;
      }
    }
    const Rows<T> rest{x, n, n_features, static_cast<std::ptrdiff_t>(n_features), 1};
    for (; i < n; ++i) out[i] = leaf_code(trees_, t, rest, i);
  }

 private:
  Trees trees_;
  std::vector<Step> steps_;
  std::vector<Plan> plans_;
};

// Calls body(x, first, n) for every block of rows, x being row-major with n_features columns.
template <class T, class Body>
void for_row_blocks(const Rows<T>& rows, std::size_t block_rows, int n_threads, const Body& body) {
  const bool in_place =
      rows.feature_stride == 1 && rows.row_stride == static_cast<std::ptrdiff_t>(rows.n_features);
  const std::size_t n_blocks = (rows.n_rows + block_rows - 1) / block_rows;
  parallel_for(n_blocks, n_threads, [&](std::size_t block) {
    const std::size_t first = block * block_rows;
    const std::size_t n = std::min(block_rows, rows.n_rows - first);
    if (in_place) {
      body(rows.data + first * rows.n_features, first, n);
      return;
    }
    std::vector<T> copy(n * rows.n_features);
    for (std::size_t f = 0; f < rows.n_features; ++f)
      for (std::size_t i = 0; i < n; ++i) copy[i * rows.n_features + f] = rows.at(first + i, f);
    body(copy.data(), first, n);
  });
}

// codes : (n_rows, n_trees), the leaf that each row reaches in each tree.
template <class T, class Code>
void leaf_codes(const Trees& trees, const Rows<T>& rows, Code* codes, int n_threads) {
  const Walker walker(trees);
  const std::size_t n_trees = trees.count();
  for_row_blocks(rows, Walker::kBlock, n_threads,
                 [&](const T* x, std::size_t first, std::size_t n) {
                   std::int32_t leaves[Walker::kBlock];
                   for (std::size_t t = 0; t < n_trees; ++t) {
                     walker.codes(t, x, n, rows.n_features, leaves);
                     for (std::size_t i = 0; i < n; ++i)
                       codes[(first + i) * n_trees + t] = static_cast<Code>(leaves[i]);
                   }
                 });
}

// How leaf codes become votes: tree t's table has one value per leaf if it votes for one score
// (score[t] >= 0), n_scores values per leaf if it votes for all (score[t] == -1).
struct Tables {
  Span<const double> values;
  Span<const std::int64_t> starts;
  Span<const std::int32_t> score;
  Span<const std::int64_t>
      rounds;  // base classifier h is the sum of trees rounds[h] .. rounds[h+1]
  std::size_t n_scores;

  // Adds tree t's vote for leaf `code` to one row of scores.
  void add(std::size_t t, std::size_t code, double* row) const {
    const double* table = values.data + starts[t];
    if (score[t] >= 0) {
      row[score[t]] += table[code];
      return;
    }
    for (std::size_t k = 0; k < n_scores; ++k) row[k] += table[code * n_scores + k];
  }
};

// scores : (n_rows, n_scores), holding the bias on entry; the votes are added tree by tree.
template <class T>
void add_scores(const Trees& trees, const Tables& tables, const Rows<T>& rows, double* scores,
                int n_threads) {
  const Walker walker(trees);
  for_row_blocks(
      rows, Walker::kBlock, n_threads, [&](const T* x, std::size_t first, std::size_t n) {
        std::int32_t leaves[Walker::kBlock];
        double* out = scores + first * tables.n_scores;
        for (std::size_t t = 0; t < trees.count(); ++t) {
          walker.codes(t, x, n, rows.n_features, leaves);
          for (std::size_t i = 0; i < n; ++i)
            tables.add(t, static_cast<std::size_t>(leaves[i]), out + i * tables.n_scores);
        }
      });
}

// Adds the votes of all trees to the one score of n_lanes rows. Each sum is in the order of the
// trees; the sums of several rows do not wait for one another.
template <std::size_t n_lanes, class Code>
void add_single_scores(const Tables& tables, const Code* codes, double* scores) {
  const std::size_t n_trees = tables.score.size;
  double sums[n_lanes];
  std::copy(scores, scores + n_lanes, sums);
  for (std::size_t t = 0; t < n_trees; ++t) {
    const double* table = tables.values.data + tables.starts[t];
    for (std::size_t lane = 0; lane < n_lanes; ++lane)
      sums[lane] += table[codes[lane * n_trees + t]];
  }
  std::copy(sums, sums + n_lanes, scores);
}

// The same sums as those of add_scores, from codes that are there already.
template <class Code>
void add_coded_scores(const Tables& tables, const Code* codes, std::size_t n_rows, double* scores) {
  constexpr std::size_t kLanes = Walker::kLanes;
  const std::size_t n_trees = tables.score.size;
  std::size_t i = 0;
  if (tables.n_scores == 1)
    for (; i + kLanes <= n_rows; i += kLanes)
      add_single_scores<kLanes>(tables, codes + i * n_trees, scores + i);
  for (; i < n_rows; ++i)
    for (std::size_t t = 0; t < n_trees; ++t)
      tables.add(t, codes[i * n_trees + t], scores + i * tables.n_scores);
}

}  // namespace mddag
