// The bindings of native/exits: walks of families of early exits, cuts of QWYC,
// thresholds of rejection.
#include <vector>

#include "bindings/arrays.hpp"
#include "bindings/bindings.hpp"
#include "bindings/loss.hpp"
#include "exits/quit_cuts.hpp"
#include "exits/rejection.hpp"
#include "exits/walk.hpp"
#include "mdp/coded_votes.hpp"

namespace mddag {

using namespace nb::literals;

namespace {

// tables, codes, bias, weight, what the first j base classifiers cost (N + 1,).
template <class Code>
using ExitSampleArrays = std::tuple<TableArrays, Matrix<const Code>, Array<const double>,
                                    Array<const double>, Array<const double>>;
// levels, by decision and cell or by one of them alone; candidates; steps of a decision.
using ExitArrays = std::tuple<Matrix<const std::int32_t>, std::size_t, std::size_t>;

// Throws unless every level is one of a candidate, or the number behind the last.
ExitLevels exit_levels(const ExitArrays& arrays, std::size_t n_steps, std::size_t n_cells) {
  const auto& [levels, n_candidates, every] = arrays;
  const std::size_t rows = levels.shape(0), columns = levels.shape(1);
  if (every == 0) refuse("a decision covers no step");
  const bool by_decision = rows == (n_steps + every - 1) / every, by_cell = columns == n_cells;
  if ((!by_decision && rows != 1) || (!by_cell && columns != 1))
    refuse("levels are not those of the decisions and cells");
  const Span<const std::int32_t> all{levels.data(), levels.size()};
  for (std::size_t at = 0; at < all.size; ++at)
    if (all[at] < 0) refuse("a level is below 0");
  return {all, by_decision ? columns : 0, by_cell ? std::size_t{1} : 0, n_candidates, every};
}

template <class Code>
void bind_walks(nb::module_& m) {
  m.def(
      "walk_exits",
      [](const ExitSampleArrays<Code>& sample, const GridArrays& grid_arrays,
         const ExitArrays& exit_arrays, const std::vector<LossArrays>& losses,
         Matrix<double> sums) {
        Unlocked unlocked;
        const auto& [table_arrays, codes, bias, weight, spent] = sample;
        const ScoreState<std::size_t> state = score_state(grid_arrays);
        const Tables votes = tables(table_arrays);
        const std::size_t n_steps = votes.rounds.size - 1;
        const ExitLevels exits = exit_levels(exit_arrays, n_steps, state.n_cells());
        if (weight.shape(0) != codes.shape(0) || spent.shape(0) != n_steps + 1 ||
            bias.shape(0) != state.n_scores || votes.n_scores != state.n_scores)
          refuse("rows, steps or scores of the exits differ");
        if (sums.shape(0) != losses.size() + 1 || sums.shape(1) != exits.n_candidates + 1)
          refuse("sums are not those of the losses and candidates");
        std::vector<LabeledLoss> labeled;
        for (const LossArrays& loss : losses) labeled.push_back(labeled_loss(loss, state.n_scores));
        // Names of a structured binding cannot be captured in C++17.
        const double* start = bias.data();
        const Span<const double> weights = span(weight), paid = span(spent);
        const auto walk = [&](const auto& known, const auto& in) {
          walk_exits(known, in, start, weights, paid, exits, labeled, sums.data());
        };
        if (!are_single(votes)) return walk(CodedVotes<Code>{votes, codes.data()}, state);
        walk(SingleVotes<Code>{votes, codes.data()}, ScoreState<OneScore>{state.grid, {}});
      },
      "sample"_a.noconvert(), "grid"_a.noconvert(), "exits"_a.noconvert(), "losses"_a.noconvert(),
      "sums"_a.noconvert());
}

void bind_quit_cuts(nb::module_& m) {
  m.def(
      "quit_cuts",
      [](Matrix<const double> there, Matrix<const double> wrong, Array<const double> budget,
         Array<const double> shares, Array<std::int64_t> low, Array<std::int64_t> high,
         Array<double> weight) {
        Unlocked unlocked;
        const std::size_t n = there.shape(0), n_cells = there.shape(1);
        const bool fits = wrong.shape(0) == n && wrong.shape(1) == n_cells &&
                          budget.shape(0) == n && low.shape(0) == n && high.shape(0) == n &&
                          weight.shape(0) == n;
        if (!fits) refuse("histograms, budgets and cuts do not fit each other");
        for (std::size_t i = 0; i < n; ++i) {
          const std::size_t first = i * n_cells;
          const QuitCut cut = quit_cut(there.data() + first, wrong.data() + first, n_cells,
                                       budget.data()[i], span(shares));
          low.data()[i] = cut.low;
          high.data()[i] = cut.high;
          weight.data()[i] = cut.weight;
        }
      },
      "there"_a.noconvert(), "wrong"_a.noconvert(), "budget"_a.noconvert(), "shares"_a.noconvert(),
      "low"_a.noconvert(), "high"_a.noconvert(), "weight"_a.noconvert());
}

// sums, ranks, cuts, each (T, n).
using RankedArrays =
    std::tuple<Matrix<const double>, Matrix<const std::int32_t>, Matrix<const double>>;
// reject, negative, reached, each (n,); prices, looks, each (length,).
using RejectionArrays =
    std::tuple<Array<const double>, Array<const double>, Array<const std::int32_t>,
               Array<const double>, Array<const bool>>;

void bind_rejection(nb::module_& m) {
  m.def(
      "reject_thresholds",
      [](const RankedArrays& arrays, const RejectionArrays& of_rows, double least,
         Array<double> going_on, Array<double> out) {
        Unlocked unlocked;
        const auto& [sums, ranks, cuts] = arrays;
        const auto& [reject, negative, reached, prices, looks] = of_rows;
        const std::size_t T = sums.shape(0), n = sums.shape(1), length = out.shape(0);
        const bool same =
            ranks.shape(0) == T && ranks.shape(1) == n && cuts.shape(0) == T && cuts.shape(1) == n;
        const bool per_row = reject.shape(0) == n && negative.shape(0) == n &&
                             reached.shape(0) == n && going_on.shape(0) == n;
        if (!same || !per_row || length == 0 || length > T || prices.shape(0) != length ||
            looks.shape(0) != length)
          refuse("arrays of rejection do not fit each other");
        reject_thresholds(
            {sums.data(), ranks.data(), cuts.data(), n},
            {reject.data(), negative.data(), reached.data(), prices.data(), looks.data()}, length,
            least, going_on.data(), out.data());
      },
      "ranked"_a.noconvert(), "of_rows"_a.noconvert(), "least"_a, "going_on"_a.noconvert(),
      "out"_a.noconvert());
  m.def(
      "last_steps",
      [](Matrix<const double> sums, Array<const double> thresholds, Array<std::int32_t> out) {
        Unlocked unlocked;
        const std::size_t length = thresholds.shape(0);
        if (length == 0 || length > sums.shape(0) || out.shape(0) != sums.shape(1))
          refuse("thresholds or steps do not fit the sums");
        last_steps(sums.data(), sums.shape(1), thresholds.data(), length, out.data());
      },
      "sums"_a.noconvert(), "thresholds"_a.noconvert(), "out"_a.noconvert());
}

}  // namespace

void bind_exits(nb::module_& m) {
  bind_walks<std::uint8_t>(m);
  bind_walks<std::uint16_t>(m);
  bind_walks<std::uint32_t>(m);
  bind_quit_cuts(m);
  bind_rejection(m);
}

}  // namespace mddag
