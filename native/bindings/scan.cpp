// The bindings of native/scan: images scanned for the windows that a classifier accepts.
#include "scan/scan.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include "bindings/arrays.hpp"
#include "bindings/bindings.hpp"
#include "scan/grouping.hpp"

namespace mddag {

using namespace nb::literals;

namespace {

using FeatureArray =
    nb::ndarray<const std::int32_t, nb::shape<-1, 3, 5>, nb::c_contig, nb::device::cpu>;
using TripleArray =
    nb::ndarray<const std::int64_t, nb::shape<-1, 3>, nb::c_contig, nb::device::cpu>;

// WindowClassifier.native: (height, width, margin, flattest, skips, accept), features, and arrays
// of the nodes, trees and stages.
using Settings = std::tuple<std::size_t, std::size_t, std::size_t, float, bool, double>;
using NodeArrays = std::tuple<Array<const std::int32_t>, Array<const float>,
                              Matrix<const std::int32_t>, Matrix<const double>>;
using StageArrays = std::tuple<Array<const std::int64_t>, Array<const std::int64_t>,
                               Array<const bool>, Array<const double>>;
using ClassifierArrays = std::tuple<Settings, FeatureArray, NodeArrays, StageArrays>;

scan::Classifier classifier_of(const ClassifierArrays& arrays) {
  const auto& [settings, features, nodes, stages] = arrays;
  const auto& [height, width, margin, flattest, skips, accept] = settings;
  const auto& [feature, threshold, next, votes] = nodes;
  const auto& [tree_starts, stage_starts, fresh, reject] = stages;
  for (const auto& [rows, columns] :
       {std::pair{next.shape(0), next.shape(1)}, std::pair{votes.shape(0), votes.shape(1)}})
    if (rows != feature.shape(0) || columns != 2) refuse("a node has not two sides");
  const scan::Classifier classifier{
      {height, width},
      margin,
      flattest,
      skips,
      accept,
      {reinterpret_cast<const HaarFeature*>(features.data()), features.shape(0)},
      span(feature),
      span(threshold),
      next.data(),
      votes.data(),
      span(tree_starts),
      span(stage_starts),
      span(fresh),
      span(reject)};
  scan::require_classifier(classifier);
  return classifier;
}

std::size_t whole(std::int64_t number) {
  if (number < 0) refuse("a level or a task has a number below 0");
  return static_cast<std::size_t>(number);
}

// (n, 3) numbers as records of three.
template <class Record>
std::vector<Record> records(const TripleArray& array) {
  std::vector<Record> out;
  for (std::size_t i = 0; i < array.shape(0); ++i) {
    const std::int64_t* at = array.data() + 3 * i;
    out.push_back({whole(at[0]), whole(at[1]), whole(at[2])});
  }
  return out;
}

nb::tuple as_arrays(const scan::Found& found) {
  std::vector<std::int32_t> places;
  std::vector<double> scores;
  for (const scan::Hit& hit : found.hits) {
    places.insert(places.end(), {hit.level, hit.x, hit.y});
    scores.push_back(hit.score);
  }
  return nb::make_tuple(to_numpy(std::move(places)), to_numpy(std::move(scores)),
                        found.count.windows, found.count.evaluated);
}

Span<const scan::Box> boxes_of(const Matrix<const std::int64_t>& boxes, std::size_t n) {
  if (boxes.shape(1) != 4 || boxes.shape(0) != n) refuse("boxes are not four numbers each");
  return {reinterpret_cast<const scan::Box*>(boxes.data()), n};
}

}  // namespace

void bind_scan(nb::module_& m) {
  m.def(
      "check_window_classifier", [](const ClassifierArrays& arrays) { classifier_of(arrays); },
      "classifier"_a.noconvert());
  m.def(
      "scan",
      [](Matrix<const std::uint8_t> image, TripleArray levels, TripleArray tasks,
         const ClassifierArrays& arrays, int n_threads, const std::string& level) {
        const scan::Kernels kernels = scan::kernels_of(level_or_chosen(level).level);
        const scan::Classifier classifier = classifier_of(arrays);
        const auto all_levels = records<scan::Level>(levels);
        const auto all_tasks = records<scan::Task>(tasks);
        const Image grey{image.data(), image.shape(0), image.shape(1), image.shape(1)};
        scan::require_tasks(grey, all_levels, all_tasks, classifier);
        scan::Found found;
        {
          Unlocked unlocked;
          found = scan::scan(grey, all_levels, all_tasks, classifier, kernels, n_threads);
        }
        return as_arrays(found);
      },
      "image"_a.noconvert(), "levels"_a.noconvert(), "tasks"_a.noconvert(),
      "classifier"_a.noconvert(), "n_threads"_a, "level"_a = "");
  m.def(
      "group_greedily",
      [](Matrix<const std::int64_t> boxes, Array<const double> weights, double least,
         Array<std::int64_t> group) {
        const Span<const scan::Box> all = boxes_of(boxes, group.shape(0));
        if (weights.shape(0) != all.size) refuse("weights are not those of the boxes");
        if (!(least > 0.0)) refuse("the least overlap is not above 0");
        Unlocked unlocked;
        return scan::group_greedily(all, weights.data(), least, group.data());
      },
      "boxes"_a.noconvert(), "weights"_a.noconvert(), "least"_a, "group"_a.noconvert());
  m.def(
      "group_similar",
      [](Matrix<const std::int64_t> boxes, double part, Array<std::int64_t> group) {
        const Span<const scan::Box> all = boxes_of(boxes, group.shape(0));
        Unlocked unlocked;
        return scan::group_similar(all, part, group.data());
      },
      "boxes"_a.noconvert(), "part"_a, "group"_a.noconvert());
  m.def(
      "resize",
      [](Matrix<const std::uint8_t> image, Matrix<std::uint8_t> out) {
        if (image.size() == 0) refuse("the image has no pixels");
        Unlocked unlocked;
        const Image grey{image.data(), image.shape(0), image.shape(1), image.shape(1)};
        scan::ResizedRows rows(grey, out.shape(0), out.shape(1));
        for (std::size_t y = 0; y < out.shape(0); ++y) rows.row(y, out.data() + y * out.shape(1));
      },
      "image"_a.noconvert(), "out"_a.noconvert());
}

}  // namespace mddag
