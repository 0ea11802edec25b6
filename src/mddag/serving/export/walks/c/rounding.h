
/* A product as a double of its own, which no compiler fuses with a sum. */
static inline double model_rounded(volatile double product) { return product; }
