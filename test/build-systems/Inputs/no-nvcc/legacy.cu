__global__ void legacy() {}
