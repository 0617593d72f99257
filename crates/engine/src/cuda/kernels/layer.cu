// The constraint layer: margins in, coherent margins out.

// Coherent margins, and delegates if `delegates` is not null. One block per row.
template <bool OUTSIDE>
__device__ inline void layer_rows(Rules rules, const float *margins, float *coherent,
                                  u32 *delegates, u32 rows, char *outside, u64 room, u32 *bad) {
    extern __shared__ char inside[];
    char *memory = OUTSIDE ? outside + blockIdx.x * room : inside;
    float *values = (float *)memory;
    u32 *who = (u32 *)(values + rules.classes), *next = who + rules.classes;
    if (!OUTSIDE) rules = brought(rules, inside + room);
    for (u32 row = blockIdx.x; row < rows; row += gridDim.x) {
        const u64 start = (u64)row * rules.classes;
        Plain view = {values, who, margins + start};
        if (!begin(rules, view)) {
            if (threadIdx.x == 0) *bad = 1;
        } else {
            raise(rules, view, next);
            for (u32 label = threadIdx.x; label < rules.classes; label += blockDim.x) {
                coherent[start + label] = values[label];
                if (delegates) delegates[start + label] = who[label];
            }
        }
        __syncthreads();
    }
}

extern "C" __global__ void layer_inside(Rules rules, const float *margins, float *coherent,
                                        u32 *delegates, u32 rows, char *outside, u64 room,
                                        u32 *bad) {
    layer_rows<false>(rules, margins, coherent, delegates, rows, outside, room, bad);
}

extern "C" __global__ void layer_outside(Rules rules, const float *margins, float *coherent,
                                         u32 *delegates, u32 rows, char *outside, u64 room,
                                         u32 *bad) {
    layer_rows<true>(rules, margins, coherent, delegates, rows, outside, room, bad);
}

// Margins from logits: how far a class is above its threshold.
extern "C" __global__ void margins_of(const float *logits, const float *shift, u32 classes,
                                      float *margins, u64 n) {
    u64 at = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    if (at < n) margins[at] = logits[at] + shift[at % classes];
}
