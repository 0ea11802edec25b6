
// The walk: from the row of the jump table for the scores so far to the next step that is
// evaluated, until the target is N_STEPS. Sums stay within 31 bits, so numbers hold them exactly.

const THRESHOLDS = new Float32Array(NODES.buffer);
const SUMS = new Int32Array(N_SUMS); // of the row at hand
let evaluated = 0; // base classifiers of that row

function goesLeft(i, kind, v) {
  if (v !== v) return kind & 1; // NaN: missing
//: if nominal
  if (kind & 2) {
    const at = NODES[i];
    if (!(v > -1 && v < 32 * SETS[at])) return 0;
    const category = Math.trunc(v);
    return (SETS[at + 1 + (category >> 5)] >> (category & 31)) & 1;
  }
//: end
  return v <= THRESHOLDS[i];
}

// Where the votes of the leaf begin that x reaches from a root.
function leaf(at, x) {
  while (at >= 0) {
    const i = 4 * at, kind = NODES[i + 1];
    at = NODES[goesLeft(i, kind, column(x, kind >> 2)) ? i + 2 : i + 3];
  }
  return ~at;
}

// Step j adds its votes to the sums.
function evaluate(j, x) {
//: if staged
  let vote = 0;
  for (let t = ROUNDS[j]; t < ROUNDS[j + 1]; ++t) vote += VOTES[leaf(ROOTS[t], x)];
  for (let w = WRITE_STARTS[j]; w < WRITE_STARTS[j + 1]; ++w) SUMS[WRITE_COLUMNS[w]] += vote;
//: else
  for (let t = ROUNDS[j]; t < ROUNDS[j + 1]; ++t) {
    const at = leaf(ROOTS[t], x);
//: if many
    if (SCORE[t] >= 0) SUMS[SCORE[t]] += VOTES[at];
    else for (let k = 0; k < N_SCORES; ++k) SUMS[k] += VOTES[at + k];
//: else
    SUMS[0] += VOTES[at];
//: end
  }
//: end
}

// The run of a row of a table that the sums are in: the first whose bound is not below the state.
function place(row, starts, bounds) {
//: if staged
  const state = SUMS[READS[row]];
//: else
//: if many
  let top = SUMS[1] > SUMS[0] ? 1 : 0; // the first of the best
  let best = SUMS[top], second = SUMS[1 - top];
  for (let k = 2; k < N_SCORES; ++k) {
    if (SUMS[k] > best) {
      second = best;
      best = SUMS[k];
      top = k;
    } else if (SUMS[k] > second) {
      second = SUMS[k];
    }
  }
  row = row * N_SCORES + top;
  const state = best - second - 2147483648; // the bounds of margins are less 2^31
//: else
  const state = SUMS[0];
//: end
//: end
  let low = starts[row], high = starts[row + 1] - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (state > bounds[middle]) low = middle + 1;
    else high = middle;
  }
  return low;
}

// Where the table leads when j steps are over: to the next step to evaluate.
function look(j) {
//: if together
  if (j % EVERY) return j;
  return JUMPS[place(j / EVERY, STARTS, BOUNDS)];
//: else
  return JUMPS[place(j, STARTS, BOUNDS)];
//: end
}

// The next step to evaluate when j steps are over.
function next(j) {
  let to = look(j);
//: if staged
  while (to !== j && to < N_STEPS) { // a later step may read another column, and decides again
    j = to;
    to = look(j);
  }
//: end
  return to;
}

// Fills SUMS; returns one more than the last of the kept steps that was evaluated.
function run(row) {
  const x = load(row);
  let exit = 0;
//: if staged
  SUMS.fill(BIAS[0]);
//: else
  SUMS.set(BIAS);
//: end
  evaluated = 0;
  for (let j = next(0); j < N_STEPS; j = next(j + 1)) {
    evaluate(j, x);
    exit = j + 1;
    ++evaluated;
  }
  return exit;
}

// Where the final scores begin.
function final(exit) {
//: if staged
  return READS[Math.ceil(exit / EVERY)];
//: else
  return 0;
//: end
}

/** How many base classifiers the row x needs. */
export function evaluations(x) {
  run(x);
  return evaluated;
}

/** The raw scores f of the row x. */
export function scores(x) {
  const at = final(run(x));
  return Array.from(SUMS.subarray(at, at + N_SCORES), (sum) => sum * UNIT);
}
//: if classifies

//: if verdicts
// The verdict of a row of the table: a class, -1 for that by the scores, -2 for that of the end.
function verdict(row) {
  return VERDICTS[place(row, VERDICT_STARTS, VERDICT_BOUNDS)];
}

//: end
function winner(at) {
//: if many
  let top = 0;
  for (let k = 1; k < N_SCORES; ++k) if (SUMS[k] > SUMS[top]) top = k;
  return top;
//: else
  return SUMS[at] > 0 ? 1 : 0;
//: end
}

/** The number of the class of the row x, whose label is CLASSES[number]: where it quits may say it,
 * else the largest score does; a tie goes to the first class. */
export function predict(x) {
  const exit = run(x);
//: if verdicts
  let j = exit;
//: if staged
  for (let to = look(j); to < N_STEPS; to = look(j)) j = to;
//: end
  let code = verdict(Math.ceil(j / EVERY));
  if (code === -2) code = verdict(Math.ceil(N_STEPS / EVERY));
  if (code >= 0) return code;
//: end
  return winner(final(exit));
}
//: else

/** The mean that is expected for the row x; of a ranker what to sort by. */
export function predict(x) {
  const exit = run(x), g = GROUPS[exit];
//: if exp_link
  return exp(FACTORS[g] * (SUMS[final(exit)] * UNIT) + OFFSETS[g]);
//: else
  return FACTORS[g] * (SUMS[final(exit)] * UNIT) + OFFSETS[g];
//: end
}
//: end
