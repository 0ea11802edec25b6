
// The walk: from the row of the jump table for the scores so far to the next step that is
// evaluated, until the target is N_STEPS. Sums stay within 31 bits, so numbers hold them exactly.

const THRESHOLDS = new Float32Array(NODES.buffer);
const SUMS = new Int32Array(N_SUMS); // of the row at hand
let evaluated = 0; // base classifiers of that row

//: if patches
// A patch: HEIGHT x WIDTH grey levels, row by row. Its integral image is made once; a feature, up to
// three rectangles with weights, is computed when a split reads it:
//   value = sum of weight x pixels / (area x deviation), the deviation at least one grey level.
const CELLS = new Int32Array((HEIGHT + 1) * (WIDTH + 1)); // sums of all pixels above and left
let scale = 0;

function load(x) {
  if (x.length !== N_FEATURES) throw new RangeError(`got ${x.length} pixels, wanted ${N_FEATURES}`);
  let sum = 0, squares = 0;
  for (let y = 0, cell = WIDTH + 2, at = 0; y < HEIGHT; ++y, ++cell) {
    let line = 0;
    for (let end = at + WIDTH; at < end; ++at, ++cell) {
      line += x[at];
      squares += x[at] * x[at];
      CELLS[cell] = CELLS[cell - WIDTH - 1] + line;
    }
    sum += line;
  }
  const spread = N_FEATURES * squares - sum * sum; // below 2^53
  scale = Math.fround(1 / Math.sqrt(Math.max(spread, N_FEATURES * N_FEATURES)));
  return x;
}

function column(x, feature) {
  let sum = 0;
  for (let r = 3 * feature; r < 3 * feature + 3; ++r) {
    const c = 4 * r;
    const inside = CELLS[CORNERS[c]] - CELLS[CORNERS[c + 1]] - CELLS[CORNERS[c + 2]] +
      CELLS[CORNERS[c + 3]];
    sum = (sum + Math.imul(WEIGHTS[r], inside)) | 0;
  }
  return Math.fround(Math.fround(sum) * scale);
}
//: else
// A row: N_FEATURES numbers; those of other arrays are rounded to float32.
function load(x) {
  if (x.length !== N_FEATURES) throw new RangeError(`got ${x.length} values, wanted ${N_FEATURES}`);
  return x instanceof Float32Array ? x : Float32Array.from(x);
}

function column(x, feature) {
  return x[feature];
}
//: end

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
//: if probabilities

/** Calibrated probabilities of the row x. The largest is that of the class with the largest score,
 * however close the scores are. */
export function probabilities(x) {
  const exit = run(x), g = GROUPS[exit], at = final(exit), best = winner(at);
  const p = new Array(N_CLASSES);
//: if many
  let sum = 0;
  for (let k = 0; k < N_SCORES; ++k) {
    p[k] = exp(FACTORS[g] * (SUMS[k] * UNIT - SUMS[best] * UNIT));
    sum += p[k];
  }
  for (let k = 0; k < N_SCORES; ++k) p[k] /= sum;
//: else
  const odds = FACTORS[g] * (SUMS[at] * UNIT) + OFFSETS[g], small = exp(-Math.abs(odds));
  p[0] = (odds <= 0 ? 1 : small) / (1 + small);
  p[1] = (odds >= 0 ? 1 : small) / (1 + small);
//: end
  let largest = 0;
  for (let k = 1; k < N_CLASSES; ++k) if (p[k] > p[largest]) largest = k;
  if (largest !== best) p[best] = above(p[largest]);
  return p;
}
//: end
//: if exp

const VIEW = new DataView(new ArrayBuffer(8));

function ofBits(high, low) {
  VIEW.setUint32(0, high);
  VIEW.setUint32(4, low);
  return VIEW.getFloat64(0);
}

// a b + c, rounded once (Boldo and Melquiond 2008), for numbers that are neither huge nor tiny.
function fma(a, b, c) {
  let t = 134217729 * a;
  const a1 = t - (t - a), a2 = a - a1;
  t = 134217729 * b;
  const b1 = t - (t - b), b2 = b - b1;
  const product = a * b, rest = a1 * b1 - product + a1 * b2 + a2 * b1 + a2 * b2;
  const low = c + rest, lowBack = low - c;
  const lowRest = c - (low - lowBack) + (rest - lowBack);
  const high = product + low, highBack = high - product;
  const highRest = product - (high - highBack) + (low - highBack);
  const tail = lowRest + highRest, tailBack = tail - lowRest;
  const lost = lowRest - (tail - tailBack) + (highRest - tailBack);
  return high + (lost === 0 ? tail : odd(tail, lost));
}

// tail + lost, a sum that no double holds, rounded to the neighbour with an odd last bit.
function odd(tail, lost) {
  VIEW.setFloat64(0, tail);
  const high = VIEW.getUint32(0), low = VIEW.getUint32(4);
  if (low & 1) return tail;
  if (lost > 0 === tail > 0) return ofBits(high, low + 1);
  return low === 0 ? ofBits(high - 1, 4294967295) : ofBits(high, low - 1);
}

// exp(x) as x = k ln 2 / 128 + r: 2^(k/128) from a table, a polynomial for exp(r).
function exp(x) {
  if (!(x > -1024 && x < 1024)) return x !== x ? x : x > 0 ? Infinity : 0;
  if (Math.abs(x) < 5.551115123125783e-17) return 1 + x; // 2^-54
  const shift = 6755399441055744; // 1.5 x 2^52: a sum with it is rounded to a whole number
  const k = fma(184.6649652337873, x, shift) - shift;
  const r = fma(k, -1.2864023111638344e-14, x + k * -0.005415212348111709);
  const square = r * r, i = 4 * (k & 127);
  let rest = fma(square, fma(r, 0.16666666666665886, 0.49999999999996786),
    ofBits(TWO_POWERS[i], TWO_POWERS[i + 1]) + r);
  rest = fma(square * square, fma(r, 0.008333335853059549, 0.0416666808410674), rest);
  const high = TWO_POWERS[i + 2] + (k << 13), low = TWO_POWERS[i + 3];
  if (x > -512 && x < 512) {
    const scale = ofBits(high, low);
    return fma(scale, rest, scale);
  }
  if (k > 0) { // 2^(k/128) may be too large for a double
    const scale = ofBits(high - 1058013184, low); // 2^-1009
    return 5.486124068793689e+303 * fma(scale, rest, scale);
  }
  const scale = ofBits(high + 1071644672, low); // 2^1022: it may be too small
  let part = scale * rest, y = scale + part;
  if (y < 1) { // round once, to as many bits as the result will have
    part = scale - y + part;
    const sum = 1 + y;
    part = 1 - sum + y + part;
    y = sum + part - 1;
  }
  return 2.2250738585072014e-308 * y;
}
//: end
//: if probabilities

// The next double above p, 0 < p <= 1; 1 is the largest.
function above(p) {
  VIEW.setFloat64(0, p);
  const high = VIEW.getUint32(0), low = VIEW.getUint32(4);
  return p < 1 ? ofBits(low === 4294967295 ? high + 1 : high, low + 1) : 1;
}
//: end
//: if named

const NAMES = new Set(FEATURE_NAMES);
const CODES = new Map(CATEGORIES.map(([i, values]) => [i, new Map(values.map((v, c) => [v, c]))]));

/** The row of an object by feature name: numbers, the values of categories, null for missing. */
export function encode(named) {
  const unknown = Object.keys(named).find((name) => !NAMES.has(name));
  if (unknown !== undefined) throw new TypeError(`${unknown} is no feature of the model`);
  return Float32Array.from(FEATURE_NAMES, (name, i) => {
    if (!Object.hasOwn(named, name)) throw new TypeError(`the row has no ${name}`);
    const value = typeof named[name] === "boolean" ? Number(named[name]) : named[name];
    const number = value === null || value !== value ? NaN : encoded(name, CODES.get(i), value);
//: if not missing
    if (number !== number) throw new TypeError(`${name} is missing, which the model does not know`);
//: end
    return number;
  });
}

// The number that trees read in the place of a value.
function encoded(name, codes, value) {
  const wanted = codes === undefined ? ["number"] : [...codes.keys()].map((other) => typeof other);
  if (wanted.length > 0 && !wanted.includes(typeof value)) {
    throw new TypeError(`${name} is a ${typeof value}, wanted a ${wanted[0]}`);
  }
  if (codes === undefined) return value;
//: if refuses
  if (!codes.has(value)) throw new TypeError(`${name} is ${value}, not there in training`);
//: end
  return codes.get(value) ?? NaN;
}
//: end
