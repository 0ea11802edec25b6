// Runs every exported module on its rows: reads NAME.rows, writes NAME.out, doubles row by row.
// With a number of rounds it also prints the nanoseconds that `predict` takes for a row. Modules of
// WebAssembly get the functions of the others.
import fs from "node:fs";

const [folder, names, end, rounds] = process.argv.slice(2);

function wrapped(file, Values) {
  const module = new WebAssembly.Module(fs.readFileSync(file));
  const [section] = WebAssembly.Module.customSections(module, "mddag");
  const about = JSON.parse(new TextDecoder().decode(section));
  const model = new WebAssembly.Instance(module).exports;
  const doubles = (at, n) => Array.from(new Float64Array(model.memory.buffer, at, n));
  const row = new Values(model.memory.buffer, model.row(), model.n_features());
  const given = (x) => row.set(x);
  const read = {
    N_FEATURES: model.n_features(),
    predict: (x) => (given(x), model.predict()),
    evaluations: (x) => (given(x), model.evaluations()),
    scores: (x) => (given(x), doubles(model.scores(), about.n_scores)),
  };
  if (model.probabilities) {
    const n = Math.max(about.n_scores, 2);
    read.probabilities = (x) => (given(x), doubles(model.probabilities(), n));
  }
  return read;
}

for (const entry of names.split(",")) {
  const [name, kind] = entry.split(":");
  const file = `${folder}/${name}.${end}`;
  const Values = kind === "bytes" ? Uint8Array : Float32Array;
  const model = end === "wasm" ? wrapped(file, Values) : await import(file);
  const all = new Values(new Uint8Array(fs.readFileSync(`${folder}/${name}.rows`)).buffer);
  const rows = [];
  for (let i = 0; i + model.N_FEATURES <= all.length; i += model.N_FEATURES) {
    rows.push(all.subarray(i, i + model.N_FEATURES));
  }
  const numbers = rows.flatMap((x) => [
    model.predict(x), model.evaluations(x), ...model.scores(x),
    ...(model.probabilities ? model.probabilities(x) : []),
  ]);
  fs.writeFileSync(`${folder}/${name}.out`, new Uint8Array(Float64Array.from(numbers).buffer));
  if (rounds > 0) {
    let sum = 0, from = 0;
    for (let r = -rounds; r < rounds; ++r) { // the first half lets the machine compile
      if (r === 0) from = process.cpuUsage();
      for (const x of rows) sum += model.predict(x);
    }
    const time = process.cpuUsage(from).user * 1e3 / rows.length / rounds;
    console.log(name, time, sum);
  }
}
