
  // The walk: from the row of the jump table for the scores so far to the next step that is
  // evaluated, until the target is N_STEPS. Sums stay within 31 bits.

//: if patches
  // A patch: HEIGHT x WIDTH grey levels, row by row. Its integral image is made once; a feature, up
  // to three rectangles with weights, is computed when a split reads it:
  //   value = sum of weight x pixels / (area x deviation), the deviation at least one grey level.
  private static final class Row {
    final int[] cells = new int[(HEIGHT + 1) * (WIDTH + 1)]; // sums of all pixels above and left
    float scale;
  }

  private static Row load(byte[] x) {
    if (x.length != N_FEATURES)
      throw new IllegalArgumentException("got " + x.length + " pixels, wanted " + N_FEATURES);
    Row row = new Row();
    long sum = 0, squares = 0, area = N_FEATURES;
    int at = 0, cell = WIDTH + 2;
    for (int y = 0; y < HEIGHT; ++y, ++cell) {
      int line = 0;
      for (int end = at + WIDTH; at < end; ++at, ++cell) {
        int pixel = x[at] & 255;
        line += pixel;
        squares += pixel * pixel;
        row.cells[cell] = row.cells[cell - WIDTH - 1] + line;
      }
      sum += line;
    }
    long spread = Math.max(area * squares - sum * sum, area * area);
    row.scale = (float) (1 / Math.sqrt((double) spread));
    return row;
  }

  private static float column(Row row, int feature) {
    int sum = 0;
    int[] cells = row.cells;
    for (int r = 3 * feature; r < 3 * feature + 3; ++r) {
      int c = 4 * r;
      sum += WEIGHTS[r] * (cells[CORNERS[c]] - cells[CORNERS[c + 1]] - cells[CORNERS[c + 2]]
          + cells[CORNERS[c + 3]]);
    }
    return (float) sum * row.scale;
  }
//: else
  private static float[] load(float[] x) {
    if (x.length != N_FEATURES)
      throw new IllegalArgumentException("got " + x.length + " values, wanted " + N_FEATURES);
    return x;
  }

  private static float column(float[] x, int feature) {
    return x[feature];
  }
//: end

  private static boolean goesLeft(int i, int kind, float v) {
    if (v != v) return (kind & 1) != 0; // NaN: missing
//: if nominal
    if ((kind & 2) != 0) {
      int at = NODES[i];
      if (!(v > -1 && v < 32f * SETS[at])) return false;
      int category = (int) v; // towards zero
      return (SETS[at + 1 + (category >> 5)] >> (category & 31) & 1) != 0;
    }
//: end
    return v <= Float.intBitsToFloat(NODES[i]);
  }

  // Where the votes of the leaf begin that x reaches from a root.
  private static int leaf(int at, @ROW@ x) {
    while (at >= 0) {
      int i = 4 * at, kind = NODES[i + 1];
      at = NODES[goesLeft(i, kind, column(x, kind >> 2)) ? i + 2 : i + 3];
    }
    return ~at;
  }

  // Step j adds its votes to the sums.
  private static void evaluate(int j, @ROW@ x, int[] sums) {
//: if staged
    int vote = 0;
    for (int t = ROUNDS[j]; t < ROUNDS[j + 1]; ++t) vote += VOTES[leaf(ROOTS[t], x)];
    for (int w = WRITE_STARTS[j]; w < WRITE_STARTS[j + 1]; ++w) sums[WRITE_COLUMNS[w]] += vote;
//: else
    for (int t = ROUNDS[j]; t < ROUNDS[j + 1]; ++t) {
      int at = leaf(ROOTS[t], x);
//: if many
      if (SCORE[t] >= 0) sums[SCORE[t]] += VOTES[at];
      else for (int k = 0; k < N_SCORES; ++k) sums[k] += VOTES[at + k];
//: else
      sums[0] += VOTES[at];
//: end
    }
//: end
  }

  // The run of a row of a table that the sums are in: the first whose bound is not below the state.
  private static int place(int row, int[] sums, int[] starts, int[] bounds) {
//: if staged
    int state = sums[READS[row]];
//: else
//: if many
    int top = sums[1] > sums[0] ? 1 : 0; // the first of the best
    int best = sums[top], second = sums[1 - top];
    for (int k = 2; k < N_SCORES; ++k) {
      if (sums[k] > best) {
        second = best;
        best = sums[k];
        top = k;
      } else if (sums[k] > second) {
        second = sums[k];
      }
    }
    row = row * N_SCORES + top;
    int state = best - second ^ Integer.MIN_VALUE; // the margin less 2^31, as bounds are
//: else
    int state = sums[0];
//: end
//: end
    int low = starts[row], high = starts[row + 1] - 1;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (state > bounds[middle]) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  // Where the table leads when j steps are over: to the next step to evaluate.
  private static int look(int j, int[] sums) {
//: if together
    if (j % EVERY != 0) return j;
    return JUMPS[place(j / EVERY, sums, STARTS, BOUNDS)];
//: else
    return JUMPS[place(j, sums, STARTS, BOUNDS)];
//: end
  }

  // The next step to evaluate when j steps are over.
  private static int next(int j, int[] sums) {
    int to = look(j, sums);
//: if staged
    while (to != j && to < N_STEPS) { // a later step may read another column, and decides again
      j = to;
      to = look(j, sums);
    }
//: end
    return to;
  }

  // Fills the sums, and behind them the exit: one more than the last of the kept steps that was
  // evaluated. Returns how many base classifiers were.
  private static int run(@VALUE@[] row, int[] sums) {
    @ROW@ x = load(row);
    int exit = 0, evaluated = 0;
//: if staged
    java.util.Arrays.fill(sums, BIAS[0]);
//: else
    System.arraycopy(BIAS, 0, sums, 0, N_SUMS);
//: end
    for (int j = next(0, sums); j < N_STEPS; j = next(j + 1, sums)) {
      evaluate(j, x, sums);
      exit = j + 1;
      ++evaluated;
    }
    sums[N_SUMS] = exit;
    return evaluated;
  }

  // Where the final scores begin.
  private static int last(int[] sums) {
//: if staged
    return READS[(sums[N_SUMS] + EVERY - 1) / EVERY];
//: else
    return 0;
//: end
  }

  /** How many base classifiers the row x needs. */
  public static int evaluations(@VALUE@[] x) {
    return run(x, new int[N_SUMS + 1]);
  }

  /** The raw scores f of the row x. */
  public static double[] scores(@VALUE@[] x) {
    int[] sums = new int[N_SUMS + 1];
    run(x, sums);
    double[] f = new double[N_SCORES];
    for (int k = 0, at = last(sums); k < N_SCORES; ++k) f[k] = sums[at + k] * UNIT;
    return f;
  }
//: if classifies

//: if verdicts
  // The verdict of a row of the table: a class, -1 for that by the scores, -2 for that of the end.
  private static int verdict(int row, int[] sums) {
    return VERDICTS[place(row, sums, VERDICT_STARTS, VERDICT_BOUNDS)];
  }

//: end
  private static int winner(int[] sums) {
//: if many
    int top = 0;
    for (int k = 1; k < N_SCORES; ++k) if (sums[k] > sums[top]) top = k;
    return top;
//: else
    return sums[last(sums)] > 0 ? 1 : 0;
//: end
  }

  /** The number of the class of the row x, whose label is CLASSES[number]: where it quits may say
   * it, else the largest score does; a tie goes to the first class. */
  public static int predict(@VALUE@[] x) {
    int[] sums = new int[N_SUMS + 1];
    run(x, sums);
//: if verdicts
    int j = sums[N_SUMS];
//: if staged
    for (int to = look(j, sums); to < N_STEPS; to = look(j, sums)) j = to;
//: end
    int code = verdict((j + EVERY - 1) / EVERY, sums);
    if (code == -2) code = verdict((N_STEPS + EVERY - 1) / EVERY, sums);
    if (code >= 0) return code;
//: end
    return winner(sums);
  }
//: else

  /** The mean that is expected for the row x; of a ranker what to sort by. */
  public static double predict(@VALUE@[] x) {
    int[] sums = new int[N_SUMS + 1];
    run(x, sums);
    int g = GROUPS[sums[N_SUMS]];
    double mean = FACTORS[g] * (sums[last(sums)] * UNIT) + OFFSETS[g];
//: if exp_link
    return exp(mean);
//: else
    return mean;
//: end
  }
//: end
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
//: if named

  private static final java.util.Map<Integer, java.util.Map<Object, Float>> CODES = codes();

  private static java.util.Map<Integer, java.util.Map<Object, Float>> codes() {
    var codes = new java.util.HashMap<Integer, java.util.Map<Object, Float>>();
    CATEGORIES.forEach((i, values) -> {
      var own = new java.util.HashMap<Object, Float>();
      for (int code = 0; code < values.length; ++code) own.put(values[code], (float) code);
      codes.put(i, own);
    });
    return codes;
  }

  /** The row of a map by feature name: numbers, bools, the values of categories, null for missing. */
  public static float[] encode(java.util.Map<String, ?> named) {
    float[] row = new float[N_FEATURES];
    for (int i = 0; i < N_FEATURES; ++i) {
      String name = FEATURE_NAMES[i];
      if (!named.containsKey(name))
        throw new IllegalArgumentException("the row has no " + name);
      Object value = named.get(name);
      if (value instanceof Boolean) value = (Boolean) value ? 1.0 : 0.0;
      if (value instanceof Number) value = ((Number) value).doubleValue() + 0.0; // no -0.0
      boolean isMissing = value == null || value instanceof Double && ((Double) value).isNaN();
      row[i] = isMissing ? Float.NaN : encoded(name, CODES.get(i), value);
//: if not missing
      if (Float.isNaN(row[i]))
        throw new IllegalArgumentException(name + " is missing, which the model does not know");
//: end
    }
    if (named.size() > N_FEATURES) {
      var known = java.util.Set.of(FEATURE_NAMES);
      for (String name : named.keySet())
        if (!known.contains(name))
          throw new IllegalArgumentException(name + " is no feature of the model");
    }
    return row;
  }

  // The number that trees read in the place of a value.
  private static float encoded(String name, java.util.Map<Object, Float> codes, Object value) {
    if (codes == null && value instanceof Double) return (float) (double) (Double) value;
    if (codes != null && codes.containsKey(value)) return codes.get(value);
    if (codes != null && codes.isEmpty()) return Float.NaN;
    boolean alike = codes != null
        && codes.keySet().stream().anyMatch(other -> other.getClass() == value.getClass());
//: if refuses
    if (alike) throw new IllegalArgumentException(name + " is " + value + ", not there in training");
//: else
    if (alike) return Float.NaN;
//: end
    throw new IllegalArgumentException(name + " is " + value + ", wanted "
        + (codes == null ? "a number" : "a value such as " + codes.keySet().iterator().next()));
  }
//: end
}
