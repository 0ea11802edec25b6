// The bindings of native/mdp: cells, losses, and rollouts on votes.
#include "bindings/arrays.hpp"
#include "bindings/bindings.hpp"
#include "bindings/loss.hpp"
#include "mdp/coded_votes.hpp"
#include "mdp/rollout.hpp"
#include "mdp/urgency.hpp"

namespace mddag {

using namespace nb::literals;

namespace {

void bind_cells(nb::module_& m) {
  m.def(
      "cells",
      [](const GridArrays& grid_arrays, Matrix<const double> scores, Array<std::int32_t> out) {
        Unlocked unlocked;
        const auto state = score_state(grid_arrays);
        for (std::size_t i = 0; i < scores.shape(0); ++i)
          out.data()[i] =
              static_cast<std::int32_t>(state.cell(0, scores.data() + i * state.width()));
      },
      "grid"_a.noconvert(), "scores"_a.noconvert(), "out"_a.noconvert());
}

void bind_losses(nb::module_& m) {
  m.def(
      "losses",
      [](const LossArrays& loss, Matrix<const double> scores, Array<double> out) {
        Unlocked unlocked;
        const LabeledLoss quit_loss = labeled_loss(loss, scores.shape(1));
        for (std::size_t i = 0; i < out.shape(0); ++i)
          out.data()[i] = quit_loss(scores.data() + i * scores.shape(1), i);
      },
      "loss"_a.noconvert(), "scores"_a.noconvert(), "out"_a.noconvert());
}

// A rollout with one kind of state, made by `state_of(grid, n_steps, more...)`.
// carried : (n, width of the state), what rows carry
// names   : of what more the state is made of
template <class Code, class... More, class StateOf, class... Names>
void bind_rollout(nb::module_& m, const char* name, StateOf state_of, const Names&... names) {
  m.def(
      name,
      [state_of](const TableArrays& table_arrays, Matrix<const Code> codes, const GridArrays& grid,
                 const More&... more, const PolicyArrays& policy, Array<const double> costs,
                 Matrix<double> carried, Array<std::int32_t> n_evaluated,
                 Array<std::int32_t> exit_step, Array<double> cost, int n_threads) {
        Unlocked unlocked;
        const CodedVotes<Code> votes{tables(table_arrays), codes.data()};
        const JumpTable jump = jump_table(policy);
        const auto state = state_of(grid, jump.order.size, more...);
        if (carried.shape(1) != state.width()) refuse("what rows carry is not that of the state");
        if (votes.tables.n_scores != state.n_scores) refuse("the state is of other scores");
        rollout(votes, state, jump, span(costs), codes.shape(0), carried.data(), n_evaluated.data(),
                exit_step.data(), cost.data(), n_threads);
      },
      "tables"_a.noconvert(), "codes"_a.noconvert(), "grid"_a.noconvert(), names...,
      "policy"_a.noconvert(), "costs"_a.noconvert(), "carried"_a.noconvert(),
      "n_evaluated"_a.noconvert(), "exit_step"_a.noconvert(), "cost"_a.noconvert(), "n_threads"_a);
}

template <class Code>
void bind_rollouts(nb::module_& m) {
  bind_rollout<Code>(m, "rollout",
                     [](const GridArrays& grid, std::size_t) { return score_state(grid); });
  bind_rollout<Code, StageArrays>(
      m, "rollout_stages",
      [](const GridArrays& grid, std::size_t n_steps, const StageArrays& stages) {
        const auto by_scores = score_state(grid);
        return StageState{by_scores.grid, stage_columns(stages, n_steps), by_scores.n_scores};
      },
      "stages"_a.noconvert());
}

// By query: readings, spreads and flags of documents, query by query.
void bind_urgency(nb::module_& m) {
  m.def(
      "urgency",
      [](const UrgencyArrays& arrays, Array<const std::int64_t> starts, Array<const double> reading,
         Array<const double> spread, Array<const std::uint8_t> alive, Array<double> out,
         int n_threads) {
        Unlocked unlocked;
        require_queries(span(starts), out.shape(0));
        const bool fits = reading.shape(0) == out.shape(0) && spread.shape(0) == out.shape(0) &&
                          alive.shape(0) == out.shape(0);
        if (!fits) refuse("readings, spreads and flags are not of the same documents");
        const Urgencies urgencies = urgencies_of(arrays);
        constexpr std::size_t kTogether = 64;  // queries
        const std::size_t n_queries = starts.shape(0) - 1;
        const std::size_t n_blocks = (n_queries + kTogether - 1) / kTogether;
        parallel_for(n_blocks, n_threads, [&](std::size_t block) {
          QueryUrgency of = urgencies.of_queries();
          const std::size_t end = std::min((block + 1) * kTogether, n_queries);
          for (std::size_t q = block * kTogether; q < end; ++q) {
            const auto a = static_cast<std::size_t>(starts.data()[q]);
            const auto n = static_cast<std::size_t>(starts.data()[q + 1]) - a;
            of(reading.data() + a, spread.data() + a, alive.data() + a, n, out.data() + a);
          }
        });
      },
      "urgency"_a.noconvert(), "starts"_a.noconvert(), "reading"_a.noconvert(),
      "spread"_a.noconvert(), "alive"_a.noconvert(), "out"_a.noconvert(), "n_threads"_a);
}

}  // namespace

void bind_mdp(nb::module_& m) {
  bind_urgency(m);
  bind_cells(m);
  bind_losses(m);
  bind_rollouts<std::uint8_t>(m);
  bind_rollouts<std::uint16_t>(m);
  bind_rollouts<std::uint32_t>(m);
}

}  // namespace mddag
