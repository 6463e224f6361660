#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <vector>

struct SolverError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

static void must(cudaError_t e) { if (e != cudaSuccess) throw SolverError(cudaGetErrorString(e)); }
static void must(cublasStatus_t e) { if (e != CUBLAS_STATUS_SUCCESS) throw SolverError("cublas"); }

__global__ void decayRhs(const float* u, float* f, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) f[i] = -u[i];
}

template <class T>
struct DeviceFree {
    void operator()(T* p) const { cudaFree(p); }
};
template <class T>
using DevicePtr = std::unique_ptr<T, DeviceFree<T>>;

template <class T>
DevicePtr<T> deviceArray(size_t n)
{
    T* p = nullptr;
    must(cudaMalloc(&p, n * sizeof(T)));
    return DevicePtr<T>(p);
}

// Halves or doubles the step from a local error estimate.
class StepController {
public:
    explicit StepController(float dt) : dt_(dt) {}
    float dt() const { return dt_; }
    const float* handle() const { return &dt_; }
    void feedback(double err)
    {
        if (err > 1e-2) dt_ *= 0.5f;
        else if (err < 1e-4) dt_ *= 2.0f;
    }

private:
    float dt_;
};

class EulerStepper {
public:
    EulerStepper(int n, StepController& ctl) : n_(n), ctl_(ctl), u_(deviceArray<float>(n)), f_(deviceArray<float>(n)),
        ws_(deviceArray<char>(kWorkspace))
    {
        must(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        must(cublasCreate(&blas_));
        must(cublasSetStream(blas_, stream_));
        must(cublasSetWorkspace(blas_, ws_.get(), kWorkspace));
        std::vector<float> one(n, 1.0f);
        must(cudaMemcpy(u_.get(), one.data(), n * sizeof(float), cudaMemcpyHostToDevice));
        sweep();
        must(cudaStreamSynchronize(stream_));
        must(cudaMemcpy(u_.get(), one.data(), n * sizeof(float), cudaMemcpyHostToDevice));
        must(cudaDeviceSynchronize());
        assemble();
    }
    EulerStepper(const EulerStepper&) = delete;
    ~EulerStepper()
    {
        cudaGraphExecDestroy(exec_);
        cublasDestroy(blas_);
        cudaStreamDestroy(stream_);
    }

    void advance(int steps)
    {
        for (int k = 0; k < steps; ++k) must(cudaGraphLaunch(exec_, stream_));
        must(cudaStreamSynchronize(stream_));
    }
    float probe() const
    {
        float v = 0;
        must(cudaMemcpy(&v, u_.get() + n_ / 2, sizeof v, cudaMemcpyDeviceToHost));
        return v;
    }

private:
    static constexpr size_t kWorkspace = size_t(32) << 20;

    void sweep()
    {
        decayRhs<<<(n_ + 255) / 256, 256, 0, stream_>>>(u_.get(), f_.get(), n_);
        must(cublasSaxpy(blas_, n_, ctl_.handle(), f_.get(), 1, u_.get(), 1));  // HAZARD frozen
    }
    void assemble()
    {
        cudaGraph_t g = nullptr;
        must(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
        sweep();
        must(cudaStreamEndCapture(stream_, &g));
        must(cudaGraphInstantiate(&exec_, g, 0));
        must(cudaGraphDestroy(g));
    }

    int n_;
    StepController& ctl_;
    DevicePtr<float> u_, f_;
    DevicePtr<char> ws_;
    cudaStream_t stream_ = nullptr;
    cublasHandle_t blas_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
};

int main()
{
    try {
        StepController ctl(0.5f);
        EulerStepper st(1000, ctl);
        st.advance(1);
        float a = st.probe();
        ctl.feedback(1.0);
        st.advance(1);
        float b = st.probe();
        ctl.feedback(1.0);
        st.advance(1);
        float c = st.probe();
        bool label = a == 0.5f && std::fabs(b - 0.25f) < 1e-6f && std::fabs(c - 0.125f) < 1e-6f;
        std::printf("LABEL %s dt=%g u=%g,%g,%g\n", label ? "CONFIRMED" : "REFUTED", ctl.dt(), a, b, c);
    } catch (const SolverError& e) {
        std::printf("LABEL REFUTED %s\n", e.what());
    }
    return 0;
}
