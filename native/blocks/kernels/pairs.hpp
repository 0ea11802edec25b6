// Small trees two by two, for machines that choose from 64 bytes by one instruction (AVX-512 VBMI).
//
// The exits of two trees make one code of six bits, which chooses the votes of both from a table of
// 64, byte by byte (PairVotes). Bytes are summed in 16 bits, which hold those of kMostPairs pairs:
// even and odd rows apart, `all` being 256 * odd + even modulo 2^16.
#pragma once

#include <cstddef>
#include <cstdint>

#include "blocks/kernels/kernels.hpp"
#include "blocks/kernels/trees.hpp"
#include "levels/simd.hpp"

namespace mddag::blocks::MDDAG_LEVEL {

using namespace simd::MDDAG_LEVEL;

#if MDDAG_BYTES != 64

constexpr bool kHasPairs = false;
inline void pairs_of_trees(const SmallTrees&, std::size_t, std::size_t, const Lanes&) {}

#else

constexpr bool kHasPairs = true;
constexpr std::size_t kMostPairs = 256, kPlanes = PairVotes::kPlanes;
static_assert(kScratch >= 2 * kPlanes, "two sums of 16 bits for each plane and two rows");

// The sums of 64 rows, in registers.
struct Planes {
  U16 all[kPlanes], odd[kPlanes];

  MDDAG_INLINE void clear() {
    for (std::size_t p = 0; p < kPlanes; ++p) all[p] = odd[p] = U16{};
  }
  MDDAG_INLINE void load_from(const std::uint8_t* scratch) {
    for (std::size_t p = 0; p < kPlanes; ++p) {
      all[p] = load<U16>(scratch + 2 * kBytes * p);
      odd[p] = load<U16>(scratch + 2 * kBytes * p + kBytes);
    }
  }
  MDDAG_INLINE void store_to(std::uint8_t* scratch) const {
    for (std::size_t p = 0; p < kPlanes; ++p) {
      store(scratch + 2 * kBytes * p, all[p]);
      store(scratch + 2 * kBytes * p + kBytes, odd[p]);
    }
  }
  MDDAG_INLINE void add(std::size_t plane, U8 bytes) {
    all[plane] += (U16)bytes;
    odd[plane] += (U16)bytes >> 8;
  }
};

// Numbers of 32 bits from the sums of their three bytes: of rows 0 .. 7 and of rows 8 .. 15 of
// every sixteen, if even and odd rows are counted together.
struct Numbers {
  I32 low, high;

  MDDAG_INLINE Numbers(U16 a, U16 b, U16 c)
      : low((I32)zip_low(a, c) + ((I32)zip_low(b, U16{}) << 8)),
        high((I32)zip_high(a, c) + ((I32)zip_high(b, U16{}) << 8)) {}
};

template <int pick>
MDDAG_INLINE __m512i quarters(__m512i a, __m512i b) {
  return _mm512_shuffle_i32x4(a, b, pick);
}

// sums += base + what was summed, for 64 rows.
MDDAG_INLINE void flush(const Planes& planes, std::int32_t base, std::int32_t* sums) {
  U16 even[kPlanes];
  for (std::size_t p = 0; p < kPlanes; ++p) even[p] = planes.all[p] - (planes.odd[p] << 8);
  const Numbers e(even[0], even[1], even[2]), o(planes.odd[0], planes.odd[1], planes.odd[2]);
  // Quarter q of the k-th has rows 16 q + 4 k and three more; then the k-th of quarter q.
  const __m512i a = (__m512i)zip_low(e.low, o.low), b = (__m512i)zip_high(e.low, o.low);
  const __m512i c = (__m512i)zip_low(e.high, o.high), d = (__m512i)zip_high(e.high, o.high);
  const __m512i ab = quarters<0x44>(a, b), AB = quarters<0xEE>(a, b);
  const __m512i cd = quarters<0x44>(c, d), CD = quarters<0xEE>(c, d);
  const __m512i rows[4] = {quarters<0x88>(ab, cd), quarters<0xDD>(ab, cd), quarters<0x88>(AB, CD),
                           quarters<0xDD>(AB, CD)};
  for (std::size_t q = 0; q < 4; ++q)
    store(sums + q * kWords, load<I32>(sums + q * kWords) + (I32)rows[q] + base);
}

// Where sums wait between passes, and whether a pass is the first or the last of a score's.
struct Pass {
  std::int32_t* sums;
  std::int32_t base;
  bool is_first, is_last;
};

MDDAG_INLINE void add_votes(const PairVotes& votes, U8 first, U8 second, Planes& sums) {
  const __m512i both = (__m512i)(first | (U8)((U16)second << 3));
  for (std::size_t p = 0; p < kPlanes; ++p)
    sums.add(p, (U8)_mm512_permutexvar_epi8(both, _mm512_load_si512(votes.plane[p])));
}

// One pair of trees.
inline void add_pair(const SmallTree* trees, const PairVotes& votes, const Lanes& lanes,
                     const Pass& pass) {
  const AnyExits first(trees[0].splits, lanes), second(trees[1].splits, lanes);
  const std::size_t n = lanes.n;
  std::uint8_t* scratch = lanes.scratch;
  for (std::size_t i = 0; i < n; i += kBytes, scratch += 2 * kPlanes * kBytes) {
    Planes sums;
    if (pass.is_first)
      sums.clear();
    else
      sums.load_from(scratch);
    add_votes(votes, first(i), second(i), sums);
    if (pass.is_last)
      flush(sums, pass.base, pass.sums + i);
    else
      sums.store_to(scratch);
  }
}

// The trees first .. end, which are pairs for the same score.
inline void run_pairs(const SmallTrees& trees, std::size_t first, std::size_t end,
                      const Lanes& lanes) {
  Pass pass{lanes.sums + trees.trees[first].score * lanes.sums_stride, 0, true, false};
  for (std::size_t t = first; t < end; t += 2) {
    pass.base += trees.pairs[t / 2].least;
    pass.is_last = t + 2 == end;
    add_pair(trees.trees + t, trees.pairs[t / 2], lanes, pass);
    pass.is_first = false;
  }
}

inline void pairs_of_trees(const SmallTrees& trees, std::size_t first, std::size_t n,
                           const Lanes& lanes) {
  const std::size_t end = first + n;
  const auto is_pair = [&](std::size_t t) {
    return t % 2 == 0 && t + 1 < end && trees.pairs[t / 2].fits;
  };
  for (std::size_t t = first; t < end;) {
    std::size_t stop = t;
    while (stop - t < 2 * kMostPairs && is_pair(stop) &&
           trees.trees[stop].score == trees.trees[t].score)
      stop += 2;
    if (stop > t)
      run_pairs(trees, t, stop, lanes);
    else
      small_tree(trees.trees[stop++], lanes);
    t = stop;
  }
}

#endif

}  // namespace mddag::blocks::MDDAG_LEVEL
