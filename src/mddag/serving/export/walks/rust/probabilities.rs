//: if probabilities

/// Calibrated probabilities of the row x. The largest is that of the class with the largest score,
/// however close the scores are.
pub fn probabilities(x: &[Value]) -> [f64; N_CLASSES] {
    let (sums, _, exit) = run(x);
    let (g, f) = (GROUPS[exit] as usize, &sums[last(exit)..]);
    let best = winner(f);
//: if many
    let (mut p, mut sum) = ([0.0; N_CLASSES], 0.0);
    for k in 0..N_SCORES {
        p[k] = exp(FACTORS[g] * (f64::from(f[k]) * UNIT - f64::from(f[best]) * UNIT));
        sum += p[k];
    }
    for share in p.iter_mut() {
        *share /= sum;
    }
//: else
    let odds = FACTORS[g] * (f64::from(f[0]) * UNIT) + OFFSETS[g];
    let small = exp(-odds.abs());
    let share = |likely: bool| if likely { 1.0 } else { small } / (1.0 + small);
    let mut p = [share(odds <= 0.0), share(odds >= 0.0)];
//: end
    let mut largest = 0;
    for k in 1..N_CLASSES {
        if p[k] > p[largest] {
            largest = k;
        }
    }
    if largest != best {
        let next = f64::from_bits(p[largest].to_bits() + 1); // the next above
        p[best] = if p[largest] < 1.0 { next } else { 1.0 };
    }
    p
}
//: end
//: if exp

/// exp(x) as x = k ln 2 / 128 + r: 2^(k/128) from a table, a polynomial for exp(r). Fused operations
/// are called by name, so the result has the same bits everywhere.
fn exp(x: f64) -> f64 {
    if !(x > -1024.0 && x < 1024.0) {
        return if x < 0.0 { 0.0 } else { x * f64::INFINITY };
    }
    if x.abs() < 5.551115123125783e-17 {
        return 1.0 + x; // 2^-54
    }
    let shift = 6755399441055744.0; // 1.5 x 2^52: a sum with it is rounded to a whole number
    let whole = f64::mul_add(184.6649652337873, x, shift) - shift;
    let k = whole as i64;
    let i = 2 * (k & 127) as usize;
    let r = whole.mul_add(-1.2864023111638344e-14, whole.mul_add(-0.005415212348111709, x));
    let square = r * r;
    let rest = square.mul_add(
        r.mul_add(0.16666666666665886, 0.49999999999996786),
        f64::from_bits(TWO_POWERS[i]) + r,
    );
    let rest = (square * square).mul_add(r.mul_add(0.008333335853059549, 0.0416666808410674), rest);
    let bits = TWO_POWERS[i + 1].wrapping_add((k as u64) << 45);
    if x > -512.0 && x < 512.0 {
        let scale = f64::from_bits(bits);
        return scale.mul_add(rest, scale);
    }
    if k > 0 {
        let scale = f64::from_bits(bits.wrapping_sub(1009 << 52)); // it may be too large for a f64
        return 5.486124068793689e303 * scale.mul_add(rest, scale);
    }
    let scale = f64::from_bits(bits.wrapping_add(1022 << 52)); // it may be too small
    let mut part = scale * rest;
    let mut y = scale + part;
    if y < 1.0 {
        part += scale - y; // round once, to as many bits as the result will have
        let high = 1.0 + y;
        part += 1.0 - high + y;
        y = high + part - 1.0;
    }
    2.2250738585072014e-308 * y
}
//: end
