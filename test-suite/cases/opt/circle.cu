// Random points by a shift register, counted within a circle; the votes of a warp are added by one lane.
extern "C" __global__ void circle(unsigned *hits, int trips) {
    unsigned state = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u + 12345u, own = 0;
    for (int i = 0; i < trips; i++) {
        state ^= state << 13; state ^= state >> 17; state ^= state << 5;
        unsigned x = state & 0xffff;
        state ^= state << 13; state ^= state >> 17; state ^= state << 5;
        unsigned y = state & 0xffff;
        unsigned inside = __ballot_sync(~0u, (x * x >> 1) + (y * y >> 1) < 0x7fff0000u);
        if (threadIdx.x % 32 == 0) own += __popc(inside);
    }
    if (threadIdx.x % 32 == 0) atomicAdd(hits, own);
}
