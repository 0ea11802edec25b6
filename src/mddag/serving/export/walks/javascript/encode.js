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
