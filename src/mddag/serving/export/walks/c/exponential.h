
static inline double model_of_bits(uint64_t bits) {
  union {
    uint64_t bits;
    double number;
  } same;
  same.bits = bits;
  return same.number;
}

/* The next double above p, 0 < p <= 1; 1 is the largest. */
static inline double model_above(double p) {
  union {
    double number;
    uint64_t bits;
  } same;
  same.number = p;
  ++same.bits;
  return p < 1 ? same.number : 1;
}

/* exp(x) as x = k ln 2 / 128 + r: 2^(k/128) from a table, a polynomial for exp(r). Fused operations
 * are called by name, so the result has the same bits everywhere. */
static inline double model_exp(double x) {
  const double shift = 0x1.8p52; /* a sum with it is rounded to a whole number */
  double whole, r, square, rest, scale, part, y, high;
  uint64_t bits;
  int32_t k;
  if (!(x > -1024 && x < 1024)) return x != x ? x : x > 0 ? INFINITY : 0;
  if (x > -0x1p-54 && x < 0x1p-54) return 1 + x;
  whole = fma(0x1.71547652b82fep7, x, shift) - shift;
  k = (int32_t)whole;
  r = fma(whole, -0x1.cf79abc9e3b39p-47, fma(whole, -0x1.62e42fefap-8, x));
  square = r * r;
  rest = fma(square, fma(r, 0x1.555555555543cp-3, 0x1.ffffffffffdbdp-2),
             model_of_bits(model_two_powers[2 * (k & 127)]) + r);
  rest = fma(square * square, fma(r, 0x1.1111167a4d017p-7, 0x1.55555cf172b91p-5), rest);
  bits = model_two_powers[2 * (k & 127) + 1] + ((uint64_t)(int64_t)k << 45);
  if (x > -512 && x < 512) {
    scale = model_of_bits(bits);
    return fma(scale, rest, scale);
  }
  if (k > 0) { /* 2^(k/128) may be too large for a double */
    scale = model_of_bits(bits - ((uint64_t)1009 << 52));
    return 0x1p1009 * fma(scale, rest, scale);
  }
  scale = model_of_bits(bits + ((uint64_t)1022 << 52)); /* it may be too small */
  part = model_rounded(scale * rest);
  y = scale + part;
  if (y < 1) { /* round once, to as many bits as the result will have */
    part = scale - y + part;
    high = 1 + y;
    part = 1 - high + y + part;
    y = high + part - 1;
  }
  return 0x1p-1022 * y;
}
