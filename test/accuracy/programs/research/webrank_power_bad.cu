// dominant eigenpair of a link matrix by power iteration (cuBLAS level 1 + hand written CSR SpMV)
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

static void ensure(cudaError_t e) {
    if (e != cudaSuccess) throw std::runtime_error(std::string("cuda: ") + cudaGetErrorName(e));
}
static void ensure(cublasStatus_t s) {
    if (s != CUBLAS_STATUS_SUCCESS) throw std::runtime_error(std::string("cublas: ") + cublasGetStatusString(s));
}

struct DeviceScalars {   // cuBLAS results stay on the device inside this scope
    cublasHandle_t h;
    explicit DeviceScalars(cublasHandle_t h_) : h(h_) { ensure(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_DEVICE)); }
    ~DeviceScalars() { cublasSetPointerMode(h, CUBLAS_POINTER_MODE_HOST); }
    DeviceScalars(const DeviceScalars&) = delete;
};

struct Recording {
    cudaStream_t s;
    cudaGraphExec_t& out;
    bool done = false;
    Recording(cudaStream_t s_, cudaGraphExec_t& out_) : s(s_), out(out_) {
        ensure(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
    }
    ~Recording() {
        cudaGraph_t g = nullptr;
        if (!done && cudaStreamEndCapture(s, &g) == cudaSuccess) cudaGraphDestroy(g);
    }
    Recording(const Recording&) = delete;
    void commit() {
        cudaGraph_t g = nullptr;
        done = true;
        ensure(cudaStreamEndCapture(s, &g));
        cudaError_t rc = cudaGraphInstantiate(&out, g, 0);
        cudaGraphDestroy(g);
        ensure(rc);
    }
};

__global__ void spmv(const int* row, const int* col, const float* val, const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float s = 0;
    for (int k = row[i]; k < row[i + 1]; ++k) s += val[k] * x[col[k]];
    y[i] = s;
}
__global__ void normalise(const float* y, const float* nrm, float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = y[i] / *nrm;
}

class PowerIteration {
    int n_;
    cudaStream_t stream_ = nullptr;
    cublasHandle_t blas_ = nullptr;
    void* ws_ = nullptr;
    int *row_ = nullptr, *col_ = nullptr;
    float *val_ = nullptr, *x_ = nullptr, *y_ = nullptr;
    float *scal_ = nullptr;             // |y|, x.y
    float lambda_ = 0;
    cudaGraphExec_t exec_ = nullptr;

    template <class T> void put(T*& d, const std::vector<T>& h) {
        ensure(cudaMalloc(&d, h.size() * sizeof(T)));
        ensure(cudaMemcpyAsync(d, h.data(), h.size() * sizeof(T), cudaMemcpyHostToDevice, stream_));
        ensure(cudaStreamSynchronize(stream_));
    }

    void norm_of_y() {
        DeviceScalars dev(blas_);
        ensure(cublasSnrm2(blas_, n_, y_, 1, scal_));
    }
    void rayleigh() {
        ensure(cublasSdot(blas_, n_, x_, 1, y_, 1, &lambda_));       // HAZARD refused
    }

    void sweep() {
        int b = (n_ + 127) / 128;
        spmv<<<b, 128, 0, stream_>>>(row_, col_, val_, x_, y_, n_);
        ensure(cudaGetLastError());
        norm_of_y();
        rayleigh();
        normalise<<<b, 128, 0, stream_>>>(y_, scal_, x_, n_);
        ensure(cudaGetLastError());
    }

public:
    explicit PowerIteration(int n) : n_(n) {
        std::vector<int> row(n + 1, 0), col;
        std::vector<float> val;
        for (int i = 0; i < n; ++i) {
            for (int d : {1, 7, 31, 113}) {
                col.push_back((i * 3 + d) % n);
                val.push_back(0.2f + 0.05f * ((i + d) % 4));
            }
            row[i + 1] = (int)col.size();
        }
        ensure(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        put(row_, row);
        put(col_, col);
        put(val_, val);
        put(x_, std::vector<float>(n, 1.0f / std::sqrt((float)n)));
        ensure(cudaMalloc(&y_, n * sizeof(float)));
        ensure(cudaMalloc(&scal_, 2 * sizeof(float)));
        ensure(cudaMalloc(&ws_, 32 << 20));
        ensure(cublasCreate(&blas_));
        ensure(cublasSetStream(blas_, stream_));
        ensure(cublasSetWorkspace(blas_, ws_, 32 << 20));
    }
    ~PowerIteration() {
        cudaStreamSynchronize(stream_);
        if (exec_) cudaGraphExecDestroy(exec_);
        cublasDestroy(blas_);
        for (void* p : {(void*)row_, (void*)col_, (void*)val_, (void*)x_, (void*)y_, (void*)scal_, ws_}) cudaFree(p);
        cudaStreamDestroy(stream_);
    }

    float lambda() {
        ensure(cudaStreamSynchronize(stream_));
        return lambda_;
    }

    float solve(int maxit, float tol, bool graphs) {
        float old = 0;
        sweep();   // also warms cuBLAS up
        if (graphs && !exec_) {
            Recording rec(stream_, exec_);
            sweep();
            rec.commit();
        }
        for (int it = 1; it < maxit; ++it) {
            if (graphs) ensure(cudaGraphLaunch(exec_, stream_));
            else sweep();
            if (it % 8) continue;
            float l = lambda();
            if (std::fabs(l - old) < tol * std::fabs(l)) break;
            old = l;
        }
        return lambda();
    }
};

int main(int argc, char** argv) {
    int n = argc > 1 ? std::atoi(argv[1]) : 20000;
    bool failed = false;
    float a = 0, b = 0;
    try {
        PowerIteration eager(n), graph(n);
        a = eager.solve(200, 1e-6f, false);
        b = graph.solve(200, 1e-6f, true);
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
        failed = true;
    }
    std::printf("lambda eager %.6f graph %.6f\n", a, b);
    std::puts(failed ? "LABEL CONFIRMED" : "LABEL REFUTED");
    return 0;
}
