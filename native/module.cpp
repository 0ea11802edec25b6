// The table of contents of the native core. Every function takes arrays and writes to arrays; the
// signatures are typed in src/mddag/_core.pyi, the arguments are checked by the Python callers.
#include "bindings/boost.hpp"
#include "bindings/dag.hpp"
#include "bindings/descent.hpp"
#include "bindings/learners.hpp"
#include "bindings/sarsa.hpp"
#include "bindings/trees.hpp"
#include "bindings/walk.hpp"

namespace mddag {
void bind_blocks(nb::module_& m);  // native/blocks.cpp
}

NB_MODULE(_core, m) {
  mddag::bind_trees(m);
  mddag::bind_dag(m);
  mddag::bind_walk(m);
  mddag::bind_blocks(m);
  mddag::bind_sarsa(m);
  mddag::bind_descent(m);
  mddag::bind_learners(m);
  mddag::bind_boost(m);
}
