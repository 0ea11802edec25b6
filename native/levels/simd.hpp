// The shim: vectors of kBytes bytes as vector extensions of GCC and Clang, for the one level that a
// file is compiled for (MDDAG_LEVEL). Operators are the compiler's; here stands what they cannot
// say, for each machine: look-ups, words chosen from eight, narrowing, and four-way zips.
//
// Everything is in a namespace of the level's own and needs nothing of the standard library that is
// compiled: a function for one machine must never be the copy that the linker keeps for all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#if defined(__x86_64__) || defined(_M_X64)
#define MDDAG_X86
#include <immintrin.h>
#else
#include <arm_neon.h>
#endif

#if defined(__AVX2__)
#define MDDAG_BYTES 32
#else
#define MDDAG_BYTES 16
#endif

// For functions of a few instructions, to which calls would cost more than they do.
#define MDDAG_INLINE inline __attribute__((always_inline))

namespace mddag::simd::MDDAG_LEVEL {

constexpr std::size_t kBytes = MDDAG_BYTES, kWords = kBytes / 4, kQuarters = kBytes / 16;

using I8 = std::int8_t __attribute__((vector_size(MDDAG_BYTES)));
using U8 = std::uint8_t __attribute__((vector_size(MDDAG_BYTES)));
using U16 = std::uint16_t __attribute__((vector_size(MDDAG_BYTES)));
using I32 = std::int32_t __attribute__((vector_size(MDDAG_BYTES)));
using U32 = std::uint32_t __attribute__((vector_size(MDDAG_BYTES)));
using I64 = std::int64_t __attribute__((vector_size(MDDAG_BYTES)));
using F64 = double __attribute__((vector_size(MDDAG_BYTES)));
using F32 = float __attribute__((vector_size(MDDAG_BYTES)));
using F32x4 = float __attribute__((vector_size(16)));
using U8x16 = std::uint8_t __attribute__((vector_size(16)));
using I32x4 = std::int32_t __attribute__((vector_size(16)));

template <class V>
MDDAG_INLINE V load(const void* at) {
  V v;
  std::memcpy(&v, at, sizeof v);
  return v;
}
template <class V>
MDDAG_INLINE void store(void* at, V v) {
  std::memcpy(at, &v, sizeof v);
}
MDDAG_INLINE U8 all(std::uint8_t byte) { return U8{} + byte; }
MDDAG_INLINE I8 all(std::int8_t byte) { return I8{} + byte; }
MDDAG_INLINE I32 all(std::int32_t word) { return I32{} + word; }
MDDAG_INLINE F32 all(float x) { return x - F32{}; }  // + would change -0

// Lanes of two vectors, Pick::at(lane of the result, lanes of a vector) each; the second vector's
// count on from the first's.
template <class Pick, class V, std::size_t... lane>
MDDAG_INLINE V picked(V a, V b, std::index_sequence<lane...>) {
#ifdef __clang__
  return __builtin_shufflevector(a, b, Pick::at(lane, sizeof...(lane))...);
#else
  using Mask = decltype(a < b);
  return __builtin_shuffle(a, b, Mask{Pick::at(lane, sizeof...(lane))...});
#endif
}
template <class Pick, class V>
MDDAG_INLINE V picked(V a, V b) {
  return picked<Pick>(a, b, std::make_index_sequence<sizeof(V) / sizeof(a[0])>());
}

// Lanes of both in turn, from the lower or the higher half of every 16 bytes.
template <int half>
struct Zip {
  static constexpr int at(std::size_t lane, std::size_t n) {
    const std::size_t each = n * 16 / kBytes, block = lane / each * each, in = lane % each;
    return static_cast<int>(block + half * (each / 2) + in / 2 + (in % 2 ? n : 0));
  }
};
template <class V>
MDDAG_INLINE V zip_low(V a, V b) {
  return picked<Zip<0>>(a, b);
}
template <class V>
MDDAG_INLINE V zip_high(V a, V b) {
  return picked<Zip<1>>(a, b);
}

// 16 bytes for every quarter of a vector, got by quarter(q).
template <class Quarter>
MDDAG_INLINE F32 joined(const Quarter& quarter) {
#if MDDAG_BYTES == 32
  return (F32)_mm256_insertf128_ps(_mm256_castps128_ps256((__m128)quarter(0)), (__m128)quarter(1),
                                   1);
#else
  return quarter(0);
#endif
}

// rows[k]: of each quarter q, four numbers of row 4 q + k -> out[f]: number f of all rows in turn.
MDDAG_INLINE void transpose4(const F32* rows, F32* out) {
  const F64 ab = (F64)zip_low(rows[0], rows[1]), AB = (F64)zip_high(rows[0], rows[1]);
  const F64 cd = (F64)zip_low(rows[2], rows[3]), CD = (F64)zip_high(rows[2], rows[3]);
  out[0] = (F32)zip_low(ab, cd);
  out[1] = (F32)zip_high(ab, cd);
  out[2] = (F32)zip_low(AB, CD);
  out[3] = (F32)zip_high(AB, CD);
}

// The same eight bytes all over.
MDDAG_INLINE U8 table8(const void* bytes) { return (U8)(I64{} + load<std::int64_t>(bytes)); }

// The same 16 bytes in every quarter, and the bytes of each quarter that an index < 16 chooses.
MDDAG_INLINE U8 table16(const void* bytes) {
#if MDDAG_BYTES == 32
  return (U8)_mm256_broadcastsi128_si256(_mm_loadu_si128(static_cast<const __m128i*>(bytes)));
#else
  return load<U8>(bytes);
#endif
}
MDDAG_INLINE U8x16 lookup(U8x16 table, U8x16 index) {
#ifdef MDDAG_X86
  return (U8x16)_mm_shuffle_epi8((__m128i)table, (__m128i)index);
#else
  return (U8x16)vqtbl1q_u8((uint8x16_t)table, (uint8x16_t)index);
#endif
}
#if MDDAG_BYTES == 32
MDDAG_INLINE U8 lookup(U8 table, U8 index) {
  return (U8)_mm256_shuffle_epi8((__m256i)table, (__m256i)index);
}
#endif

// The bytes of a table of 128 that the seven lower bits of an index choose, the eighth being 0.
class Table128 {
 public:
#if defined(MDDAG_X86)
  explicit MDDAG_INLINE Table128(const std::uint8_t* table) : table_(table) {}
  MDDAG_INLINE U8 operator[](U8 index) const {
    const U16 at = (U16)index;
    const U8 bit4 = (U8)(at << 3), bit5 = (U8)(at << 2), bit6 = (U8)(at << 1);
    const U8 low = index & all(std::uint8_t{15});
    const auto sixteen = [&](int part) { return lookup(table16(table_ + 16 * part), low); };
    const U8 a =
        chosen(chosen(sixteen(0), sixteen(1), bit4), chosen(sixteen(2), sixteen(3), bit4), bit5);
    const U8 b =
        chosen(chosen(sixteen(4), sixteen(5), bit4), chosen(sixteen(6), sixteen(7), bit4), bit5);
    return chosen(a, b, bit6);
  }

 private:
  // b where the highest bit is set.
  static MDDAG_INLINE U8 chosen(U8 a, U8 b, U8 bit) {
#if MDDAG_BYTES == 32
    return (U8)_mm256_blendv_epi8((__m256i)a, (__m256i)b, (__m256i)bit);
#else
    return (U8)_mm_blendv_epi8((__m128i)a, (__m128i)b, (__m128i)bit);
#endif
  }

  const std::uint8_t* table_;
#else
  explicit MDDAG_INLINE Table128(const std::uint8_t* table)
      : low_(vld1q_u8_x4(table)), high_(vld1q_u8_x4(table + 64)) {}
  MDDAG_INLINE U8 operator[](U8 index) const {
    const uint8x16_t at = (uint8x16_t)index;  // what is beyond a table of 64 keeps the other's byte
    return (U8)vqtbx4q_u8(vqtbl4q_u8(low_, at), high_, vsubq_u8(at, vdupq_n_u8(64)));
  }

 private:
  uint8x16x4_t low_, high_;
#endif
};

// Words chosen from eight by kBytes indices, added to as many words.
class Words8 {
 public:
#if MDDAG_BYTES == 32
  explicit MDDAG_INLINE Words8(const std::int32_t* words)
      : words_(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(words))) {}
  MDDAG_INLINE void add(U8 index, std::int32_t* sums) const {
    add_part<0>(index, sums);
    add_part<1>(index, sums);
    add_part<2>(index, sums);
    add_part<3>(index, sums);
  }

 private:
  template <int part>
  MDDAG_INLINE void add_part(U8 index, std::int32_t* sums) const {
    std::int32_t* at = sums + part * kWords;
    const __m128i half = _mm256_extracti128_si256((__m256i)index, part / 2);
    const __m256i wide = _mm256_cvtepu8_epi32(part % 2 ? _mm_unpackhi_epi64(half, half) : half);
    store(at, load<U32>(at) + (U32)_mm256_permutevar8x32_epi32(words_, wide));
  }

  __m256i words_;
#else  // the bytes of the words are looked up one by one and zipped together
  explicit MDDAG_INLINE Words8(const std::int32_t* words) {
    const U8 order = {0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15};
    const I32 a = (I32)lookup(load<U8>(words), order), b = (I32)lookup(load<U8>(words + 4), order);
    const I64 low = (I64)zip_low(a, b), high = (I64)zip_high(a, b);
    byte_[0] = (U8)low;
    byte_[1] = (U8)zip_high(low, low);
    byte_[2] = (U8)high;
    byte_[3] = (U8)zip_high(high, high);
  }
  MDDAG_INLINE void add(U8 index, std::int32_t* sums) const {
    U8 byte[4];
    for (int b = 0; b < 4; ++b) byte[b] = lookup(byte_[b], index);
    const U16 a = (U16)zip_low(byte[0], byte[1]), A = (U16)zip_high(byte[0], byte[1]);
    const U16 b = (U16)zip_low(byte[2], byte[3]), B = (U16)zip_high(byte[2], byte[3]);
    const I32 words[4] = {(I32)zip_low(a, b), (I32)zip_high(a, b), (I32)zip_low(A, B),
                          (I32)zip_high(A, B)};
    for (int k = 0; k < 4; ++k) store(sums + 4 * k, load<U32>(sums + 4 * k) + (U32)words[k]);
  }

 private:
  U8 byte_[4];
#endif
};

// Four vectors of words -> their bytes in order, those below 0 as 0 and those above 255 as 255.
MDDAG_INLINE U8 narrowed(const I32* words) {
#if MDDAG_BYTES == 32
  const __m256i low = _mm256_packs_epi32((__m256i)words[0], (__m256i)words[1]);
  const __m256i high = _mm256_packs_epi32((__m256i)words[2], (__m256i)words[3]);
  const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
  return (U8)_mm256_permutevar8x32_epi32(_mm256_packus_epi16(low, high), order);
#elif defined(MDDAG_X86)
  return (U8)_mm_packus_epi16(_mm_packs_epi32((__m128i)words[0], (__m128i)words[1]),
                              _mm_packs_epi32((__m128i)words[2], (__m128i)words[3]));
#else
  const auto half = [&](int k) {
    return vqmovun_high_s32(vqmovun_s32((int32x4_t)words[k]), (int32x4_t)words[k + 1]);
  };
  return (U8)vqmovn_high_u16(vqmovn_u16(half(0)), half(2));
#endif
}

// Whether any bit of a vector is set.
MDDAG_INLINE bool any(I32 bits) {
#if MDDAG_BYTES == 32
  return !_mm256_testz_si256((__m256i)bits, (__m256i)bits);
#elif defined(MDDAG_X86)
  return !_mm_testz_si128((__m128i)bits, (__m128i)bits);
#else
  return vmaxvq_u32((uint32x4_t)bits) != 0;
#endif
}

// x between 0 and `most`; 0 where x is NaN.
MDDAG_INLINE F32 clamped(F32 x, float most) {
#if MDDAG_BYTES == 32
  const __m256 above = _mm256_max_ps((__m256)x, _mm256_setzero_ps());
  return (F32)_mm256_min_ps(above, _mm256_set1_ps(most));
#elif defined(MDDAG_X86)
  return (F32)_mm_min_ps(_mm_max_ps((__m128)x, _mm_setzero_ps()), _mm_set1_ps(most));
#else
  return (F32)vminq_f32(vmaxnmq_f32((float32x4_t)x, vdupq_n_f32(0)), vdupq_n_f32(most));
#endif
}

// counts + 1 where x > edge.
MDDAG_INLINE I32 count_above(I32 counts, F32 x, F32 edge) { return counts - (I32)(x > edge); }

// Which of eight words are equal to `value`, a bit each.
MDDAG_INLINE std::uint8_t mask_equal8(const std::int32_t* words, std::int32_t value) {
#if MDDAG_BYTES == 32
  const __m256i eight = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(words));
  const __m256i equal = _mm256_cmpeq_epi32(eight, _mm256_set1_epi32(value));
  return static_cast<std::uint8_t>(_mm256_movemask_ps(_mm256_castsi256_ps(equal)));
#else
  const I32 a = load<I32>(words) == value, b = load<I32>(words + 4) == value;
#ifdef MDDAG_X86
  const int low = _mm_movemask_ps((__m128)a), high = _mm_movemask_ps((__m128)b);
  return static_cast<std::uint8_t>(low | high << 4);
#else
  const I32 bit = {1, 2, 4, 8};
  return static_cast<std::uint8_t>(vaddvq_s32((int32x4_t)((a & bit) | (b & bit << 4))));
#endif
#endif
}

}  // namespace mddag::simd::MDDAG_LEVEL
