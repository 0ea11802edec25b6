// The parts of the native core, one for each folder of kernels: see module.cpp.
#pragma once

#include <nanobind/nanobind.h>

#include "bindings/unlocked.hpp"

namespace mddag {

namespace nb = nanobind;

void bind_levels(nb::module_& m);
void bind_ensemble(nb::module_& m);
void bind_haar(nb::module_& m);
void bind_mdp(nb::module_& m);
void bind_boosting(nb::module_& m);
void bind_solvers(nb::module_& m);
void bind_exits(nb::module_& m);
void bind_walk(nb::module_& m);
void bind_blocks(nb::module_& m);
void bind_scan(nb::module_& m);

}  // namespace mddag
