// For functions of a few instructions, to which calls would cost more than they do.
#pragma once

#define MDDAG_INLINE inline __attribute__((always_inline))
