/* Runs every exported header on its rows: reads NAME.rows, writes NAME.out, doubles row by row.
 * With a number of rounds it also prints the nanoseconds that `predict` takes for a row. */
#define _POSIX_C_SOURCE 199309L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
@INCLUDES@

#define DRIVE(NAME, UPPER, PROBABILITIES)                                                          \
  static void NAME##_drive(const char *folder, int rounds) {                                       \
    char path[4096];                                                                               \
    FILE *in, *out;                                                                                \
    long size;                                                                                     \
    NAME##_value *rows, *x;                                                                        \
    double sum = 0;                                                                                \
    int i, n;                                                                                      \
    snprintf(path, sizeof path, "%s/" #NAME ".rows", folder);                                      \
    in = fopen(path, "rb");                                                                        \
    fseek(in, 0, SEEK_END);                                                                        \
    size = ftell(in);                                                                              \
    rewind(in);                                                                                    \
    rows = malloc((size_t)size + 1);                                                               \
    n = (int)(fread(rows, sizeof *rows * UPPER##_N_FEATURES, (size_t)size, in));                   \
    n = (int)(size / (long)(sizeof *rows * UPPER##_N_FEATURES));                                   \
    fclose(in);                                                                                    \
    snprintf(path, sizeof path, "%s/" #NAME ".out", folder);                                       \
    out = fopen(path, "wb");                                                                       \
    for (i = 0, x = rows; i < n; ++i, x += UPPER##_N_FEATURES) {                                   \
      double numbers[2 + 2 * UPPER##_N_SCORES + 2];                                                \
      int size = 2 + UPPER##_N_SCORES;                                                             \
      numbers[0] = NAME##_predict(x);                                                              \
      numbers[1] = NAME##_evaluations(x);                                                          \
      NAME##_scores(x, numbers + 2);                                                               \
      PROBABILITIES(NAME, UPPER)                                                                   \
      fwrite(numbers, sizeof *numbers, (size_t)size, out);                                         \
    }                                                                                              \
    fclose(out);                                                                                   \
    if (rounds > 0) {                                                                              \
      struct timespec from, to;                                                                    \
      int r;                                                                                       \
      for (r = -1; r < rounds; ++r) {                                                              \
        if (r <= 0) clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);                                \
        for (i = 0, x = rows; i < n; ++i, x += UPPER##_N_FEATURES) sum += NAME##_predict(x);       \
      }                                                                                            \
      clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);                                                \
      printf("%s %f %g\n", #NAME,                                                                  \
             ((double)(to.tv_sec - from.tv_sec) * 1e9 + (double)(to.tv_nsec - from.tv_nsec)) /     \
                 ((double)n * rounds), sum);                                                       \
    }                                                                                              \
    free(rows);                                                                                    \
  }
#define WITHOUT(NAME, UPPER)
#define WITH(NAME, UPPER)                       \
  NAME##_probabilities(x, numbers + size);      \
  size += UPPER##_N_CLASSES;

@DRIVES@

int main(int n_arguments, char **arguments) {
  const int rounds = n_arguments > 2 ? atoi(arguments[2]) : 0;
@CALLS@
  return 0;
}
