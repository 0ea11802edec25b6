// Runs every exported class on its rows: reads NAME.rows, writes NAME.out, doubles row by row.
// With a number of rounds it also prints the nanoseconds that `predict` takes for a row.
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;

public class Main {
  interface Predicted<X> {
    double of(X x);
  }

  interface Listed<X> {
    double[] of(X x);
  }

  static <X> void drive(
      String folder, String name, int rounds, X[] rows, Predicted<X> predict,
      Predicted<X> evaluations, Listed<X> scores, Listed<X> probabilities) throws Exception {
    var out = new java.io.ByteArrayOutputStream();
    for (X x : rows) {
      double[] f = scores.of(x), p = probabilities == null ? new double[0] : probabilities.of(x);
      var numbers = ByteBuffer.allocate(8 * (2 + f.length + p.length)).order(ByteOrder.LITTLE_ENDIAN);
      numbers.putDouble(predict.of(x)).putDouble(evaluations.of(x));
      for (double v : f) numbers.putDouble(v);
      for (double v : p) numbers.putDouble(v);
      out.writeBytes(numbers.array());
    }
    Files.write(Path.of(folder, name + ".out"), out.toByteArray());
    if (rounds == 0) return;
    double sum = 0;
    long from = 0;
    var clock = java.lang.management.ManagementFactory.getThreadMXBean();
    for (int r = -rounds; r < rounds; ++r) { // the first half lets the machine compile
      if (r == 0) from = clock.getCurrentThreadCpuTime();
      for (X x : rows) sum += predict.of(x);
    }
    long time = clock.getCurrentThreadCpuTime() - from;
    System.out.println(name + " " + (double) time / rows.length / rounds + " " + sum);
  }

  static ByteBuffer content(String folder, String name) throws Exception {
    byte[] bytes = Files.readAllBytes(Path.of(folder, name + ".rows"));
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  static float[][] floats(String folder, String name, int n) throws Exception {
    var content = content(folder, name).asFloatBuffer();
    var rows = new float[content.remaining() / n][n];
    for (var row : rows) content.get(row);
    return rows;
  }

  static byte[][] bytes(String folder, String name, int n) throws Exception {
    var content = content(folder, name);
    var rows = new byte[content.remaining() / n][n];
    for (var row : rows) content.get(row);
    return rows;
  }

  public static void main(String[] arguments) throws Exception {
    String folder = arguments[0];
    int rounds = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 0;
@CALLS@
  }
}
