//: if probabilities

  /** Calibrated probabilities of the row x. The largest is that of the class with the largest
   * score, however close the scores are. */
  public static double[] probabilities(@VALUE@[] x) {
    int[] sums = new int[N_SUMS + 1];
    run(x, sums);
    int g = GROUPS[sums[N_SUMS]], best = winner(sums), largest = 0;
    double[] p = new double[N_CLASSES];
//: if many
    double sum = 0;
    for (int k = 0; k < N_SCORES; ++k)
      sum += p[k] = exp(FACTORS[g] * (sums[k] * UNIT - sums[best] * UNIT));
    for (int k = 0; k < N_SCORES; ++k) p[k] /= sum;
//: else
    double odds = FACTORS[g] * (sums[last(sums)] * UNIT) + OFFSETS[g], small = exp(-Math.abs(odds));
    p[0] = (odds <= 0 ? 1 : small) / (1 + small);
    p[1] = (odds >= 0 ? 1 : small) / (1 + small);
//: end
    for (int k = 1; k < N_CLASSES; ++k) if (p[k] > p[largest]) largest = k;
    if (largest != best) p[best] = Math.nextAfter(p[largest], 1);
    return p;
  }
//: end
//: if exp

  // exp(x) as x = k ln 2 / 128 + r: 2^(k/128) from a table, a polynomial for exp(r). Fused
  // operations are called by name, so the result has the same bits everywhere.
  private static double exp(double x) {
    if (!(x > -1024 && x < 1024)) return x < 0 ? 0 : x * Double.POSITIVE_INFINITY;
    if (Math.abs(x) < 0x1p-54) return 1 + x;
    double shift = 0x1.8p52; // a sum with it is rounded to a whole number
    double whole = Math.fma(0x1.71547652b82fep7, x, shift) - shift;
    long k = (long) whole;
    int i = 2 * (int) (k & 127);
    double r = Math.fma(whole, -0x1.cf79abc9e3b39p-47, Math.fma(whole, -0x1.62e42fefap-8, x));
    double square = r * r;
    double rest = Math.fma(square, Math.fma(r, 0x1.555555555543cp-3, 0x1.ffffffffffdbdp-2),
        Double.longBitsToDouble(TWO_POWERS[i]) + r);
    rest = Math.fma(square * square, Math.fma(r, 0x1.1111167a4d017p-7, 0x1.55555cf172b91p-5), rest);
    long bits = TWO_POWERS[i + 1] + (k << 45);
    if (x > -512 && x < 512) {
      double scale = Double.longBitsToDouble(bits);
      return Math.fma(scale, rest, scale);
    }
    if (k > 0) { // 2^(k/128) may be too large for a double
      double scale = Double.longBitsToDouble(bits - (1009L << 52));
      return 0x1p1009 * Math.fma(scale, rest, scale);
    }
    double scale = Double.longBitsToDouble(bits + (1022L << 52)); // it may be too small
    double part = scale * rest, y = scale + part;
    if (y < 1) { // round once, to as many bits as the result will have
      part = scale - y + part;
      double high = 1 + y;
      part = 1 - high + y + part;
      y = high + part - 1;
    }
    return 0x1p-1022 * y;
  }
//: end
