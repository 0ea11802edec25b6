// What a policy may do at a step, numbered as in src/mddag/policy/policy.py.
#pragma once

#include <cstddef>

namespace mddag {

enum Action : std::size_t { kEval = 0, kSkip = 1, kQuit = 2 };
constexpr std::size_t kActions = 3;

}  // namespace mddag
