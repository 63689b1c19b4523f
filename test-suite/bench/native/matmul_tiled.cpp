#include "matmul_naive.cpp" // The same job.
