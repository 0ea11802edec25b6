// Runs every exported module on its rows: reads NAME.rows, writes NAME.out, doubles row by row.
// With a number of rounds it also prints the nanoseconds that `predict` takes for a row.
use std::{env, fs, os::raw::c_long};

@MODULES@

extern "C" {
    fn clock() -> c_long;
}

/// Seconds of the processor; those of Linux are counted in millionths.
fn processor() -> f64 {
    unsafe { clock() as f64 * 1e-6 }
}

fn floats(folder: &str, name: &str, n: usize) -> Vec<Vec<f32>> {
    let data = fs::read(format!("{folder}/{name}.rows")).unwrap();
    let all: Vec<f32> =
        data.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
    all.chunks_exact(n).map(|row| row.to_vec()).collect()
}

fn levels(folder: &str, name: &str, n: usize) -> Vec<Vec<u8>> {
    let data = fs::read(format!("{folder}/{name}.rows")).unwrap();
    data.chunks_exact(n).map(|row| row.to_vec()).collect()
}

fn drive<X>(
    folder: &str, name: &str, rounds: usize, rows: Vec<Vec<X>>, predict: impl Fn(&[X]) -> f64,
    rest: impl Fn(&[X]) -> Vec<f64>,
) {
    let mut out = Vec::new();
    for x in &rows {
        out.extend(predict(x).to_le_bytes());
        rest(x).iter().for_each(|v| out.extend(v.to_le_bytes()));
    }
    fs::write(format!("{folder}/{name}.out"), out).unwrap();
    if rounds > 0 {
        let mut sum: f64 = rows.iter().map(|x| predict(x)).sum();
        let from = processor();
        for _ in 0..rounds {
            sum += rows.iter().map(|x| predict(x)).sum::<f64>();
        }
        let time = (processor() - from) * 1e9 / (rows.len() * rounds) as f64;
        println!("{name} {time} {sum}");
    }
}

fn main() {
    let arguments: Vec<String> = env::args().collect();
    let folder = arguments[1].as_str();
    let rounds = arguments.get(2).map_or(0, |text| text.parse().unwrap());
@CALLS@
}
