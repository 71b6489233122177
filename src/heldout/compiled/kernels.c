/* The loops that take most of the time of large data, each with the same bits as the NumPy code beside its caller.

   Plain C99 with 128-bit integers, without Python's headers: it is loaded with ctypes, which lets other threads run.
   Sums of counts are whole numbers and exact; every other operation is done in NumPy's order, and none is fused. */

#include <stdint.h>
#include <string.h>

/* The checksum of this file, which the compiler is told: a library of another one is not used. */
int64_t checksum(void) { return CHECKSUM; }

/* Keys in the order of the scores as far as their high bits tell, with label and row in the low bits. */
int64_t pack_rows(const double *score, const uint8_t *positive, int64_t rows, int64_t row_bits, uint64_t *keys) {
    for (int64_t i = 0; i < rows; i++) {
        double here = score[i] + 0;
        uint64_t bits;
        memcpy(&bits, &here, sizeof bits);
        bits ^= (uint64_t)((int64_t)bits >> 63) | (uint64_t)1 << 63; /* negative numbers fall as their bits rise */
        bits = bits >> (row_bits + 1) << 1 | positive[i];
        keys[i] = bits << row_bits | (uint64_t)i;
    }
    return 0;
}

#define ROW(key) ((key) & (((uint64_t)1 << row_bits) - 1))
#define HIT(key) ((int64_t)((key) >> row_bits & 1))
#define HIGH(key) ((key) >> (row_bits + 1))

/* Where the scores equal to that of one key end. */
static int64_t end_of_ties(const uint64_t *keys, const double *score, int64_t rows, int64_t row_bits, int64_t first) {
    int64_t last = first + 1;
    while (last < rows && HIGH(keys[last]) == HIGH(keys[first]) && score[ROW(keys[last])] == score[ROW(keys[first])])
        last++;
    return last;
}

/* How far each row moves the area under the ROC curve, from sorted keys; -1 if too many neighbouring scores differ in
   the bits alone that the keys left out. */
int64_t placements(uint64_t *keys, const double *score, int64_t rows, int64_t row_bits, double *moved) {
    for (int64_t i = 1; i < rows; i++) /* few neighbours share their high bits: they are put in order one by one */
        if (HIGH(keys[i]) == HIGH(keys[i - 1]) && score[ROW(keys[i])] < score[ROW(keys[i - 1])]) {
            uint64_t key = keys[i];
            int64_t to = i;
            for (; to > 0 && HIGH(keys[to - 1]) == HIGH(key) && score[ROW(keys[to - 1])] > score[ROW(key)]; to--) {
                if (i - to > 64) return -1;
                keys[to] = keys[to - 1];
            }
            keys[to] = key;
        }
    int64_t positives = 0, negatives = 0, twice = 0;
    for (int64_t first = 0, last; first < rows; first = last) {
        int64_t some = 0;
        last = end_of_ties(keys, score, rows, row_bits, first);
        for (int64_t i = first; i < last; i++) some += HIT(keys[i]);
        int64_t others = last - first - some;
        twice += some * (2 * negatives + others);
        positives += some;
        negatives += others;
    }
    double m = (double)positives, k = (double)negatives;
    double area = (double)twice * 0.5 / (m * k), off = area / m, rest = (1 - area) / k;
    positives = negatives = 0;
    for (int64_t first = 0, last; first < rows; first = last) {
        int64_t some = 0;
        last = end_of_ties(keys, score, rows, row_bits, first);
        for (int64_t i = first; i < last; i++) some += HIT(keys[i]);
        int64_t others = last - first - some;
        double beaten = ((double)negatives + (double)others * 0.5) / (m * k) - off;
        double beating = ((double)positives + (double)some * 0.5) / (-m * k) + rest;
        for (int64_t i = first; i < last; i++) moved[ROW(keys[i])] = HIT(keys[i]) ? beaten : beating;
        positives += some;
        negatives += others;
    }
    return 0;
}

/* Twice the pairs of a positive and a negative in the right order, ties half, for each line of counts by rising score. */
int64_t ordered_pairs(const int32_t *positives, const int32_t *negatives, int64_t lines, int64_t columns,
                      double *twice) {
    for (int64_t line = 0; line < lines; line++) {
        int64_t below = 0, pairs = 0;
        for (int64_t i = line * columns; i < (line + 1) * columns; i++) {
            pairs += positives[i] * (2 * below + negatives[i]);
            below += negatives[i];
        }
        twice[line] = (double)pairs;
    }
    return 0;
}

/* How often each column is drawn, in lines of as many draws as there are units: the numbers of NumPy's generator PCG64
   [oneill14] and, from their halves, the low one first, numbers below a bound by Lemire's method [lemire19]. */
int64_t draw_counts(const uint64_t *generator, const int32_t *owner, int64_t units, int64_t columns, int64_t lines,
                    int32_t *counts) {
    typedef unsigned __int128 wide;
    const wide multiplier = (wide)0x2360ED051FC65DA4u << 64 | 0x4385DF649FCCF645u;
    wide state = (wide)generator[0] << 64 | generator[1], step = (wide)generator[2] << 64 | generator[3];
    const uint32_t bound = (uint32_t)units, least = -bound % bound; /* products that would make small numbers likelier */
    int64_t left = units;
    memset(counts, 0, (size_t)(lines * columns) * sizeof *counts);
    while (lines) {
        state = state * multiplier + step;
        uint64_t mixed = (uint64_t)(state >> 64) ^ (uint64_t)state;
        unsigned turned = (unsigned)(state >> 122);
        uint64_t word = mixed >> turned | mixed << (-turned & 63);
        for (int half = 0; half < 2 && lines; half++, word >>= 32) {
            uint64_t product = (word & 0xFFFFFFFFu) * bound;
            if ((uint32_t)product < least) continue;
            uint32_t drawn = (uint32_t)(product >> 32);
            counts[owner ? owner[drawn] : (int32_t)drawn]++;
            if (--left == 0) {
                left = units;
                counts += columns;
                lines--;
            }
        }
    }
    return 0;
}

#define WIDTH 64 /* resamples at a time: what is kept of each detection stays in the cache */

/* Average precision in every resample of images, and how many objects the last detection has found: the detections that
   are right at some threshold, the best first, and the ones between them that make more or fewer wrong. `last` is the
   number of steps of the grid of recalls, 0 without a grid; `high` marks those a hair above their share. */
int64_t average_precision(const float *draws, int64_t resamples, const int64_t *image, const int64_t *line,
                          int64_t lines, const float *listed, const int64_t *place, const int64_t *moved_image,
                          const float *sign, int64_t moves, const float *objects, const uint8_t *high, int64_t last,
                          int64_t best, double rounding, float *kept, float *found, float *precision) {
    const float near = (float)rounding, exact = (float)(2 * rounding), steps = (float)last;
    for (int64_t from = 0; from < resamples; from += WIDTH) {
        const int64_t width = resamples - from < WIDTH ? resamples - from : WIDTH;
        float hits[WIDTH] = {0}, moved[WIDTH] = {0}, before[WIDTH] = {0}, sum[WIDTH] = {0};
        float *restrict precise = kept, *restrict step = kept + lines * WIDTH;
        const float *restrict count = objects + from;
        int64_t move = 0;
        for (int64_t i = 0; i < lines; i++, precise += WIDTH, step += WIDTH) {
            float added[WIDTH] = {0}, rest[WIDTH];
            for (; move < moves && place[move] == i; move++)
                for (int64_t j = 0; j < width; j++)
                    added[j] += draws[moved_image[move] * resamples + from + j] * sign[move];
            const float *restrict drawn = draws + image[i] * resamples + from;
            const float *restrict said = listed + line[i] * resamples + from;
            int some = 0;
            for (int64_t j = 0; j < width; j++) {
                moved[j] += added[j];
                hits[j] += drawn[j];
            }
            for (int64_t j = 0; j < width; j++) {
                float all = said[j] + moved[j];
                all = all > 1 ? all : 1;
                precise[j] = hits[j] / all;
            }
            for (int64_t j = 0; j < width; j++) step[j] = hits[j] / count[j];
            if (last) {
                for (int64_t j = 0; j < width; j++) {
                    float reached = step[j] * steps + near;
                    step[j] = (float)(int32_t)reached;
                    rest[j] = reached - step[j];
                    step[j] += 1;
                    some |= rest[j] < exact;
                }
                for (int64_t j = 0; some && j < width; j++) {
                    int32_t at = (int32_t)step[j] - 1 < last ? (int32_t)step[j] - 1 : (int32_t)last;
                    step[j] -= (float)(high[at] & (rest[j] < exact));
                }
            }
            for (int64_t j = 0; j < width; j++) {
                float passed = step[j];
                step[j] = passed - before[j];
                before[j] = passed;
            }
        }
        memcpy(found + from, hits, (size_t)width * sizeof *hits);
        precise = kept;
        step = kept + lines * WIDTH;
        for (int64_t i = best ? lines - 2 : -1; i >= 0; i--)
            for (int64_t j = i * WIDTH; j < i * WIDTH + width; j++)
                precise[j] = precise[j] < precise[j + WIDTH] ? precise[j + WIDTH] : precise[j];
        for (int64_t i = 1; i < lines; i++)
            for (int64_t j = 0; j < width; j++) sum[j] += precise[i * WIDTH + j] * step[i * WIDTH + j];
        for (int64_t j = 0; j < width; j++)
            precision[from + j] = (precise[j] * step[j] + sum[j]) / (last ? steps + 1 : 1);
    }
    return 0;
}
