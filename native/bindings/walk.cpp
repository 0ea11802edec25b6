// The bindings of native/walk: an executor that is made once and called often.
#include "walk/walk.hpp"

#include <type_traits>
#include <vector>

#include "bindings/arrays.hpp"
#include "bindings/bindings.hpp"
#include "bindings/haar_arrays.hpp"
#include "bindings/one_row.hpp"
#include "walk/calibrated_walk.hpp"
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

template <class T>
void bind_walk_rows(nb::class_<Walk>& walk) {
  walk.def(
      "scores",
      [](const Walk& self, StridedMatrix<T> X, Matrix<double> out, int n_threads) {
        nb::gil_scoped_release unlocked;
        self.scores(rows(X), out.data(), n_threads);
      },
      "X"_a.noconvert(), "out"_a.noconvert(), "n_threads"_a);
  walk.def(
      "exits",
      [](const Walk& self, StridedMatrix<T> X, Matrix<double> out, Array<std::int32_t> exit_step,
         int n_threads) {
        nb::gil_scoped_release unlocked;
        self.exits(rows(X), out.data(), exit_step.data(), n_threads);
      },
      "X"_a.noconvert(), "out"_a.noconvert(), "exit_step"_a.noconvert(), "n_threads"_a);
  walk.def(
      "run",
      [](const Walk& self, StridedMatrix<T> X, Array<const double> costs, Matrix<double> out,
         Array<std::int32_t> exit_step, Array<double> cost, int n_threads) {
        Paths paths;
        {
          nb::gil_scoped_release unlocked;
          paths =
              self.run(rows(X), costs.data(), out.data(), exit_step.data(), cost.data(), n_threads);
        }
        return nb::make_tuple(to_numpy(std::move(paths.n_evaluated)),
                              to_numpy(std::move(paths.indices)));
      },
      "X"_a.noconvert(), "costs"_a.noconvert(), "out"_a.noconvert(), "exit_step"_a.noconvert(),
      "cost"_a.noconvert(), "n_threads"_a);
}

void bind_calibrated_walk(nb::module_& m) {
  m.def(
      "probabilities",
      [](Matrix<const double> scores, Array<const double> factors, Array<const double> offsets,
         Matrix<double> out) {
        nb::gil_scoped_release unlocked;
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
  nb::class_<CalibratedWalk>(m, "CalibratedWalk")
      .def(
          "__init__",
          [](CalibratedWalk* self, const Walk& walk, const Array<const double>& factors,
             const Array<const double>& offsets) {
            new (self) CalibratedWalk(walk, copied(factors), copied(offsets));
          },
          "walk"_a, "factors"_a.noconvert(), "offsets"_a.noconvert(), nb::keep_alive<1, 2>())
      .def(
          "probabilities_one",
          [](const CalibratedWalk& self, nb::handle x, nb::handle out) {
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
          [](const CalibratedWalk& self, nb::handle x) {
            return OneRow(x, self.walk().n_features()).read([&](const auto* row) {
              return self.mean(row);
            });
          },
          "x"_a);
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
            nb::gil_scoped_release unlocked;
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
            nb::gil_scoped_release unlocked;
            self.scores(patches, out.data(), n_threads);
          },
          "patches"_a.noconvert(), "out"_a.noconvert(), "n_threads"_a)
      .def(
          "exits",
          [](const PatchWalk& self, PatchArray array, Matrix<double> out,
             Array<std::int32_t> exit_step, int n_threads) {
            const Patches patches = walked_patches(self, array, out);
            require_rows(exit_step.shape(0), patches);
            nb::gil_scoped_release unlocked;
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
              nb::gil_scoped_release unlocked;
              paths = self.run(patches, costs.data(), out.data(), exit_step.data(), cost.data(),
                               n_threads);
            }
            return nb::make_tuple(to_numpy(std::move(paths.n_evaluated)),
                                  to_numpy(std::move(paths.indices)));
          },
          "patches"_a.noconvert(), "costs"_a.noconvert(), "out"_a.noconvert(),
          "exit_step"_a.noconvert(), "cost"_a.noconvert(), "n_threads"_a);
}

}  // namespace

void bind_walk(nb::module_& m) {
  nb::class_<Walk> walk(m, "Walk");
  walk.def(
      "__init__",
      [](Walk* self, const TreeArrays& tree_arrays, const FixedTableArrays& tables,
         Array<const std::int32_t> bias, double unit, Array<const std::int64_t> order,
         Array<const std::int64_t> edges, Matrix<const std::int32_t> jumps, std::size_t every,
         std::size_t n_features, bool missing) {
        nb::gil_scoped_release unlocked;
        const std::size_t n_steps = order.shape(0), n_scores = bias.shape(0);
        require_sound(tree_arrays, tables, bias, order);
        require_jumps(jumps, n_steps, every, (edges.shape(0) + 1) * n_scores);
        new (self) Walk(
            walk_source(tree_arrays, tables, bias, order, n_features), unit,
            Jumps(SumState{n_scores}, span(edges), {jumps.data(), jumps.size()}, n_steps, every),
            missing);
      },
      "trees"_a.noconvert(), "tables"_a.noconvert(), "bias"_a.noconvert(), "unit"_a,
      "order"_a.noconvert(), "edges"_a.noconvert(), "jumps"_a.noconvert(), "every"_a,
      "n_features"_a, "missing"_a);
  // A call of one row holds the lock: giving it back and taking it again costs as much as the row.
  walk.def(
      "predict_one",
      [](const Walk& self, nb::handle x) {
        return OneRow(x, self.n_features()).read([&](const auto* row) { return self.code(row); });
      },
      "x"_a);
  walk.def(
      "scores_one",
      [](const Walk& self, nb::handle x) {
        std::vector<double> scores(self.n_scores());
        OneRow(x, self.n_features()).read([&](const auto* row) {
          return self.exit_of(row, scores.data());
        });
        return nb::tuple(nb::cast(scores));
      },
      "x"_a);
  bind_walk_rows<float>(walk);
  bind_walk_rows<double>(walk);
  bind_calibrated_walk(m);
  bind_patch_walk(m);
}

}  // namespace mddag
