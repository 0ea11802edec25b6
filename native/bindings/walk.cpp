// The bindings of native/walk: an executor that is made once and called often.
#include "walk/walk.hpp"

#include <nanobind/stl/optional.h>

#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "bindings/arrays.hpp"
#include "bindings/bindings.hpp"
#include "bindings/haar_arrays.hpp"
#include "bindings/one_row.hpp"
#include "walk/calibrated_walk.hpp"
#include "walk/lazy_run.hpp"
#include "walk/patch_walk.hpp"

namespace mddag {

using namespace nb::literals;

namespace {

template <class T>
std::vector<std::remove_const_t<T>> copied(const Array<T>& a) {
  return {a.data(), a.data() + a.shape(0)};
}

WalkSource walk_source(const TreeArrays& tree_arrays, const FixedTableArrays& tables,
                       const Array<const std::int32_t>& bias,
                       const Array<const std::int64_t>& order, std::size_t n_features) {
  const auto& [bytes, starts, words, word_starts] = tree_arrays;
  const auto& [values, table_starts, score, rounds, n_scores] = tables;
  const Span<const Node> nodes = trees(tree_arrays).nodes;
  return {{nodes.data, nodes.data + nodes.size},
          copied(starts),
          copied(words),
          copied(word_starts),
          copied(values),
          copied(table_starts),
          copied(score),
          copied(rounds),
          copied(order),
          copied(bias),
          n_features};
}

// Program.verdicts: the table (n_decisions + 1, n_cells), and the verdicts of rows that have passed
// all steps (n_cells,).
using VerdictArrays = std::tuple<Matrix<const std::int16_t>, Array<const std::int16_t>>;

std::unique_ptr<Verdicts> verdicts_of(const std::optional<VerdictArrays>& arrays,
                                      const Array<const std::int64_t>& edges, std::size_t every,
                                      std::size_t n_steps, std::size_t n_cells) {
  if (!arrays) return nullptr;
  const auto& [table, passed] = *arrays;
  Verdicts verdicts{
      copied(edges), {table.data(), table.data() + table.size()}, copied(passed), every, n_steps};
  if (passed.shape(0) != n_cells || table.shape(1) != n_cells ||
      table.shape(0) != verdicts.n_decisions() + 1)
    refuse("verdicts are not those of the decisions and cells");
  return std::make_unique<Verdicts>(std::move(verdicts));
}

StageSumState stage_state(const StageArrays& arrays, std::size_t n_steps, std::size_t n_scores) {
  stage_columns(arrays, n_steps);
  const auto& [reads, write_starts, write_columns, n_columns, end] = arrays;
  return {copied(reads), copied(write_starts), copied(write_columns), n_columns, end, n_scores};
}

template <class State>
void make_walk(BasicWalk<State>* self, const TreeArrays& tree_arrays,
               const FixedTableArrays& tables, const Array<const std::int32_t>& bias, double unit,
               const Array<const std::int64_t>& order, const Array<const std::int64_t>& edges,
               const Matrix<const std::int32_t>& jumps, std::size_t every, std::size_t n_features,
               bool missing, const std::optional<VerdictArrays>& verdicts, State&& state) {
  const std::size_t n_steps = order.shape(0), n_cells = (edges.shape(0) + 1) * state.n_parts();
  require_sound(tree_arrays, tables, bias, order);
  require_jumps(jumps, n_steps, every, n_cells);
  Jumps<State> table(state, span(edges), {jumps.data(), jumps.size()}, n_steps, every);
  new (self) BasicWalk<State>(walk_source(tree_arrays, tables, bias, order, n_features), unit,
                              std::move(state), std::move(table), missing,
                              verdicts_of(verdicts, edges, every, n_steps, n_cells));
}

std::int64_t* data_or_null(const std::optional<Array<std::int64_t>>& codes) {
  return codes ? codes->data() : nullptr;
}

template <class RowWalk, class T>
void bind_walk_rows(nb::class_<RowWalk>& walk) {
  walk.def(
      "scores",
      [](const RowWalk& self, StridedMatrix<T> X, Matrix<double> out, int n_threads) {
        Unlocked unlocked;
        self.scores(rows(X), out.data(), n_threads);
      },
      "X"_a.noconvert(), "out"_a.noconvert(), "n_threads"_a);
  walk.def(
      "exits",
      [](const RowWalk& self, StridedMatrix<T> X, Matrix<double> out, Array<std::int32_t> exit_step,
         std::optional<Array<std::int64_t>> codes, int n_threads) {
        Unlocked unlocked;
        self.exits(rows(X), out.data(), exit_step.data(), data_or_null(codes), n_threads);
      },
      "X"_a.noconvert(), "out"_a.noconvert(), "exit_step"_a.noconvert(),
      "codes"_a.noconvert().none(), "n_threads"_a);
  walk.def(
      "run",
      [](const RowWalk& self, StridedMatrix<T> X, Array<const double> costs, Matrix<double> out,
         Array<std::int32_t> exit_step, Array<double> cost,
         std::optional<Array<std::int64_t>> codes, int n_threads) {
        Paths paths;
        {
          Unlocked unlocked;
          paths = self.run(rows(X), costs.data(), out.data(), exit_step.data(), cost.data(),
                           data_or_null(codes), n_threads);
        }
        return nb::make_tuple(to_numpy(std::move(paths.n_evaluated)),
                              to_numpy(std::move(paths.indices)));
      },
      "X"_a.noconvert(), "costs"_a.noconvert(), "out"_a.noconvert(), "exit_step"_a.noconvert(),
      "cost"_a.noconvert(), "codes"_a.noconvert().none(), "n_threads"_a);
}

void bind_probabilities(nb::module_& m) {
  m.def(
      "probabilities",
      [](Matrix<const double> scores, Array<const double> factors, Array<const double> offsets,
         Matrix<double> out) {
        Unlocked unlocked;
        const std::size_t n = scores.shape(0), K = scores.shape(1), n_classes = out.shape(1);
        const std::size_t step = factors.shape(0) == 1 ? 0 : 1;  // one for all, or one per row
        if (step == 1 && factors.shape(0) != n) refuse("factors are not those of the rows");
        if (offsets.shape(0) != factors.shape(0)) refuse("offsets are not those of the factors");
        if (K == 0 || out.shape(0) != n || n_classes != std::max<std::size_t>(K, 2))
          refuse("probabilities do not fit the scores");
        for (std::size_t i = 0; i < n; ++i)
          probabilities(scores.data() + i * K, K, factors.data()[i * step],
                        offsets.data()[i * step], out.data() + i * n_classes);
      },
      "scores"_a.noconvert(), "factors"_a.noconvert(), "offsets"_a.noconvert(),
      "out"_a.noconvert());
}

template <class RowWalk>
void bind_calibrated_walk(nb::module_& m, const char* name) {
  using Calibrated = CalibratedWalk<RowWalk>;
  nb::class_<Calibrated>(m, name)
      .def(
          "__init__",
          [](Calibrated* self, const RowWalk& walk, const Array<const double>& factors,
             const Array<const double>& offsets) {
            new (self) Calibrated(walk, copied(factors), copied(offsets));
          },
          "walk"_a, "factors"_a.noconvert(), "offsets"_a.noconvert(), nb::keep_alive<1, 2>())
      .def(
          "probabilities_one",
          [](const Calibrated& self, nb::handle x, nb::handle out) {
            const OneRow row(x, self.walk().n_features());
            const OneResult result(out);
            row.read([&](const auto* values) {
              self.probabilities(values, result.data());
              return 0;
            });
          },
          "x"_a, "out"_a)
      .def(
          "mean_one",
          [](const Calibrated& self, nb::handle x) {
            return OneRow(x, self.walk().n_features()).read([&](const auto* row) {
              return self.mean(row);
            });
          },
          "x"_a);
}

template <class RowWalk>
void bind_lazy_run(nb::module_& m, const char* name) {
  using Run = LazyRun<RowWalk>;
  nb::class_<Run>(m, name)
      .def(
          "__init__",
          [](Run* self, const RowWalk& walk, Matrix<const std::uint8_t> wants, std::size_t n_rows) {
            if (wants.shape(0) != walk.n_steps()) refuse("wants are not those of the steps");
            new (self) Run(walk, wants.data(), wants.shape(1), n_rows);
          },
          "walk"_a, "wants"_a.noconvert(), "n_rows"_a, nb::keep_alive<1, 2>())
      .def(
          "give",
          [](Run& self, Array<const std::int64_t> rows, std::size_t group) {
            self.give(span(rows), group);
          },
          "rows"_a.noconvert(), "group"_a)
      .def(
          "resume",
          [](Run& self, Matrix<const double> X, Array<const std::int64_t> rows,
             Matrix<std::uint8_t> lacking, int n_threads) {
            if (X.shape(0) != self.n_rows() || X.shape(1) != self.walk().n_features())
              refuse("X is not of the rows and features");
            if (lacking.shape(0) != rows.shape(0) || lacking.shape(1) != self.n_groups())
              refuse("lacking is not of the rows and groups");
            Unlocked unlocked;
            self.resume(X.data(), span(rows), lacking.data(), n_threads);
          },
          "X"_a.noconvert(), "rows"_a.noconvert(), "lacking"_a.noconvert(), "n_threads"_a)
      .def(
          "finish",
          [](const Run& self, Matrix<double> scores, Array<std::int32_t> exit_step,
             std::optional<Array<std::int64_t>> codes) {
            const std::size_t n = self.n_rows();
            if (scores.shape(0) != n || scores.shape(1) != self.walk().n_scores() ||
                exit_step.shape(0) != n || (codes && codes->shape(0) != n))
              refuse("results are not of the rows and scores");
            Unlocked unlocked;
            self.finish(scores.data(), exit_step.data(), data_or_null(codes));
          },
          "scores"_a.noconvert(), "exit_step"_a.noconvert(), "codes"_a.noconvert().none());
}

// Throws unless patches and results are those of the walk.
Patches walked_patches(const PatchWalk& walk, const PatchArray& array, const Matrix<double>& out) {
  const Patches patches = patches_of(array);
  if (patches.window.height != walk.window().height || patches.window.width != walk.window().width)
    refuse("patches are not of the window's size");
  if (out.shape(0) != patches.n || out.shape(1) != walk.n_scores())
    refuse("out is not of the patches and the scores");
  return patches;
}

void require_rows(std::size_t n, const Patches& patches) {
  if (n != patches.n) refuse("results are not those of the patches");
}

void bind_patch_walk(nb::module_& m) {
  nb::class_<PatchWalk>(m, "PatchWalk")
      .def(
          "__init__",
          [](PatchWalk* self, const TreeArrays& tree_arrays, const FixedTableArrays& tables,
             Array<const std::int32_t> bias, double unit, Array<const std::int64_t> order,
             Array<const std::int64_t> edges, Matrix<const std::int32_t> jumps, std::size_t every,
             FeatureArray features, std::size_t height, std::size_t width) {
            Unlocked unlocked;
            const std::size_t n_steps = order.shape(0), n_scores = bias.shape(0);
            require_sound(tree_arrays, tables, bias, order);
            require_jumps(jumps, n_steps, every, (edges.shape(0) + 1) * n_scores);
            const Window window{height, width};
            new (self)
                PatchWalk(walk_source(tree_arrays, tables, bias, order, features.shape(0)), unit,
                          Jumps(SumState{n_scores}, span(edges), {jumps.data(), jumps.size()},
                                n_steps, every),
                          features_of(features, window), window);
          },
          "trees"_a.noconvert(), "tables"_a.noconvert(), "bias"_a.noconvert(), "unit"_a,
          "order"_a.noconvert(), "edges"_a.noconvert(), "jumps"_a.noconvert(), "every"_a,
          "features"_a.noconvert(), "height"_a, "width"_a)
      .def(
          "scores",
          [](const PatchWalk& self, PatchArray array, Matrix<double> out, int n_threads) {
            const Patches patches = walked_patches(self, array, out);
            Unlocked unlocked;
            self.scores(patches, out.data(), n_threads);
          },
          "patches"_a.noconvert(), "out"_a.noconvert(), "n_threads"_a)
      .def(
          "exits",
          [](const PatchWalk& self, PatchArray array, Matrix<double> out,
             Array<std::int32_t> exit_step, int n_threads) {
            const Patches patches = walked_patches(self, array, out);
            require_rows(exit_step.shape(0), patches);
            Unlocked unlocked;
            self.exits(patches, out.data(), exit_step.data(), n_threads);
          },
          "patches"_a.noconvert(), "out"_a.noconvert(), "exit_step"_a.noconvert(), "n_threads"_a)
      .def(
          "run",
          [](const PatchWalk& self, PatchArray array, Array<const double> costs, Matrix<double> out,
             Array<std::int32_t> exit_step, Array<double> cost, int n_threads) {
            const Patches patches = walked_patches(self, array, out);
            require_rows(exit_step.shape(0), patches);
            require_rows(cost.shape(0), patches);
            if (costs.shape(0) != self.n_classifiers()) refuse("costs are not those of the steps");
            Paths paths;
            {
              Unlocked unlocked;
              paths = self.run(patches, costs.data(), out.data(), exit_step.data(), cost.data(),
                               n_threads);
            }
            return nb::make_tuple(to_numpy(std::move(paths.n_evaluated)),
                                  to_numpy(std::move(paths.indices)));
          },
          "patches"_a.noconvert(), "costs"_a.noconvert(), "out"_a.noconvert(),
          "exit_step"_a.noconvert(), "cost"_a.noconvert(), "n_threads"_a);
}

template <class RowWalk>
void bind_calls(nb::class_<RowWalk>& walk) {
  // A call of one row holds the lock: giving it back and taking it again costs as much as the row.
  walk.def(
      "predict_one",
      [](const RowWalk& self, nb::handle x) {
        return OneRow(x, self.n_features()).read([&](const auto* row) { return self.code(row); });
      },
      "x"_a);
  walk.def(
      "scores_one",
      [](const RowWalk& self, nb::handle x) {
        std::vector<double> scores(self.n_scores());
        OneRow(x, self.n_features()).read([&](const auto* row) {
          return self.exit_of(row, scores.data());
        });
        return nb::tuple(nb::cast(scores));
      },
      "x"_a);
  bind_walk_rows<RowWalk, float>(walk);
  bind_walk_rows<RowWalk, double>(walk);
}

// A class of walks with one kind of state, made by `state_of(n_steps, n_scores, more...)`.
// names : of the verdicts and of what more the state is made of
template <class State, class... More, class StateOf, class... Names>
void bind_walk_of(nb::module_& m, const char* name, StateOf state_of, const Names&... names) {
  nb::class_<BasicWalk<State>> walk(m, name);
  walk.def(
      "__init__",
      [state_of](BasicWalk<State>* self, const TreeArrays& tree_arrays,
                 const FixedTableArrays& tables, Array<const std::int32_t> bias, double unit,
                 Array<const std::int64_t> order, Array<const std::int64_t> edges,
                 Matrix<const std::int32_t> jumps, std::size_t every, std::size_t n_features,
                 bool missing, std::optional<VerdictArrays> verdicts, const More&... more) {
        Unlocked unlocked;
        make_walk(self, tree_arrays, tables, bias, unit, order, edges, jumps, every, n_features,
                  missing, verdicts, state_of(order.shape(0), bias.shape(0), more...));
      },
      "trees"_a.noconvert(), "tables"_a.noconvert(), "bias"_a.noconvert(), "unit"_a,
      "order"_a.noconvert(), "edges"_a.noconvert(), "jumps"_a.noconvert(), "every"_a,
      "n_features"_a, "missing"_a, names...);
  bind_calls(walk);
}

}  // namespace

void bind_walk(nb::module_& m) {
  const auto verdicts = "verdicts"_a.noconvert().none();
  bind_walk_of<SumState>(
      m, "Walk", [](std::size_t, std::size_t n_scores) { return SumState{n_scores}; },
      "verdicts"_a.noconvert().none() = nb::none());
  bind_walk_of<StageSumState, StageArrays>(
      m, "StageWalk",
      [](std::size_t n_steps, std::size_t n_scores, const StageArrays& stages) {
        return stage_state(stages, n_steps, n_scores);
      },
      verdicts, "stages"_a.noconvert());
  bind_probabilities(m);
  bind_calibrated_walk<Walk>(m, "CalibratedWalk");
  bind_calibrated_walk<StageWalk>(m, "CalibratedStageWalk");
  bind_lazy_run<Walk>(m, "LazyRun");
  bind_lazy_run<StageWalk>(m, "LazyStageRun");
  bind_patch_walk(m);
}

}  // namespace mddag
