// Forces between particles that are nearer than a bound.
extern "C" __global__ void lennard_jones(const float4 *places, float4 *forces, int n, float bound) {
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= n) return;
    float4 own = places[at];
    float fx = 0.0f, fy = 0.0f, fz = 0.0f, energy = 0.0f;
    for (int j = 0; j < n; j++) {
        float4 other = places[j];
        float dx = own.x - other.x, dy = own.y - other.y, dz = own.z - other.z, square = dx * dx + dy * dy + dz * dz;
        if (j != at && square < bound) {
            float inverse = 1.0f / square, six = inverse * inverse * inverse;
            float force = (2.0f * six - 1.0f) * six * inverse * 24.0f;
            fx += force * dx; fy += force * dy; fz += force * dz;
            energy += 4.0f * six * (six - 1.0f);
        }
    }
    forces[at] = make_float4(fx, fy, fz, energy);
}
