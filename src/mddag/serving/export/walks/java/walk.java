
  // The walk: from the row of the jump table for the scores so far to the next step that is
  // evaluated, until the target is N_STEPS. Sums stay within 31 bits.

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
