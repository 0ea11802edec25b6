// Every level of kernels against the level of plain loops, without Python: for machines that are
// emulated (make test-arm). Prints what differs, then the levels and the number of comparisons.
//
// Forests of all kinds of trees run over rows with missing values, all of them and under a random
// policy, for many counts of rows; then single kernels run on random arguments.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <random>
#include <vector>

#include "blocks/run/forest.hpp"
#include "levels/level.hpp"
#include "scan/kernels/stages.hpp"

namespace mddag::scan {
MDDAG_KERNELS_OF_LEVELS
}

using namespace mddag;

std::mt19937 rng(7);
std::size_t n_compared = 0, n_different = 0;

int below(int n) { return static_cast<int>(rng() % static_cast<unsigned>(n)); }
double normal() { return std::normal_distribution<double>()(rng); }

template <class T>
void compare(const char* what, const char* level, const std::vector<T>& a,
             const std::vector<T>& b) {
  ++n_compared;
  if (a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0) return;
  ++n_different;
  std::printf("%s: %s differs\n", level, what);
}

// Trees of any shape for n_scores scores, on features of 40 thresholds each.
struct Ensemble {
  std::vector<Node> nodes;
  std::vector<std::int64_t> starts{0}, word_starts{0}, value_starts{0}, rounds{0}, order;
  std::vector<std::uint32_t> words;
  std::vector<std::int32_t> values, score, bias;
  std::vector<std::vector<double>> thresholds;

  Ensemble(const std::vector<int>& n_leaves, int n_features, int n_scores)
      : bias(static_cast<std::size_t>(n_scores), 3) {
    thresholds.resize(static_cast<std::size_t>(n_features), std::vector<double>(40));
    for (auto& of_feature : thresholds)
      for (double& t : of_feature) t = normal();
    for (const int n : n_leaves) add(n, n_scores);
  }

  blocks::Forest forest(NamedLevel level) const {
    const Trees trees{{nodes.data(), nodes.size()},
                      {starts.data(), starts.size()},
                      {words.data(), 0},
                      {word_starts.data(), word_starts.size()}};
    return blocks::Forest(trees, {values.data(), values.size()},
                          {value_starts.data(), value_starts.size()}, {score.data(), score.size()},
                          {rounds.data(), rounds.size()}, {bias.data(), bias.size()}, 0.5,
                          {order.data(), order.size()}, level);
  }

 private:
  void add(int n_leaves, int n_scores) {
    const std::size_t root = nodes.size();
    std::int32_t n_codes = 0;
    grow(root, n_leaves, n_codes);
    for (int l = 0; l < n_leaves; ++l) values.push_back(below(1 << 24) - (1 << 23));
    starts.push_back(static_cast<std::int64_t>(nodes.size()));
    word_starts.push_back(0);
    value_starts.push_back(static_cast<std::int64_t>(values.size()));
    rounds.push_back(static_cast<std::int64_t>(rounds.size()));
    order.push_back(static_cast<std::int64_t>(order.size()));
    score.push_back(below(n_scores));
  }

  std::int32_t grow(std::size_t root, int n_leaves, std::int32_t& n_codes) {
    const std::size_t at = nodes.size();
    nodes.push_back({});
    Node node{0.0, -1, 0, -1, 0, 0, 0, {}};
    if (n_leaves == 1) {
      node.left = n_codes++;
    } else {
      const int n_left = 1 + below(n_leaves - 1);
      node.feature = below(static_cast<int>(thresholds.size()));
      node.threshold = thresholds[static_cast<std::size_t>(node.feature)][rng() % 40];
      node.missing_left = static_cast<std::uint8_t>(below(2));
      node.left = grow(root, n_left, n_codes);
      node.right = grow(root, n_leaves - n_left, n_codes);
    }
    nodes[at] = node;
    return static_cast<std::int32_t>(at - root);
  }
};

// Rows on the thresholds, beside them and missing.
template <class T>
std::vector<T> rows_of(const Ensemble& ensemble, std::size_t n_rows) {
  std::vector<T> X;
  for (std::size_t i = 0; i < n_rows; ++i)
    for (const auto& of_feature : ensemble.thresholds) {
      const auto x = static_cast<T>(of_feature[rng() % 40]);
      const int kind = below(10);
      X.push_back(kind == 0  ? static_cast<T>(NAN)
                  : kind < 4 ? std::nextafter(x, static_cast<T>(below(2) ? 9 : -9))
                  : kind < 7 ? static_cast<T>(normal())
                             : x);
    }
  return X;
}

template <class T>
Rows<T> in_order(const std::vector<T>& X, std::size_t n_rows, std::size_t n_features, bool by_row) {
  const auto a = static_cast<std::ptrdiff_t>(n_features), b = static_cast<std::ptrdiff_t>(n_rows);
  return {X.data(), n_rows, n_features, by_row ? a : 1, by_row ? 1 : b};
}

blocks::Decisions decisions_of(const Ensemble& ensemble, std::size_t every, bool skips) {
  const std::size_t n_scores = ensemble.bias.size(), n_steps = ensemble.order.size();
  std::vector<std::int64_t> edges;
  for (int e = -5; e < 6; ++e) edges.push_back(std::int64_t{e} * (1 << 23));
  const std::size_t n_cells = (edges.size() + 1) * n_scores, n = (n_steps + every - 1) / every;
  std::vector<std::int32_t> jumps((n + 1) * n_cells, static_cast<std::int32_t>(n_steps));
  for (std::size_t d = n; d-- > 0;)
    for (std::size_t c = 0; c < n_cells; ++c) {
      const int kind = below(10);
      std::int32_t& to = jumps[d * n_cells + c];
      if (kind > 0) to = static_cast<std::int32_t>(d * every);
      if (kind < 3 && skips) to = jumps[(d + 1) * n_cells + c];
    }
  return blocks::Decisions({edges.data(), edges.size()}, {jumps.data(), jumps.size()}, n_steps,
                           n_scores, every, 10);
}

template <class T>
void compare_forests(const std::vector<int>& n_leaves, int n_features, int n_scores) {
  const Ensemble ensemble(n_leaves, n_features, n_scores);
  const auto K = static_cast<std::size_t>(n_scores), F = static_cast<std::size_t>(n_features);
  const auto decisions = decisions_of(ensemble, 4, below(2) == 0);
  for (const std::size_t n_rows : {1, 2, 17, 33, 64, 65, 200, 257, 700}) {
    const std::vector<T> X = rows_of<T>(ensemble, n_rows);
    const Rows<T> rows = in_order(X, n_rows, F, below(3) > 0);
    std::vector<std::int32_t> first[3];
    for (const NamedLevel& level : levels()) {
      const blocks::Forest forest = ensemble.forest(level);
      std::vector<std::int32_t> sums(n_rows * K), exit_sums(n_rows * K), exit_step(n_rows);
      forest.scores(rows, sums.data(), 1);
      forest.run_blocks(rows, decisions, exit_sums.data(), exit_step.data(), 1);
      if (level.level == Level::scalar) {
        first[0] = sums, first[1] = exit_sums, first[2] = exit_step;
        continue;
      }
      compare("sums of all trees", level.name, sums, first[0]);
      compare("sums at exits", level.name, exit_sums, first[1]);
      compare("exit steps", level.name, exit_step, first[2]);
    }
  }
}

// Words and bytes moved together, and masks of them.
void compare_packing() {
  const std::size_t n = 640;
  std::vector<std::int32_t> words(n + 64);
  std::vector<std::int8_t> bytes(n + 64);
  for (auto& w : words) w = below(3);
  for (auto& b : bytes) b = static_cast<std::int8_t>(rng());
  const auto packed = [&](NamedLevel level) {
    const blocks::Kernels kernels = blocks::kernels_of(level.level);
    std::vector<std::uint8_t> masks(n / 8), out;
    kernels.mask_other(words.data(), n, 1, masks.data());
    std::vector<std::int32_t> to = words;
    std::vector<std::int8_t> moved = bytes;
    kernels.pack_words(masks.data(), n / 8, words.data(), to.data());
    kernels.pack_bytes(masks.data(), n / 8, moved.data());
    std::size_t kept = 0;
    for (std::size_t i = 0; i < n; ++i) kept += words[i] != 1;
    out = masks;
    for (std::size_t i = 0; i < kept; ++i)
      for (const int b : {to[i], int{moved[i]}}) out.push_back(static_cast<std::uint8_t>(b));
    return out;
  };
  for (const NamedLevel& level : levels())
    compare("packing", level.name, packed(level), packed(levels().front()));
}

// Eight windows through stages of stumps and trees of three nodes.
void compare_windows() {
  std::vector<std::uint32_t> cells(4096), starts{0};
  for (auto& c : cells) c = rng();
  std::vector<scan::Node> nodes;
  for (std::uint32_t t = 0; t < 12; ++t) {
    const std::uint32_t first = starts.back(), size = t % 4 + 1;
    for (std::uint32_t k = 0; k < size; ++k) {
      scan::Node node{};
      for (auto& corners : node.corners)
        for (auto& corner : corners) corner = rng() % 4000;
      for (float& w : node.weights) w = static_cast<float>(normal());
      node.threshold = static_cast<float>(normal()) * 1e9f;
      node.n_rectangles = 2 + below(2);
      for (int side = 0; side < 2; ++side) {
        node.next[side] =
            k + 1 < size && below(2) ? static_cast<std::int32_t>(first + size - 1) : scan::kLeaf;
        node.votes[side] = normal();
      }
      nodes.push_back(node);
    }
    starts.push_back(first + size);
  }
  const std::vector<scan::Stage> stages{{0, 5, -2.0, true}, {5, 7, -3.0, false}};
  const scan::Stages all{nodes.data(), starts.data(), stages.data(), stages.size()};
  std::vector<float> scales(8);
  for (float& s : scales) s = static_cast<float>(normal());
  std::vector<double> wanted;
  for (const NamedLevel& level : levels()) {
    std::vector<double> sums(8);
    scan::Group group{cells.data(), scales.data(), sums.data(), 0xff, 0};
    const std::int64_t n = scan::kernels_of(level.level).run(all, 2, 0, group);
    sums.push_back(static_cast<double>(n));
    sums.push_back(group.alive);
    if (level.level == Level::scalar) wanted = sums;
    compare("windows", level.name, sums, wanted);
  }
}

int main() {
  const std::vector<int> small(33, 8), mixed{1, 2, 3, 5, 8, 9, 17, 64, 130, 256, 7, 4, 2, 2, 8, 8};
  const std::vector<int> stumps(120, 2), large(9, 40);
  for (const auto& n_leaves : {small, mixed, stumps, large})
    for (const int n_scores : {1, 3}) {
      compare_forests<float>(n_leaves, 11, n_scores);
      compare_forests<double>(n_leaves, 11, n_scores);
    }
  for (int i = 0; i < 20; ++i) compare_packing(), compare_windows();
  for (const NamedLevel& level : levels()) std::printf("%s ", level.name);
  std::printf("%zu comparisons, %zu different\n", n_compared, n_different);
  return n_different == 0 ? 0 : 1;
}
