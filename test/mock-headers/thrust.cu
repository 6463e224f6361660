// Thrust, as kernels and hosts use it, parses with the mock headers.

// RUN: %clangxx -std=c++17 %mockflags -fsyntax-only -Wall -Werror %s
// RUN: %clangxx -std=c++17 %mockflags -fsyntax-only -Wall -Werror -DCUDAGRAPH_MOCK_CUDA_VERSION=11080 %s

#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/sort.h>
#include <thrust/reduce.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/copy.h>
#include <thrust/fill.h>
#include <thrust/scan.h>
#include <thrust/unique.h>
#include <thrust/sequence.h>
#include <thrust/count.h>
#include <thrust/for_each.h>
#include <thrust/functional.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/device_malloc.h>
#include <thrust/random.h>
struct Twice { __host__ __device__ float operator()(float x) const { return 2 * x; } };
void f(cudaStream_t s, float *p, int n) {
  thrust::device_vector<float> v(n), u(n, 1.f);
  thrust::host_vector<float> h = v;
  std::vector<float> sv(4);
  thrust::device_vector<float> w(sv.begin(), sv.end());
  v = h; h[0] = 3; float x = v[0]; v[1] = x;
  thrust::sort(v.begin(), v.end());
  thrust::sort(thrust::cuda::par.on(s), v.begin(), v.end(), thrust::greater<float>());
  thrust::sort_by_key(thrust::cuda::par_nosync.on(s), p, p + n, u.begin());
  x += thrust::reduce(v.begin(), v.end());
  x += thrust::reduce(thrust::device, v.begin(), v.end(), 0.f, thrust::plus<float>());
  thrust::transform(thrust::cuda::par_nosync.on(s), v.begin(), v.end(), u.begin(), v.begin(), thrust::plus<float>());
  x += thrust::transform_reduce(v.begin(), v.end(), Twice(), 0.f, thrust::maximum<float>());
  thrust::copy(v.begin(), v.end(), h.begin());
  thrust::fill(thrust::cuda::par.on(s), v.begin(), v.end(), 1.f);
  thrust::exclusive_scan(v.begin(), v.end(), u.begin());
  auto e = thrust::unique(v.begin(), v.end());
  v.resize(e - v.begin());
  auto r = thrust::reduce_by_key(v.begin(), v.end(), thrust::make_constant_iterator(1), u.begin(), thrust::make_discard_iterator());
  (void)r.first;
  thrust::for_each_n(thrust::device, thrust::counting_iterator<int>(0), n, [=] __device__(int i) { p[i] = 0; });
  auto z = thrust::make_zip_iterator(thrust::make_tuple(v.begin(), u.begin()));
  thrust::for_each(z, z + n, [] __device__(thrust::tuple<float, float> t) { (void)thrust::get<0>(t); });
  auto t = thrust::make_transform_iterator(v.begin(), Twice());
  x += thrust::reduce(t, t + n);
  thrust::device_ptr<float> d = thrust::device_pointer_cast(p);
  thrust::sort(d, d + n);
  float *raw = thrust::raw_pointer_cast(v.data()); raw = thrust::raw_pointer_cast(&v[0]); (void)raw;
  thrust::default_random_engine g; thrust::uniform_real_distribution<float> dist(0, 1); x += dist(g);
}
