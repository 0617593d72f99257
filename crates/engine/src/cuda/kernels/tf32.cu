// Numbers as tensor cores see them: their first 19 bits.

// Rounded to nearest; the tensor cores ignore the last 13 bits.
__device__ inline u32 rounded(float x) { return __float_as_uint(x) + 0x1000u; }

// What is left of a number without those 19 bits, rounded.
__device__ inline float rest_of(float x) {
    const float rest = x - __uint_as_float(__float_as_uint(x) & 0xffffe000u);
    return __uint_as_float(rounded(rest) & 0xffffe000u);
}
