#if !defined(WITH_DEFINES) || !defined(HOST_ONLY) || !defined(LONG)
#error "flags of cuda_library are lost"
#endif
__global__ void kernel() {}
