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
