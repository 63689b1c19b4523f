// A sparse matrix with the same number of elements in each row, stored by columns, times a vector.
extern "C" __global__ void spmv_ell(const int *columns, const double *values, const double *x, double *y, int rows, int width) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    double sum = 0.0;
    for (int k = 0; k < width; k++) {
        int column = columns[k * rows + row];
        if (column >= 0) sum += values[k * rows + row] * x[column];
    }
    y[row] = sum;
}
