
// The walk: from the row of the jump table for the scores so far to the next step that is
// evaluated, until the target is N_STEPS. Sums stay within 31 bits.

type Sums = [i32; N_SUMS];

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
