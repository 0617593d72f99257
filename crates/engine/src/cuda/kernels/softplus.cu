// ln(1 + e^x) and 1 / (1 + e^-x), which share their exponential.
__device__ inline float softplus_sigmoid(float x, float *sigmoid) {
    float e = expf(-fabsf(x)), inverse = 1.0f / (1.0f + e);
    *sigmoid = x > 0.0f ? inverse : e * inverse;
    return fmaxf(x, 0.0f) + log1pf(e);
}

__device__ inline double softplus_sigmoid(double x, double *sigmoid) {
    double e = exp(-fabs(x)), inverse = 1.0 / (1.0 + e);
    *sigmoid = x > 0.0 ? inverse : e * inverse;
    return fmax(x, 0.0) + log1p(e);
}
