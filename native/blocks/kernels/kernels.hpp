// What the kernels take, and the table through which they are called: one set of kernels for each
// level of machines (levels/level.hpp), chosen when a forest is made.
//
// Plain data alone: this header is compiled for all levels, and a function compiled for one must
// never be the copy that the linker keeps for all machines.
//
// Rows lie in lanes. A rank byte is the number of a feature's thresholds below the value, less 128,
// since AVX2 compares signed bytes; a split sends a row left where `threshold > byte`. Every count
// of rows is a multiple of the level's lanes, which divide kLanes; memory is there up to a multiple
// of kLanes, and lanes beyond the last row hold anything.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mddag::blocks {

constexpr std::size_t kLanes = 64;        // of the widest level
constexpr std::size_t kTile = 8;          // features that are transposed together
constexpr std::int32_t kMostRanks = 254;  // thresholds whose ranks fit one byte
constexpr std::size_t kExitChunk = 64;
constexpr std::size_t kMostLeaves = 256;  // of a tree whose leaf codes are bytes
constexpr std::size_t kTogether = 4;      // tables whose votes are added in one pass over the sums

// At most three thresholds of a feature, and how many lie in the cells before.
struct alignas(16) RankCell {
  float edge[3];
  std::int32_t base;
};

enum class Lookup : std::int32_t { value, bits, search };

// How a value finds its rank; see rank_of.hpp.
struct RankGrid {
  Lookup lookup;
  const RankCell* cells;
  float low, scale, last;                 // by value: cell = (x - low) * scale, clamped to 0..last
  std::int32_t low_key, high_key, shift;  // by bits: cell = (key(x) - low_key) >> shift
  const float* thresholds;
  std::int32_t n_thresholds;
  const double* exact;  // for float64 rows: the thresholds before they were rounded
};

// n values of one feature, rounded to float32 and readable up to a whole number of lanes; and the
// values themselves, `stride` apart.
template <class T>
struct Values {
  const float* rounded;
  const T* exact;
  std::ptrdiff_t stride;
  std::size_t n;
};

// One column of bytes: a rank r becomes r - first, clamped to 0..kMostRanks; NaN has rank
// `missing`.
struct RankColumn {
  std::int32_t first;
  std::int32_t missing;
};

// Splits in pre-order that lead to at most eight exits, padded to two, four or eight. `column`
// counts bytes from the first column.
struct Splits {
  std::uint32_t column[7];
  std::int8_t threshold[7];
  std::uint8_t padding;
  std::uint32_t shape;  // its number among the shapes, see shapes.hpp
};

// A tree of at most eight leaves, which are the exits, from left to right.
struct SmallTree {
  std::int32_t votes[8];
  Splits splits;
  std::uint32_t score;
};

// The votes of two small trees for the same score, by the exits of both, first + 8 * second: what
// they are above `least`, byte by byte.
struct alignas(64) PairVotes {
  std::uint8_t plane[4][64];
  std::int32_t least;
  std::uint8_t n_planes;  // 3 if the fourth is zero, else 4; none where the scores differ
};

// The small trees of a plan; pairs[p] has the votes of trees 2 p and 2 p + 1, where the level has a
// use for them, else there are none.
struct SmallTrees {
  const SmallTree* trees;
  const PairVotes* pairs;
};

// A piece of a larger tree: rows whose code is `entry` get the code of the exit that they take.
struct Piece {
  Splits splits;
  std::uint8_t codes[8];
  std::uint8_t entry;
};

// The one split of all nodes at a level of an oblivious tree, as those of CatBoost are.
struct LevelSplit {
  std::uint32_t column;
  std::int8_t threshold;
};

// A tree of at most 256 leaves: every row has code `entry` before the first piece, and the code of
// its leaf after the last. Pieces stand behind the one that leads to them. An oblivious tree has
// levels instead, at most eight, and the code of a leaf is the answers on the way, 1 for the left,
// those of the root being the highest bit.
struct LargeTree {
  const Piece* pieces;
  const std::int32_t* votes;  // (n_outputs, n_leaves)
  std::uint32_t n_pieces, n_leaves, n_outputs, score;
  std::uint8_t entry;
  const LevelSplit* levels;
  std::uint32_t n_levels;  // 0 if it is not oblivious
};

// The sum of all stumps on one column, for one score: a table of the 256 bytes.
struct StepFunction {
  const std::int32_t* votes;
  std::uint32_t column, score;
};

// Where kernels read ranks and add votes: sums of score k begin at sums + k * sums_stride.
struct Lanes {
  const std::int8_t* ranks;
  std::int32_t* sums;
  std::size_t sums_stride;
  std::size_t n;
  std::uint8_t* codes;              // (kTogether, sums_stride), of large trees
  const std::uint8_t* leaf_tables;  // (kShapes, 128), see shapes.hpp
};

// Lanes behind the last row hold sums of rows that are gone; they are never read, and may wrap.
constexpr std::int32_t wrapping_sum(std::int32_t a, std::int32_t b) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
}

// Where a policy's decision changes: rows whose s is above `edge` evaluate step `next` next; see
// lane_state.hpp.
struct Jump {
  std::int32_t edge;
  std::int32_t next;
};

// One decision: jumps[starts[k]] .. jumps[starts[k + 1]] in part k of the state, of n_tables parts;
// a single table holds for all.
struct Decision {
  const Jump* jumps;
  const std::size_t* starts;
  std::size_t n_tables;
};

// Rows on their way through a policy, one per lane; see exit_lanes.hpp. n is a multiple of
// kExitChunk, and lanes beyond the last row have quit.
struct ExitArrays {
  std::int32_t* next;
  const std::int32_t* sums;  // (n_scores, stride)
  std::uint8_t* gone;        // eight lanes a mask: which rows quit at this decision
  std::size_t n, stride, n_scores;
  std::int32_t quit;
};

struct Settled {
  std::int32_t soonest;  // step that any row evaluates next
  std::int32_t n_alive;
};

template <class T>
struct RankKernels {
  // Values of one feature -> its columns, each column_stride bytes behind the one before.
  void (*ranks)(const RankGrid& grid, const RankColumn* columns, std::size_t n_columns,
                const Values<T>& values, std::int8_t* out, std::size_t column_stride);
  // kTile neighboring features, from each of the tiles on, of n rows -> arrays of rounded values.
  void (*transpose)(const T* rows, std::ptrdiff_t row_stride, std::size_t n,
                    const std::size_t* tiles, std::size_t n_tiles, float* out,
                    std::size_t out_stride);
};

struct Kernels {
  std::size_t lanes;  // rows that are evaluated at once
  bool has_pairs;     // whether small_trees wants the votes of pairs
  RankKernels<float> float32;
  RankKernels<double> float64;
  // Tables of 128 bytes -> the bytes that indices below 128 choose, a column for each table.
  void (*lookups)(const std::int8_t* tables, std::size_t n_tables, const std::uint8_t* index,
                  std::size_t n, std::int8_t* out, std::size_t column_stride);
  // Trees first .. first + n.
  void (*small_trees)(const SmallTrees& trees, std::size_t first, std::size_t n,
                      const Lanes& lanes);
  void (*large_trees)(const LargeTree* trees, std::size_t n_trees, const Lanes& lanes);
  void (*steps)(const StepFunction* steps, std::size_t n_steps, const Lanes& lanes);
  // All lanes that have not quit take the step of the decision.
  Settled (*decide)(const ExitArrays& lanes, const Decision& decision);
  // Lanes whose next step is another get back the sums that were saved.
  void (*restore)(const std::int32_t* next, std::int32_t step, const std::int32_t* saved,
                  std::int32_t* sums, std::size_t n);
  // Eight words a mask: which are not `value`.
  void (*mask_other)(const std::int32_t* words, std::size_t n, std::int32_t value,
                     std::uint8_t* masks);
  // Moves what lies in the lanes whose bit is set together; words may go elsewhere. n_masks is a
  // multiple of kExitChunk / 8.
  void (*pack_bytes)(const std::uint8_t* masks, std::size_t n_masks, std::int8_t* bytes);
  void (*pack_words)(const std::uint8_t* masks, std::size_t n_masks, const std::int32_t* words,
                     std::int32_t* to);
};

}  // namespace mddag::blocks
