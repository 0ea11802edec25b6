//: if named

  private static final java.util.Map<Integer, java.util.Map<Object, Float>> CODES = codes();

  private static java.util.Map<Integer, java.util.Map<Object, Float>> codes() {
    var codes = new java.util.HashMap<Integer, java.util.Map<Object, Float>>();
    CATEGORIES.forEach((i, values) -> {
      var own = new java.util.HashMap<Object, Float>();
      for (int code = 0; code < values.length; ++code) own.put(values[code], (float) code);
      codes.put(i, own);
    });
    return codes;
  }

  /** The row of a map by feature name: numbers, bools, the values of categories, null for missing. */
  public static float[] encode(java.util.Map<String, ?> named) {
    float[] row = new float[N_FEATURES];
    for (int i = 0; i < N_FEATURES; ++i) {
      String name = FEATURE_NAMES[i];
      if (!named.containsKey(name))
        throw new IllegalArgumentException("the row has no " + name);
      Object value = named.get(name);
      if (value instanceof Boolean) value = (Boolean) value ? 1.0 : 0.0;
      if (value instanceof Number) value = ((Number) value).doubleValue() + 0.0; // no -0.0
      boolean isMissing = value == null || value instanceof Double && ((Double) value).isNaN();
      row[i] = isMissing ? Float.NaN : encoded(name, CODES.get(i), value);
//: if not missing
      if (Float.isNaN(row[i]))
        throw new IllegalArgumentException(name + " is missing, which the model does not know");
//: end
    }
    if (named.size() > N_FEATURES) {
      var known = java.util.Set.of(FEATURE_NAMES);
      for (String name : named.keySet())
        if (!known.contains(name))
          throw new IllegalArgumentException(name + " is no feature of the model");
    }
    return row;
  }

  // The number that trees read in the place of a value.
  private static float encoded(String name, java.util.Map<Object, Float> codes, Object value) {
    if (codes == null && value instanceof Double) return (float) (double) (Double) value;
    if (codes != null && codes.containsKey(value)) return codes.get(value);
    if (codes != null && codes.isEmpty()) return Float.NaN;
    boolean alike = codes != null
        && codes.keySet().stream().anyMatch(other -> other.getClass() == value.getClass());
//: if refuses
    if (alike) throw new IllegalArgumentException(name + " is " + value + ", not there in training");
//: else
    if (alike) return Float.NaN;
//: end
    throw new IllegalArgumentException(name + " is " + value + ", wanted "
        + (codes == null ? "a number" : "a value such as " + codes.keySet().iterator().next()));
  }
//: end
