// Blocks of a grid that wait for each other.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// In each round every thread adds what its neighbour over the whole grid had in the round before.
extern "C" __global__ void rounds(int *a, int *b, int rounds) {
    auto grid = cg::this_grid();
    int i = grid.thread_rank(), n = grid.size();
    for (int r = 0; r < rounds; r++) {
        b[i] = a[i] + a[(i + 1) % n];
        grid.sync();
        int *t = a; a = b; b = t;
    }
}
