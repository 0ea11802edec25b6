  // Tables are text in base 64: numbers in little-endian order of `width` bytes, with a sign.

  private static java.nio.ByteBuffer bytes(String... parts) {
    var all = new java.io.ByteArrayOutputStream();
    for (String part : parts) all.writeBytes(java.util.Base64.getDecoder().decode(part));
    return java.nio.ByteBuffer.wrap(all.toByteArray()).order(java.nio.ByteOrder.LITTLE_ENDIAN);
  }

  private static int[] ints(int width, String... parts) {
    var bytes = bytes(parts);
    int[] numbers = new int[bytes.remaining() / width];
    for (int i = 0; i < numbers.length; ++i)
      numbers[i] = width == 1 ? bytes.get() : width == 2 ? bytes.getShort() : bytes.getInt();
    return numbers;
  }

  private static long[] longs(String... parts) {
    var bytes = bytes(parts);
    long[] numbers = new long[bytes.remaining() / 8];
    bytes.asLongBuffer().get(numbers);
    return numbers;
  }

  private static double[] doubles(String... parts) {
    var bytes = bytes(parts);
    double[] numbers = new double[bytes.remaining() / 8];
    bytes.asDoubleBuffer().get(numbers);
    return numbers;
  }

  // Texts one after the other, in UTF-16, and how long each is.
  private static String[] strings(int[] lengths, String... parts) {
    var text = bytes(parts).asCharBuffer().toString();
    String[] each = new String[lengths.length];
    for (int i = 0, at = 0; i < each.length; at += lengths[i++])
      each[i] = text.substring(at, at + lengths[i]);
    return each;
  }

  // By column its values in the order of their codes; numbers are marked, and Doubles.
  private static java.util.Map<Integer, Object[]> categories(
      int[] columns, int[] sizes, int[] numbers, String[] texts) {
    var all = new java.util.TreeMap<Integer, Object[]>();
    for (int i = 0, at = 0; i < columns.length; ++i) {
      Object[] values = new Object[sizes[i]];
      for (int code = 0; code < values.length; ++code, ++at)
        values[code] = numbers[at] == 0 ? texts[at] : (Object) Double.valueOf(texts[at]);
      all.put(columns[i], values);
    }
    return all;
  }
