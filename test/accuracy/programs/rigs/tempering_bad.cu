// Replica-exchange Monte Carlo for the 2-D Ising model. Integer spins, a pool of cuRAND words generated up front.
#include <cuda_runtime.h>
#include <curand.h>
#include <climits>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

static void die(const char *what, int code)
{
  std::printf("%s failed with %d\nLABEL WRONG\n", what, code);
  std::exit(1);
}
#define CU(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) die(#x, (int)e_); } while (0)
#define RNG(x) do { curandStatus_t e_ = (x); if (e_ != CURAND_STATUS_SUCCESS) die(#x, (int)e_); } while (0)

constexpr int L = 16, SITES = L * L, HALF = SITES / 2;
constexpr int R = 8;                 // temperatures
constexpr int SWEEPS = 32, EXCHANGE_EVERY = 4;
constexpr int POOL = SWEEPS * (R * SITES + R);

static int *d_spin;                  // R x SITES
static int *d_level;                 // replica -> temperature
static int *d_holder;                // temperature -> replica
static int *d_energy;                // per replica
static unsigned *d_accept;           // R x 5 thresholds
static unsigned *d_pool;
static double *d_beta;

static std::vector<unsigned> h_pool(POOL), h_accept(R * 5);
static std::vector<double> h_beta(R);
static cudaStream_t g_stream;
static unsigned g_cursor;            // words of the pool used so far
static int g_sweep;

__host__ __device__ static int site_of(int color, int k)
{
  const int y = k / (L / 2), x = 2 * (k % (L / 2)) + ((y + color) & 1);
  return y * L + x;
}

__host__ __device__ static int field_at(const int *s, int site)
{
  const int x = site % L, y = site / L;
  return s[y * L + (x + 1) % L] + s[y * L + (x + L - 1) % L] + s[((y + 1) % L) * L + x] + s[((y + L - 1) % L) * L + x];
}

__global__ void flip(int *spin, const int *level, const unsigned *accept, const unsigned *pool, unsigned cursor, int color)
{
  int *s = spin + blockIdx.x * SITES;
  const int site = site_of(color, threadIdx.x);
  const int k = (s[site] * field_at(s, site) + 4) / 2;
  if (pool[cursor + blockIdx.x * HALF + threadIdx.x] <= accept[level[blockIdx.x] * 5 + k]) s[site] = -s[site];
}

__global__ void total_energy(const int *spin, int *energy)
{
  const int *s = spin + threadIdx.x * SITES;
  int e = 0;
  for (int i = 0; i < SITES; ++i) e -= s[i] * field_at(s, i);
  energy[threadIdx.x] = e / 2;
}

__global__ void exchange(int *level, int *holder, const int *energy, const double *beta, const unsigned *pool,
                         unsigned cursor, int parity)
{
  for (int t = parity; t + 1 < R; t += 2) {
    const int a = holder[t], b = holder[t + 1];
    const double w = (beta[t] - beta[t + 1]) * (energy[a] - energy[b]);
    if (w < 0 && pool[cursor + t] / 4294967296.0 >= exp(w)) continue;
    holder[t] = b;
    holder[t + 1] = a;
    level[a] = t + 1;
    level[b] = t;
  }
}

static void enqueue_sweep()
{
  flip<<<R, HALF, 0, g_stream>>>(d_spin, d_level, d_accept, d_pool, g_cursor, 0); // HAZARD random #cursor
  flip<<<R, HALF, 0, g_stream>>>(d_spin, d_level, d_accept, d_pool, g_cursor + R * HALF, 1); // HAZARD random #cursor
  g_cursor += R * SITES; // HAZARD random #cursor
  if (g_sweep % EXCHANGE_EVERY == EXCHANGE_EVERY - 1) { // HAZARD host_logic #exchange
    total_energy<<<1, R, 0, g_stream>>>(d_spin, d_energy);
    exchange<<<1, 1, 0, g_stream>>>(d_level, d_holder, d_energy, d_beta, d_pool, g_cursor, (g_sweep / EXCHANGE_EVERY) & 1);
    g_cursor += R;
  }
  ++g_sweep; // HAZARD host_logic #exchange
  CU(cudaGetLastError());
}

struct Reference {
  std::vector<int> spin, level, holder;
};

static Reference simulate_on_host(bool with_exchange)
{
  Reference r{std::vector<int>(R * SITES, 1), std::vector<int>(R), std::vector<int>(R)};
  for (int i = 0; i < R; ++i) r.level[i] = r.holder[i] = i;
  unsigned cursor = 0;
  for (int sweep = 0; sweep < SWEEPS; ++sweep) {
    for (int color = 0; color < 2; ++color)
      for (int rep = 0; rep < R; ++rep) {
        int *s = r.spin.data() + rep * SITES;
        for (int k = 0; k < HALF; ++k) {
          const int site = site_of(color, k);
          const int j = (s[site] * field_at(s, site) + 4) / 2;
          if (h_pool[cursor + color * R * HALF + rep * HALF + k] <= h_accept[r.level[rep] * 5 + j]) s[site] = -s[site];
        }
      }
    cursor += R * SITES;
    if (!with_exchange || sweep % EXCHANGE_EVERY != EXCHANGE_EVERY - 1) continue;
    int energy[R];
    for (int rep = 0; rep < R; ++rep) {
      const int *s = r.spin.data() + rep * SITES;
      int e = 0;
      for (int i = 0; i < SITES; ++i) e -= s[i] * field_at(s, i);
      energy[rep] = e / 2;
    }
    for (int t = (sweep / EXCHANGE_EVERY) & 1; t + 1 < R; t += 2) {
      const int a = r.holder[t], b = r.holder[t + 1];
      const double w = (h_beta[t] - h_beta[t + 1]) * (energy[a] - energy[b]);
      if (w < 0 && h_pool[cursor + t] / 4294967296.0 >= std::exp(w)) continue;
      std::swap(r.holder[t], r.holder[t + 1]);
      r.level[a] = t + 1;
      r.level[b] = t;
    }
    cursor += R;
  }
  return r;
}

template <class T> static void to_device(T *&dst, const std::vector<T> &src)
{
  CU(cudaMalloc(&dst, src.size() * sizeof(T)));
  CU(cudaMemcpy(dst, src.data(), src.size() * sizeof(T), cudaMemcpyHostToDevice));
}
template <class T> static std::vector<T> from_device(const T *src, size_t n)
{
  std::vector<T> v(n);
  CU(cudaMemcpy(v.data(), src, n * sizeof(T), cudaMemcpyDeviceToHost));
  return v;
}

static void initialize()
{
  for (int t = 0; t < R; ++t) {
    h_beta[t] = 0.30 + 0.03 * t;
    for (int k = 0; k < 5; ++k)
      h_accept[t * 5 + k] = k <= 2 ? UINT_MAX : (unsigned)(std::exp(-h_beta[t] * 4.0 * (k - 2)) * 4294967295.0);
  }
  std::vector<int> identity(R);
  for (int i = 0; i < R; ++i) identity[i] = i;
  to_device(d_spin, std::vector<int>(R * SITES, 1));
  to_device(d_level, identity);
  to_device(d_holder, identity);
  to_device(d_energy, identity);
  to_device(d_accept, h_accept);
  to_device(d_beta, h_beta);
  CU(cudaMalloc(&d_pool, POOL * sizeof(unsigned)));
  curandGenerator_t gen;
  RNG(curandCreateGenerator(&gen, CURAND_RNG_PSEUDO_PHILOX4_32_10));
  RNG(curandSetPseudoRandomGeneratorSeed(gen, 20240611ULL));
  RNG(curandGenerate(gen, d_pool, POOL));
  CU(cudaDeviceSynchronize());
  RNG(curandDestroyGenerator(gen));
  h_pool = from_device(d_pool, POOL);
  CU(cudaStreamCreateWithFlags(&g_stream, cudaStreamNonBlocking));
  CU(cudaDeviceSynchronize());
}

int main()
{
  initialize();
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CU(cudaStreamBeginCapture(g_stream, cudaStreamCaptureModeGlobal));
  enqueue_sweep();
  CU(cudaStreamEndCapture(g_stream, &graph));
  CU(cudaGraphInstantiate(&exec, graph, 0));
  for (int i = 0; i < SWEEPS; ++i) CU(cudaGraphLaunch(exec, g_stream));
  CU(cudaStreamSynchronize(g_stream));

  const auto spin = from_device(d_spin, R * SITES);
  const auto level = from_device(d_level, R);
  const Reference full = simulate_on_host(true), isolated = simulate_on_host(false);
  const bool moved = level != isolated.level, wanted_move = full.level != isolated.level;
  std::printf("exchanges happened: %d (reference %d), spins equal: %d full, %d without exchange\n", (int)moved,
              (int)wanted_move, (int)(spin == full.spin), (int)(spin == isolated.spin));
  CU(cudaGraphExecDestroy(exec));
  CU(cudaGraphDestroy(graph));
  CU(cudaStreamDestroy(g_stream));
  const bool seen = wanted_move && !moved && spin != full.spin && spin != isolated.spin;
  std::puts(seen ? "LABEL CONFIRMED" : "LABEL WRONG");
  return 0;
}
