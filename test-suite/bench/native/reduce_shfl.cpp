#include "reduce_smem.cpp" // The same job.
