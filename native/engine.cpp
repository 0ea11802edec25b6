// The bindings of the engine, compiled beside the rest: the two take about equally long.
#include "bindings/engine.hpp"
