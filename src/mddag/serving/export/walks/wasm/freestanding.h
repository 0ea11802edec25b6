/* What math.h would have, on a machine without a C library. */
#define INFINITY __builtin_inff()
#define sqrt __builtin_sqrt

/* Clang makes selects of the binary search in the jump table, each of which waits for the one before;
 * branches are foreseen, and take half the time. */
#define MODEL_BRANCH __asm__ volatile("")

/* tail + lost, a sum that no double holds, rounded to the neighbour with an odd last bit. */
static inline double model_odd(double tail, double lost) {
  union {
    double number;
    unsigned long long bits;
  } same;
  same.number = tail;
  if (same.bits & 1) return tail;
  if ((lost > 0) == (tail > 0))
    ++same.bits;
  else
    --same.bits;
  return same.number;
}

/* a b + c, rounded once (Boldo and Melquiond 2008), for numbers that are neither huge nor tiny. */
static inline double fma(double a, double b, double c) {
  const double a_split = 134217729.0 * a, b_split = 134217729.0 * b;
  const double a1 = a_split - (a_split - a), a2 = a - a1, b1 = b_split - (b_split - b), b2 = b - b1;
  const double product = a * b, rest = a1 * b1 - product + a1 * b2 + a2 * b1 + a2 * b2;
  const double low = c + rest, low_back = low - c;
  const double low_rest = c - (low - low_back) + (rest - low_back);
  const double high = product + low, high_back = high - product;
  const double high_rest = product - (high - high_back) + (low - high_back);
  const double tail = low_rest + high_rest, tail_back = tail - low_rest;
  const double lost = low_rest - (tail - tail_back) + (high_rest - tail_back);
  return high + (lost == 0 ? tail : model_odd(tail, lost));
}
