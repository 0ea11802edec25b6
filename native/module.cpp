// The table of contents of the native core. Every function takes arrays and writes to arrays; the
// signatures are typed in src/mddag/_core.pyi, the arguments are checked by the Python callers.
//
// Folders include from those before them alone (tests/native/test_includes.py):
//
//   internal : threads, spans, sorted numbers
//   levels   : kinds of machines, vectors for them
//   ensemble : trees and tables of votes
//   haar     : rectangles of grey windows
//   mdp      : state, jump table, loss, rollout
//   boosting : columns as codes, trees grown on them
//   solvers  : SARSA, descent
//   exits    : families of early exits, cuts of QWYC, thresholds of rejection
//   walk     : a policy row by row
//   blocks   : many rows at once
//   scan     : all windows of a image
//
// blocks: kernels (on rank bytes) < ranks (values to bytes) < plan (trees to records) < run.
// scan: kernels (eight windows at once) < the rest.
#include "bindings/bindings.hpp"

NB_MODULE(_core, m) {
  mddag::bind_levels(m);
  mddag::bind_ensemble(m);
  mddag::bind_haar(m);
  mddag::bind_mdp(m);
  mddag::bind_boosting(m);
  mddag::bind_solvers(m);
  mddag::bind_exits(m);
  mddag::bind_walk(m);
  mddag::bind_blocks(m);
  mddag::bind_scan(m);

  const auto at_exit = mddag::nb::module_::import_("atexit").attr("register");
  at_exit(mddag::nb::cpp_function(mddag::Unlocked::end));
}
