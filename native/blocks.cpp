// The bindings of the blocks, compiled beside the rest: the two take about equally long.
#include "bindings/blocks.hpp"
