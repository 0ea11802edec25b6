//: if patches
/// What a row holds: N_FEATURES gray levels of a patch, row by row.
pub type Value = u8;

/// A patch: its integral image is made once; a feature, up to three rectangles with weights, is
/// computed when a split reads it:
///   value = sum of weight x pixels / (area x deviation), the deviation at least one gray level.
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
