// The bindings of native/levels: which levels this machine runs, and which is used.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/bindings.hpp"
#include "levels/level.hpp"

namespace mddag {

void bind_levels(nb::module_& m) {
  m.def("levels", [] {
    std::vector<std::string> names;
    for (const NamedLevel& level : levels()) names.emplace_back(level.name);
    return names;
  });
  m.def("level", [] { return std::string(chosen_level().name); });
}

}  // namespace mddag
