
// The walk: from the row of the jump table for the scores so far to the next step that is
// evaluated, until the target is N_STEPS. Sums stay within 31 bits.

type Sums = [i32; N_SUMS];

//: if patches
/// What a row holds: N_FEATURES grey levels of a patch, row by row.
pub type Value = u8;

/// A patch: its integral image is made once; a feature, up to three rectangles with weights, is
/// computed when a split reads it:
///   value = sum of weight x pixels / (area x deviation), the deviation at least one grey level.
struct Row {
    cells: [u32; (HEIGHT + 1) * (WIDTH + 1)], // sums of all pixels above and left
    scale: f32,
}

fn load(x: &[Value]) -> Row {
    assert!(x.len() == N_FEATURES, "got {} pixels, wanted {}", x.len(), N_FEATURES);
    let mut row = Row { cells: [0; (HEIGHT + 1) * (WIDTH + 1)], scale: 0.0 };
    let (mut sum, mut squares) = (0u64, 0u64);
    for y in 0..HEIGHT {
        let mut line = 0u32;
        for i in 0..WIDTH {
            let pixel = x[y * WIDTH + i] as u32;
            line += pixel;
            squares += (pixel * pixel) as u64;
            let cell = (y + 1) * (WIDTH + 1) + i + 1;
            row.cells[cell] = row.cells[cell - WIDTH - 1] + line;
        }
        sum += line as u64;
    }
    let area = N_FEATURES as u64;
    let spread = (area * squares - sum * sum).max(area * area);
    row.scale = (1.0 / (spread as f64).sqrt()) as f32;
    row
}

fn column(row: &Row, feature: usize) -> f32 {
    let mut sum = 0u32;
    for r in 3 * feature..3 * feature + 3 {
        let cell = |c: usize| row.cells[CORNERS[4 * r + c] as usize];
        let inside = cell(0).wrapping_sub(cell(1)).wrapping_sub(cell(2)).wrapping_add(cell(3));
        sum = sum.wrapping_add((WEIGHTS[r] as u32).wrapping_mul(inside));
    }
    sum as i32 as f32 * row.scale
}
//: else
/// What a row holds: N_FEATURES of them; NaN is missing.
pub type Value = f32;

type Row = [Value];

fn load(x: &[Value]) -> &Row {
    assert!(x.len() == N_FEATURES, "got {} values, wanted {}", x.len(), N_FEATURES);
    x
}

fn column(row: &Row, feature: usize) -> f32 {
    row[feature]
}
//: end

fn goes_left(node: &[i32], v: f32) -> bool {
    if v.is_nan() {
        return node[1] & 1 != 0;
    }
//: if nominal
    if node[1] & 2 != 0 {
        let set = &SETS[node[0] as usize..];
        if !(v > -1.0 && v < (32 * set[0]) as f32) {
            return false;
        }
        let category = v as usize; // towards zero
        return (set[1 + category / 32] >> (category % 32)) & 1 != 0;
    }
//: end
    v <= f32::from_bits(node[0] as u32)
}

/// Where the votes of the leaf begin that x reaches from a root.
fn leaf(mut at: i32, x: &Row) -> usize {
    while at >= 0 {
        let node = &NODES[4 * at as usize..][..4];
        at = if goes_left(node, column(x, (node[1] >> 2) as usize)) { node[2] } else { node[3] };
    }
    !at as usize
}

/// Step j adds its votes to the sums.
fn evaluate(j: usize, x: &Row, sums: &mut Sums) {
    let trees = ROUNDS[j] as usize..ROUNDS[j + 1] as usize;
//: if staged
    let vote: i32 = trees.map(|t| VOTES[leaf(ROOTS[t], x)]).sum();
    for w in WRITE_STARTS[j]..WRITE_STARTS[j + 1] {
        sums[WRITE_COLUMNS[w as usize] as usize] += vote;
    }
//: else
    for t in trees {
        let at = leaf(ROOTS[t], x);
//: if many
        if SCORE[t] >= 0 {
            sums[SCORE[t] as usize] += VOTES[at];
        } else {
            for (sum, vote) in sums.iter_mut().zip(&VOTES[at..]) {
                *sum += vote;
            }
        }
//: else
        sums[0] += VOTES[at];
//: end
    }
//: end
}

/// The run of a row of a table that the sums are in: the first whose bound is not below the state.
//: if many
fn place(mut row: usize, sums: &Sums, starts: &[i32], bounds: &[i32]) -> usize {
    let mut top = (sums[1] > sums[0]) as usize; // the first of the best
    let (mut best, mut second) = (sums[top], sums[1 - top]);
    for k in 2..N_SCORES {
        if sums[k] > best {
            second = best;
            best = sums[k];
            top = k;
        } else if sums[k] > second {
            second = sums[k];
        }
    }
    row = row * N_SCORES + top;
    let state = best.wrapping_sub(second) ^ i32::MIN; // the margin less 2^31, as bounds are
//: else
fn place(row: usize, sums: &Sums, starts: &[i32], bounds: &[i32]) -> usize {
//: if staged
    let state = sums[READS[row] as usize];
//: else
    let state = sums[0];
//: end
//: end
    let (mut low, mut high) = (starts[row] as usize, starts[row + 1] as usize - 1);
    while low < high {
        let middle = (low + high) / 2;
        if state > bounds[middle] {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

/// Where the table leads when j steps are over: to the next step to evaluate.
fn look(j: usize, sums: &Sums) -> usize {
//: if together
    if j % EVERY != 0 {
        return j;
    }
    JUMPS[place(j / EVERY, sums, STARTS, BOUNDS)] as usize
//: else
    JUMPS[place(j, sums, STARTS, BOUNDS)] as usize
//: end
}

/// The next step to evaluate when j steps are over.
//: if staged
fn next(mut j: usize, sums: &Sums) -> usize {
    let mut to = look(j, sums);
    while to != j && to < N_STEPS {
        j = to; // a later step may read another column, and decides again
        to = look(j, sums);
    }
    to
}
//: else
fn next(j: usize, sums: &Sums) -> usize {
    look(j, sums)
}
//: end

/// Sums, how many base classifiers were evaluated, and one more than the last of the kept steps
/// that was.
fn run(x: &[Value]) -> (Sums, usize, usize) {
    let row = load(x);
//: if staged
    let mut sums = [BIAS[0]; N_SUMS];
//: else
    let mut sums: Sums = [0; N_SUMS];
    sums.copy_from_slice(BIAS);
//: end
    let (mut evaluated, mut exit) = (0, 0);
    let mut j = next(0, &sums);
    while j < N_STEPS {
//: if patches
        evaluate(j, &row, &mut sums);
//: else
        evaluate(j, row, &mut sums);
//: end
        evaluated += 1;
        exit = j + 1;
        j = next(j + 1, &sums);
    }
    (sums, evaluated, exit)
}

/// Where the final scores begin.
//: if staged
fn last(exit: usize) -> usize {
    READS[(exit + EVERY - 1) / EVERY] as usize
}
//: else
fn last(_exit: usize) -> usize {
    0
}
//: end

/// How many base classifiers the row x needs.
pub fn evaluations(x: &[Value]) -> usize {
    run(x).1
}

/// The raw scores f of the row x.
pub fn scores(x: &[Value]) -> [f64; N_SCORES] {
    let (sums, _, exit) = run(x);
    let mut f = [0.0; N_SCORES];
    for (score, sum) in f.iter_mut().zip(&sums[last(exit)..]) {
        *score = f64::from(*sum) * UNIT;
    }
    f
}
//: if classifies

//: if verdicts
/// The verdict of a row of the table: a class, -1 for that by the scores, -2 for that of the end.
fn verdict(row: usize, sums: &Sums) -> i32 {
    VERDICTS[place(row, sums, VERDICT_STARTS, VERDICT_BOUNDS)]
}

//: end
fn winner(f: &[i32]) -> usize {
//: if many
    let mut top = 0;
    for k in 1..N_SCORES {
        if f[k] > f[top] {
            top = k;
        }
    }
    top
//: else
    (f[0] > 0) as usize
//: end
}

/// The number of the class of the row x, whose label is CLASSES[number]: where it quits may say it,
/// else the largest score does; a tie goes to the first class.
pub fn predict(x: &[Value]) -> usize {
    let (sums, _, exit) = run(x);
//: if verdicts
//: if staged
    let (mut j, mut to) = (exit, look(exit, &sums));
    while to < N_STEPS {
        j = to;
        to = look(j, &sums);
    }
//: else
    let j = exit;
//: end
    let mut code = verdict((j + EVERY - 1) / EVERY, &sums);
    if code == -2 {
        code = verdict((N_STEPS + EVERY - 1) / EVERY, &sums);
    }
    if code >= 0 {
        return code as usize;
    }
//: end
    winner(&sums[last(exit)..])
}
//: else

/// The mean that is expected for the row x; of a ranker what to sort by.
pub fn predict(x: &[Value]) -> f64 {
    let (sums, _, exit) = run(x);
    let g = GROUPS[exit] as usize;
    let mean = FACTORS[g] * (f64::from(sums[last(exit)]) * UNIT) + OFFSETS[g];
//: if exp_link
    exp(mean)
//: else
    mean
//: end
}
//: end
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
//: if named

/// The row of a map by feature name.
pub fn encode(named: &HashMap<&str, Category>) -> Result<[Value; N_FEATURES], String> {
    let mut row = [0.0; N_FEATURES];
    for (i, name) in FEATURE_NAMES.iter().enumerate() {
        let value = named.get(name).ok_or_else(|| format!("the row has no {name:?}"))?;
        row[i] = encoded(i, value).map_err(|fault| format!("{name:?} is {value:?}, {fault}"))?;
//: if not missing
        if row[i].is_nan() {
            return Err(format!("{name:?} is missing, which the model does not know"));
        }
//: end
    }
    if named.len() > N_FEATURES {
        let other = named.keys().find(|name| !FEATURE_NAMES.contains(name));
        return Err(format!("{:?} is no feature of the model", other.unwrap()));
    }
    Ok(row)
}

/// The number that trees read in the place of a value.
fn encoded(i: usize, value: &Category) -> Result<Value, String> {
    let values = CATEGORIES.iter().find(|(column, _)| *column == i).map(|(_, values)| values);
    match (value, values) {
        (Category::Missing, _) => Ok(Value::NAN),
        (Category::Number(number), _) if number.is_nan() => Ok(Value::NAN),
        (Category::Number(number), None) => Ok(*number as Value),
        (Category::Text(_), None) => Err("wanted a number".to_string()),
        (_, Some(values)) => match values.iter().rposition(|other| other == value) {
            Some(code) => Ok(code as Value),
            None if values.is_empty() => Ok(Value::NAN),
            None if values.iter().any(|v| std::mem::discriminant(v) == std::mem::discriminant(value)) => {
//: if refuses
                Err("not there in training".to_string())
//: else
                Ok(Value::NAN)
//: end
            }
            None => Err(format!("wanted a value such as {:?}", values[0])),
        },
    }
}
//: end
