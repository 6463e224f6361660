#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

static int g_ierr = 0;
static void ck(cudaError_t e, int line) {
    if (e != cudaSuccess && !g_ierr) {
        g_ierr = static_cast<int>(e);
        std::printf("line %d: %s\n", line, cudaGetErrorString(e));
    }
}
#define CK(x) ck((x), __LINE__)

struct Fields {
    double* h = nullptr;
    double* hu = nullptr;
    double* rhs_h = nullptr;
    double* rhs_hu = nullptr;
    int n = 0;
};

struct Control {
    double cfl = 0.5;
    double dt = 0.0;
    double time = 0.0;
    int istep = 0;
    int nrestart = 2;
    double dt_hist[16] = {};
};

__global__ void compute_rhs(const double* h, const double* hu, double* rh, double* rhu, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    rh[i] = -h[i];
    rhu[i] = -2.0 * hu[i];
}

__global__ void euler_update(double* h, double* hu, const double* rh, const double* rhu, int n, const double* pdt) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const double dt = *pdt;
    h[i] += dt * rh[i];
    hu[i] += dt * rhu[i];
}

class ShallowWater {
public:
    explicit ShallowWater(int n) {
        f_.n = n;
        size_t b = n * sizeof(double);
        for (double** p : {&f_.h, &f_.hu, &f_.rhs_h, &f_.rhs_hu}) CK(cudaMalloc(p, b));
        std::vector<double> one(n, 1.0);
        CK(cudaMemcpy(f_.h, one.data(), b, cudaMemcpyHostToDevice));
        CK(cudaMemcpy(f_.hu, one.data(), b, cudaMemcpyHostToDevice));
        CK(cudaMalloc(&d_dt_, sizeof(double)));
        CK(cudaMallocHost(&h_dt_, sizeof(double)));
        CK(cudaDeviceSynchronize());
        CK(cudaStreamCreateWithFlags(&st_, cudaStreamNonBlocking));
    }
    ~ShallowWater() {
        if (exec_) cudaGraphExecDestroy(exec_);
        for (double* p : {f_.h, f_.hu, f_.rhs_h, f_.rhs_hu, d_dt_}) cudaFree(p);
        cudaFreeHost(h_dt_);
        cudaStreamDestroy(st_);
    }

    void select_dt(double wave_speed) {
        ctl_.dt = ctl_.cfl / std::max(wave_speed, 1e-12);
    }

    void advance() {
        if (!exec_) build_step();
        *h_dt_ = ctl_.dt;
        CK(cudaMemcpyAsync(d_dt_, h_dt_, sizeof(double), cudaMemcpyHostToDevice, st_));
        CK(cudaGraphLaunch(exec_, st_));
        CK(cudaStreamSynchronize(st_));
        clock_tick();
    }

    bool restart_due() const { return ctl_.istep > 0 && ctl_.istep % ctl_.nrestart == 0; }

    void write_restart(std::vector<double>& buf) {
        buf.resize(f_.n);
        CK(cudaMemcpy(buf.data(), f_.h, f_.n * sizeof(double), cudaMemcpyDeviceToHost));
    }

    const Control& control() const { return ctl_; }

private:
    void clock_tick() {
        ctl_.time += ctl_.dt;
        ctl_.dt_hist[ctl_.istep++ % 16] = ctl_.dt;
    }

    void step() {
        int nb = (f_.n + 255) / 256;
        compute_rhs<<<nb, 256, 0, st_>>>(f_.h, f_.hu, f_.rhs_h, f_.rhs_hu, f_.n);
        euler_update<<<nb, 256, 0, st_>>>(f_.h, f_.hu, f_.rhs_h, f_.rhs_hu, f_.n, d_dt_);
    }

    void build_step() {
        cudaGraph_t g = nullptr;
        CK(cudaStreamBeginCapture(st_, cudaStreamCaptureModeGlobal));
        step();
        CK(cudaStreamEndCapture(st_, &g));
        CK(cudaGraphInstantiate(&exec_, g, 0));
        CK(cudaGraphDestroy(g));
    }

    Fields f_;
    Control ctl_;
    double* d_dt_ = nullptr;
    double* h_dt_ = nullptr;
    cudaStream_t st_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
};

int main() {
    ShallowWater sw(512);
    const double speeds[4] = {5.0, 10.0, 2.5, 20.0};
    double varying = 1.0, fixed = 1.0, t = 0.0;
    std::vector<double> dump;
    int dumps = 0;
    for (double c : speeds) {
        sw.select_dt(c);
        sw.advance();
        if (sw.restart_due()) {
            sw.write_restart(dump);
            ++dumps;
        }
        varying *= 1.0 - 0.5 / c;
        fixed *= 1.0 - 0.5 / speeds[0];
        t += 0.5 / c;
    }
    sw.write_restart(dump);
    double got = dump[17];
    bool ok = !g_ierr && std::fabs(got - varying) < 1e-12 && std::fabs(got - fixed) > 1e-6 &&
              sw.control().istep == 4 && std::fabs(sw.control().time - t) < 1e-12 && dumps == 2;
    if (ok)
        std::printf("LABEL CONFIRMED\n");
    else
        std::printf("LABEL REFUTED err=%d h=%.9f var=%.9f fix=%.9f steps=%d t=%f/%f\n", g_ierr, got, varying, fixed,
                    sw.control().istep, sw.control().time, t);
    return 0;
}
