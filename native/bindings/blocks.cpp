// The bindings of native/blocks: a forest made once, evaluated on many rows at once.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <optional>

#include "bindings/arrays.hpp"
#include "bindings/bindings.hpp"
#include "blocks/run/forest.hpp"

namespace mddag {

using namespace nb::literals;

namespace {

template <class T, class Out>
void bind_forest_scores(nb::class_<blocks::Forest>& forest) {
  forest.def(
      "scores",
      [](const blocks::Forest& self, StridedMatrix<T> X, Matrix<Out> out, int n_threads) {
        Unlocked unlocked;
        self.scores(rows(X), out.data(), n_threads);
      },
      "X"_a.noconvert(), "out"_a.noconvert(), "n_threads"_a);
}

template <class T, class Out>
void bind_forest_run_blocks(nb::class_<blocks::Forest>& forest) {
  forest.def(
      "run_blocks",
      [](const blocks::Forest& self, StridedMatrix<T> X, const blocks::Decisions& decisions,
         Matrix<Out> out, std::optional<Array<std::int32_t>> exit_step, int n_threads) {
        Unlocked unlocked;
        self.require(decisions);
        self.run_blocks(rows(X), decisions, out.data(), exit_step ? exit_step->data() : nullptr,
                        n_threads);
      },
      "X"_a.noconvert(), "decisions"_a, "out"_a.noconvert(), "exit_step"_a.noconvert().none(),
      "n_threads"_a);
}

template <class T>
void bind_forest_run_queries(nb::class_<blocks::Forest>& forest) {
  forest.def(
      "run_queries",
      [](const blocks::Forest& self, StridedMatrix<T> X, Array<const std::int64_t> starts,
         const blocks::QueryDecisions& decisions, Array<double> reading,
         Array<std::int32_t> exit_step, int n_threads) {
        Unlocked unlocked;
        require_queries(span(starts), X.shape(0));
        if (reading.shape(0) != X.shape(0) || exit_step.shape(0) != X.shape(0))
          refuse("readings and exits are not one for each row");
        self.run_queries(rows(X), span(starts), decisions, reading.data(), exit_step.data(),
                         n_threads);
      },
      "X"_a.noconvert(), "starts"_a.noconvert(), "decisions"_a, "reading"_a.noconvert(),
      "exit_step"_a.noconvert(), "n_threads"_a);
}

template <class T>
std::vector<T> owned(const Array<const T>& a) {
  return {a.data(), a.data() + a.shape(0)};
}

template <class T>
std::vector<T> owned(const Matrix<const T>& a) {
  return {a.data(), a.data() + a.size()};
}

void bind_query_decisions(nb::module_& m) {
  using Readings = std::tuple<Array<const std::int64_t>, Matrix<const double>, Array<const double>,
                              Matrix<const double>, Matrix<const double>>;
  nb::class_<blocks::QueryDecisions>(m, "QueryDecisions")
      .def(
          "__init__",
          [](blocks::QueryDecisions* self, const Readings& readings, const std::string& number,
             std::size_t k, const UrgencyArrays& urgency, Array<const double> edges,
             Matrix<const std::uint8_t> quits) {
            const auto& [checks, weights, level, cells, spread] = readings;
            const auto& [discounts, mean, at, gain, slope] = urgency;
            if (number != "reading" && number != "gap" && number != "urgency")
              refuse("the number is none of reading, gap and urgency");
            const auto kind = number == "reading" ? blocks::QueryNumber::kReading
                              : number == "gap"   ? blocks::QueryNumber::kGap
                                                  : blocks::QueryNumber::kUrgency;
            new (self) blocks::QueryDecisions(
                {owned(checks), owned(weights), owned(level), owned(cells), owned(spread)},
                {kind, k, owned(discounts), owned(at), owned(gain), mean, slope}, owned(edges),
                owned(quits));
          },
          "readings"_a.noconvert(), "number"_a, "k"_a, "urgency"_a.noconvert(),
          "edges"_a.noconvert(), "quits"_a.noconvert());
}

void bind_decisions(nb::module_& m) {
  nb::class_<blocks::Decisions>(m, "Decisions")
      .def(
          "__init__",
          [](blocks::Decisions* self, Array<const std::int64_t> edges,
             Matrix<const std::int32_t> jumps, std::size_t n_steps, std::size_t every,
             std::size_t n_scores, std::size_t expected_steps) {
            Unlocked unlocked;
            require_jumps(jumps, n_steps, every, (edges.shape(0) + 1) * n_scores);
            new (self) blocks::Decisions(span(edges), {jumps.data(), jumps.size()}, n_steps,
                                         n_scores, every, expected_steps);
          },
          "edges"_a.noconvert(), "jumps"_a.noconvert(), "n_steps"_a, "every"_a, "n_scores"_a,
          "expected_steps"_a);
}

}  // namespace

void bind_blocks(nb::module_& m) {
  bind_decisions(m);
  bind_query_decisions(m);
  nb::class_<blocks::Forest> forest(m, "Forest");
  forest.def(
      "__init__",
      [](blocks::Forest* self, const TreeArrays& tree_arrays, const FixedTableArrays& tables,
         Array<const std::int32_t> bias, double unit, Array<const std::int64_t> order,
         const std::string& level) {
        const NamedLevel named = level_or_chosen(level);
        const auto& [values, starts, score, rounds, n_scores] = tables;
        Unlocked unlocked;
        require_sound(tree_arrays, tables, bias, order);
        new (self) blocks::Forest(trees(tree_arrays), span(values), span(starts), span(score),
                                  span(rounds), span(bias), unit, span(order), named);
      },
      "trees"_a.noconvert(), "tables"_a.noconvert(), "bias"_a.noconvert(), "unit"_a,
      "order"_a.noconvert(), "level"_a = "");
  forest.def_prop_ro("level", &blocks::Forest::level);
  forest.def_prop_ro("most_documents", &blocks::Forest::most_documents);
  bind_forest_run_queries<float>(forest);
  bind_forest_run_queries<double>(forest);
  bind_forest_run_blocks<float, std::int32_t>(forest);
  bind_forest_run_blocks<double, std::int32_t>(forest);
  bind_forest_run_blocks<float, double>(forest);
  bind_forest_run_blocks<double, double>(forest);
  bind_forest_scores<float, std::int32_t>(forest);
  bind_forest_scores<double, std::int32_t>(forest);
  bind_forest_scores<float, double>(forest);
  bind_forest_scores<double, double>(forest);
}

}  // namespace mddag
