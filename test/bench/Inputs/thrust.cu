// A translation unit whose cost comes from the headers of Thrust and CUB.
#include <cub/cub.cuh>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform.h>

struct Twice {
  __host__ __device__ float operator()(float X) const { return 2 * X; }
};

float run(cudaStream_t S, thrust::device_vector<float> &V, float *Out,
          void *Temp, size_t Bytes) {
  cudaGraph_t Graph;
  cudaStreamBeginCapture(S, cudaStreamCaptureModeGlobal);
  thrust::transform(thrust::cuda::par_nosync.on(S), V.begin(), V.end(),
                    V.begin(), Twice());
  thrust::sort(thrust::cuda::par.on(S), V.begin(), V.end());
  thrust::exclusive_scan(thrust::cuda::par_nosync.on(S), V.begin(), V.end(),
                         V.begin());
  cub::DeviceReduce::Sum(Temp, Bytes, V.begin(), Out, V.size(), S);
  float R = thrust::reduce(thrust::cuda::par.on(S), V.begin(), V.end());
  cudaStreamEndCapture(S, &Graph);
  return R;
}
