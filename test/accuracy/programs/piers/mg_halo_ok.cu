// Two level multigrid cycle on a periodic strip.
//
// The strip is split from its neighbours by ghost cells. The ghost exchange
// runs on stream q_link while the interior is relaxed on stream q_comp; both
// are part of one recorded cycle.

#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CU(call) mg_check((call), #call, __LINE__)

static void mg_check(cudaError_t ierr, const char* what, int line) {
  if (ierr == cudaSuccess) return;
  std::printf("line %d: %s: %s\nLABEL WRONG\n", line, what,
              cudaGetErrorString(ierr));
  std::exit(1);
}

struct mg_config {
  int    nfine       = 256;
  int    ncoarse     = 128;
  int    nsweep      = 4;      // relaxation sweeps on the coarse level
  double omega       = 0.8;
  double diag        = 2.1;
  long long latency  = 1500000;  // cycles spent in the exchange
};

// structure of arrays; u has ghost cells 0 and n+1
struct mg_level {
  int n = 0;
  double *u = nullptr, *unew = nullptr, *f = nullptr, *r = nullptr;
};

struct mg_link {
  double* sendbuf = nullptr;   // two values
  double* recvbuf = nullptr;
};

__global__ void halo_pack(const double* u, double* sendbuf, int n) {
  sendbuf[0] = u[1];
  sendbuf[1] = u[n];
}

__global__ void halo_transfer(const double* sendbuf, double* recvbuf) {
  recvbuf[0] = sendbuf[1];
  recvbuf[1] = sendbuf[0];
}

__global__ void halo_unpack(double* u, const double* recvbuf, int n,
                            long long latency) {
  long long t0 = clock64();
  while (clock64() - t0 < latency) {
  }
  u[0]     = recvbuf[0];
  u[n + 1] = recvbuf[1];
}

// running statistics of the traffic; nobody waits for them within a cycle
__global__ void log_link(const double* recvbuf, double* log) {
  log[0] += 1.0;
  log[1] = fmax(log[1], fmax(fabs(recvbuf[0]), fabs(recvbuf[1])));
}

__device__ double relax_point(const double* u, const double* f, int i,
                              double omega, double diag) {
  return u[i] + omega / diag * (f[i] - (diag * u[i] - u[i - 1] - u[i + 1]));
}

__global__ void relax_interior(const double* u, double* unew, const double* f,
                               int n, double omega, double diag) {
  int i = 2 + blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) unew[i] = relax_point(u, f, i, omega, diag);
}

__global__ void relax_edges(const double* u, double* unew, const double* f,
                            int n, double omega, double diag) {
  int i = threadIdx.x == 0 ? 1 : n;
  unew[i] = relax_point(u, f, i, omega, diag);
}

__global__ void copy_back(double* u, const double* unew, int n) {
  int i = 1 + blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) u[i] = unew[i];
}

__global__ void residual(const double* u, const double* f, double* r, int n,
                         double diag) {
  int i = 2 + blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) r[i] = f[i] - (diag * u[i] - u[i - 1] - u[i + 1]);
}

__global__ void restrict_residual(const double* r, double* fc, double* uc,
                                  int nc) {
  int j = 1 + blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= nc) return;
  fc[j] = r[2 * j];
  uc[j] = 0.0;
}

__global__ void prolong(double* u, const double* uc, int nc) {
  int j = 1 + blockIdx.x * blockDim.x + threadIdx.x;
  if (j < nc) u[2 * j] += uc[j];
}

__global__ void max_norm(const double* r, double* norm, int n) {
  double m = 0.0;
  for (int i = 2; i < n; ++i) m = fmax(m, fabs(r[i]));
  *norm = m;
}

class mg_solver {
 public:
  explicit mg_solver(const mg_config& c) : cfg(c) {
    alloc_level(fine, cfg.nfine);
    alloc_level(coarse, cfg.ncoarse);
    link.sendbuf = alloc(2);
    link.recvbuf = alloc(2);
    d_norm       = alloc(1);
    d_log        = alloc(2);
    CU(cudaStreamCreateWithFlags(&q_comp, cudaStreamNonBlocking));
    CU(cudaStreamCreateWithFlags(&q_link, cudaStreamNonBlocking));
    for (cudaEvent_t* e : {&ev_fork, &ev_halo, &ev_resid, &ev_tail})
      CU(cudaEventCreateWithFlags(e, cudaEventDisableTiming));
  }

  void set_rhs(const std::vector<double>& f) {
    CU(cudaMemcpy(fine.f, f.data(), f.size() * sizeof(double),
                  cudaMemcpyHostToDevice));
    CU(cudaDeviceSynchronize());
  }

  void record() {
    cudaGraph_t g;
    CU(cudaStreamBeginCapture(q_comp, cudaStreamCaptureModeGlobal));
    cycle();
    CU(cudaStreamEndCapture(q_comp, &g));
    CU(cudaGraphInstantiate(&exec, g, 0));
    CU(cudaGraphDestroy(g));
  }

  void solve_cycle() {
    CU(cudaGraphLaunch(exec, q_comp));
    CU(cudaStreamSynchronize(q_comp));
  }

  std::vector<double> solution() const {
    std::vector<double> u(fine.n + 2);
    CU(cudaMemcpy(u.data(), fine.u, u.size() * sizeof(double),
                  cudaMemcpyDeviceToHost));
    return u;
  }

  double norm() const {
    double v = 0.0;
    CU(cudaMemcpy(&v, d_norm, sizeof v, cudaMemcpyDeviceToHost));
    return v;
  }
  double exchanges() const {
    double v = 0.0;
    CU(cudaMemcpy(&v, d_log, sizeof v, cudaMemcpyDeviceToHost));
    return v;
  }

 private:
  static double* alloc(int n) {
    double* p = nullptr;
    CU(cudaMalloc(&p, n * sizeof(double)));
    CU(cudaMemset(p, 0, n * sizeof(double)));
    return p;
  }
  static void alloc_level(mg_level& l, int n) {
    l.n = n;
    for (double** a : {&l.u, &l.unew, &l.f, &l.r}) *a = alloc(n + 2);
  }

  void halo_begin() {
    CU(cudaEventRecord(ev_fork, q_comp));
    CU(cudaStreamWaitEvent(q_link, ev_fork, 0));
    halo_pack<<<1, 1, 0, q_link>>>(fine.u, link.sendbuf, fine.n);
    halo_transfer<<<1, 1, 0, q_link>>>(link.sendbuf, link.recvbuf);
    halo_unpack<<<1, 1, 0, q_link>>>(fine.u, link.recvbuf, fine.n, cfg.latency);
    CU(cudaEventRecord(ev_halo, q_link));
    log_link<<<1, 1, 0, q_link>>>(link.recvbuf, d_log);
  }
  void halo_end() {
    CU(cudaStreamWaitEvent(q_comp, ev_halo, 0));
  }

  void smooth_fine() {
    halo_begin();
    relax_interior<<<2, 128, 0, q_comp>>>(fine.u, fine.unew, fine.f, fine.n,
                                          cfg.omega, cfg.diag);
    halo_end();
    relax_edges<<<1, 2, 0, q_comp>>>(fine.u, fine.unew, fine.f, fine.n,
                                     cfg.omega, cfg.diag);
    copy_back<<<2, 128, 0, q_comp>>>(fine.u, fine.unew, fine.n);
  }

  void smooth_coarse() {
    for (int k = 0; k < cfg.nsweep; ++k) {
      relax_interior<<<1, 128, 0, q_comp>>>(coarse.u, coarse.unew, coarse.f,
                                            coarse.n, cfg.omega, cfg.diag);
      copy_back<<<1, 128, 0, q_comp>>>(coarse.u, coarse.unew, coarse.n);
    }
  }

  void cycle() {
    smooth_fine();
    residual<<<2, 128, 0, q_comp>>>(fine.u, fine.f, fine.r, fine.n, cfg.diag);
    CU(cudaEventRecord(ev_resid, q_comp));
    CU(cudaStreamWaitEvent(q_link, ev_resid, 0));
    max_norm<<<1, 1, 0, q_link>>>(fine.r, d_norm, fine.n);
    restrict_residual<<<1, 128, 0, q_comp>>>(fine.r, coarse.f, coarse.u,
                                             coarse.n);
    smooth_coarse();
    prolong<<<1, 128, 0, q_comp>>>(fine.u, coarse.u, coarse.n);
    CU(cudaEventRecord(ev_tail, q_link));
    CU(cudaStreamWaitEvent(q_comp, ev_tail, 0));
  }

  mg_config cfg;
  mg_level fine, coarse;
  mg_link link;
  double *d_norm = nullptr, *d_log = nullptr;
  cudaStream_t q_comp = nullptr, q_link = nullptr;
  cudaEvent_t ev_fork, ev_halo, ev_resid, ev_tail;
  cudaGraphExec_t exec = nullptr;
};

// Host version of the cycle, used for verification.
struct mg_reference {
  mg_config c;
  std::vector<double> u, f;

  mg_reference(const mg_config& cfg, const std::vector<double>& rhs)
      : c(cfg), u(cfg.nfine + 2, 0.0), f(rhs) {}

  static void relax(std::vector<double>& v, const std::vector<double>& b,
                    int lo, int hi, const mg_config& c) {
    std::vector<double> w = v;
    for (int i = lo; i <= hi; ++i)
      w[i] = v[i] +
             c.omega / c.diag * (b[i] - (c.diag * v[i] - v[i - 1] - v[i + 1]));
    v = w;
  }
  double cycle() {
    const int n = c.nfine, nc = c.ncoarse;
    double norm = 0.0;
    u[0] = u[n];
    u[n + 1] = u[1];
    relax(u, f, 1, n, c);
    std::vector<double> r(n + 2, 0.0), fc(nc + 2, 0.0), uc(nc + 2, 0.0);
    for (int i = 2; i < n; ++i) {
      r[i] = f[i] - (c.diag * u[i] - u[i - 1] - u[i + 1]);
      norm = std::fmax(norm, std::fabs(r[i]));
    }
    for (int j = 1; j < nc; ++j) fc[j] = r[2 * j];
    for (int k = 0; k < c.nsweep; ++k) relax(uc, fc, 2, nc - 1, c);
    for (int j = 1; j < nc; ++j) u[2 * j] += uc[j];
    return norm;
  }
};

int main() {
  mg_config cfg;
  std::vector<double> rhs(cfg.nfine + 2, 0.0);
  for (int i = 1; i <= cfg.nfine; ++i) rhs[i] = 1.0 + (i * 29) % 13;

  mg_solver mg(cfg);
  mg_reference ref(cfg, rhs);
  mg.set_rhs(rhs);
  mg.record();

  int nwrong = 0;
  bool first = false;
  for (int icyc = 0; icyc < 12; ++icyc) {
    mg.solve_cycle();
    double norm = ref.cycle();
    std::vector<double> u = mg.solution();
    double err = std::fabs(mg.norm() - norm);
    for (int i = 1; i <= cfg.nfine; ++i) err += std::fabs(u[i] - ref.u[i]);
    bool ok = err < 1e-7;
    ok = ok && mg.exchanges() == icyc + 1;
    if (icyc == 0) first = ok;
    nwrong += !ok;
  }
  std::printf("first=%d wrong=%d\n", first, nwrong);
  std::printf(first && nwrong == 0 ? "LABEL CONFIRMED\n" : "LABEL WRONG\n");
  return 0;
}
