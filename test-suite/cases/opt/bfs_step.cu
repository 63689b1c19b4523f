// One step of a search by breadth: neighbours of the frontier that have no level get the next one.
extern "C" __global__ void bfs_step(const int *starts, const int *neighbours, int *levels, int *changed, int n, int level) {
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= n || levels[at] != level) return;
    for (int e = starts[at]; e < starts[at + 1]; e++) {
        int to = neighbours[e];
        if (levels[to] < 0) {
            levels[to] = level + 1;
            *changed = 1;
        }
    }
}
