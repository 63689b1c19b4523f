// A filter that weighs neighbours by their distance and by how much they differ.
extern "C" __global__ void bilateral(const float *in, float *out, int n, int radius, float space, float range) {
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= n) return;
    float here = in[at], sum = 0.0f, all = 0.0f;
    for (int o = -radius; o <= radius; o++) {
        int from = at + o;
        if (from < 0 || from >= n) continue;
        float value = in[from], difference = value - here;
        float weight = __expf(-(float)(o * o) * space - difference * difference * range);
        sum += weight * value;
        all += weight;
    }
    out[at] = sum / all;
}
