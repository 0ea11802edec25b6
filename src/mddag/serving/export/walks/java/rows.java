//: if patches
  // A patch: HEIGHT x WIDTH gray levels, row by row. Its integral image is made once; a feature, up
  // to three rectangles with weights, is computed when a split reads it:
  //   value = sum of weight x pixels / (area x deviation), the deviation at least one gray level.
  private static final class Row {
    final int[] cells = new int[(HEIGHT + 1) * (WIDTH + 1)]; // sums of all pixels above and left
    float scale;
  }

  private static Row load(byte[] x) {
    if (x.length != N_FEATURES)
      throw new IllegalArgumentException("got " + x.length + " pixels, wanted " + N_FEATURES);
    Row row = new Row();
    long sum = 0, squares = 0, area = N_FEATURES;
    int at = 0, cell = WIDTH + 2;
    for (int y = 0; y < HEIGHT; ++y, ++cell) {
      int line = 0;
      for (int end = at + WIDTH; at < end; ++at, ++cell) {
        int pixel = x[at] & 255;
        line += pixel;
        squares += pixel * pixel;
        row.cells[cell] = row.cells[cell - WIDTH - 1] + line;
      }
      sum += line;
    }
    long spread = Math.max(area * squares - sum * sum, area * area);
    row.scale = (float) (1 / Math.sqrt((double) spread));
    return row;
  }

  private static float column(Row row, int feature) {
    int sum = 0;
    int[] cells = row.cells;
    for (int r = 3 * feature; r < 3 * feature + 3; ++r) {
      int c = 4 * r;
      sum += WEIGHTS[r] * (cells[CORNERS[c]] - cells[CORNERS[c + 1]] - cells[CORNERS[c + 2]]
          + cells[CORNERS[c + 3]]);
    }
    return (float) sum * row.scale;
  }
//: else
  private static float[] load(float[] x) {
    if (x.length != N_FEATURES)
      throw new IllegalArgumentException("got " + x.length + " values, wanted " + N_FEATURES);
    return x;
  }

  private static float column(float[] x, int feature) {
    return x[feature];
  }
//: end
