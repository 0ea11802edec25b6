//: if patches
// A patch: HEIGHT x WIDTH gray levels, row by row. Its integral image is made once; a feature, up to
// three rectangles with weights, is computed when a split reads it:
//   value = sum of weight x pixels / (area x deviation), the deviation at least one gray level.
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
