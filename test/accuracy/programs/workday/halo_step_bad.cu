// Limited-area weather model: interior advection and halo packing overlap within one recorded time step.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

namespace wx {

struct Domain {
    int nx = 96;
    int ny = 48;
    int cells() const { return nx * ny; }
};

struct Fields {
    float* q = nullptr;     // humidity
    float* qNext = nullptr;
    float* west = nullptr;  // packed halo columns
    float* east = nullptr;
};

__global__ void advect_interior(const float* q, float* qNext, Domain d, float courant)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y;
    if (i < 1 || i >= d.nx) return;
    qNext[j * d.nx + i] = q[j * d.nx + i] - courant * (q[j * d.nx + i] - q[j * d.nx + i - 1]);
}

__global__ void pack_column(const float* q, float* packed, Domain d, int column)
{
    const int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j < d.ny) packed[j] = q[j * d.nx + column];
}

__global__ void apply_periodic(float* qNext, const float* q, const float* east, Domain d, float courant)
{
    const int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j < d.ny) qNext[j * d.nx] = q[j * d.nx] - courant * (q[j * d.nx] - east[j]);
}

// First error wins, as in the rest of the model.
class ErrorLatch {
public:
    ErrorLatch& operator<<(cudaError_t e)
    {
        if (first_ == cudaSuccess) first_ = e;
        return *this;
    }
    cudaError_t first() const { return first_; }

private:
    cudaError_t first_ = cudaSuccess;
};

class Stepper {
public:
    explicit Stepper(const Domain& d) : d_(d)
    {
        const std::size_t bytes = d.cells() * sizeof(float);
        errors_ << cudaStreamCreateWithFlags(&dynamics_, cudaStreamNonBlocking)
                << cudaStreamCreateWithFlags(&halo_, cudaStreamNonBlocking)
                << cudaEventCreateWithFlags(&stateReady_, cudaEventDisableTiming)
                << cudaEventCreateWithFlags(&haloPacked_, cudaEventDisableTiming) << cudaMalloc(&f_.q, bytes)
                << cudaMalloc(&f_.qNext, bytes) << cudaMalloc(&f_.west, d.ny * sizeof(float))
                << cudaMalloc(&f_.east, d.ny * sizeof(float));
    }
    ~Stepper()
    {
        if (step_) cudaGraphExecDestroy(step_);
        for (float* p : {f_.q, f_.qNext, f_.west, f_.east}) cudaFree(p);
        cudaEventDestroy(stateReady_);
        cudaEventDestroy(haloPacked_);
        cudaStreamDestroy(halo_);
        cudaStreamDestroy(dynamics_);
    }

    void initialize(const std::vector<float>& q)
    {
        errors_ << cudaMemcpyAsync(f_.q, q.data(), q.size() * sizeof(float), cudaMemcpyHostToDevice, dynamics_)
                << cudaStreamSynchronize(dynamics_);
    }

    cudaError_t build(float courant)
    {
        stepBegin();
        exchange_halo();
        const dim3 grid((d_.nx + 31) / 32, d_.ny);
        advect_interior<<<grid, 32, 0, dynamics_>>>(f_.q, f_.qNext, d_, courant);
        errors_ << cudaStreamWaitEvent(dynamics_, haloPacked_, 0);
        apply_periodic<<<1, 64, 0, dynamics_>>>(f_.qNext, f_.q, f_.east, d_, courant);
        errors_ << cudaMemcpyAsync(f_.q, f_.qNext, d_.cells() * sizeof(float), cudaMemcpyDeviceToDevice, dynamics_);
        return stepEnd();
    }

    void run(int steps)
    {
        for (int s = 0; s < steps; ++s) errors_ << cudaGraphLaunch(step_, dynamics_);
    }

    std::vector<float> humidity()
    {
        std::vector<float> q(d_.cells());
        errors_ << cudaMemcpyAsync(q.data(), f_.q, q.size() * sizeof(float), cudaMemcpyDeviceToHost, dynamics_)
                << cudaStreamSynchronize(dynamics_);
        return q;
    }

    cudaError_t status() const { return errors_.first(); }

private:
    void stepBegin()
    {
        errors_ << cudaStreamBeginCapture(dynamics_, cudaStreamCaptureModeThreadLocal)
                << cudaEventRecord(stateReady_, dynamics_) << cudaStreamWaitEvent(halo_, stateReady_, 0);
    }

    void exchange_halo()
    {
        pack_column<<<1, 64, 0, halo_>>>(f_.q, f_.east, d_, d_.nx - 1);
        errors_ << cudaEventRecord(haloPacked_, halo_); // HAZARD dependency #west
        pack_column<<<1, 64, 0, halo_>>>(f_.q, f_.west, d_, 0); // HAZARD dependency #west
        errors_ << cudaGetLastError();
    }

    cudaError_t stepEnd()
    {
        cudaGraph_t graph = nullptr;
        const cudaError_t ended = cudaStreamEndCapture(dynamics_, &graph);
        if (ended != cudaSuccess) return ended;
        const cudaError_t made = cudaGraphInstantiate(&step_, graph, 0);
        errors_ << cudaGraphDestroy(graph);
        return made;
    }

    Domain d_;
    Fields f_;
    ErrorLatch errors_;
    cudaStream_t dynamics_ = nullptr;
    cudaStream_t halo_ = nullptr;
    cudaEvent_t stateReady_ = nullptr;
    cudaEvent_t haloPacked_ = nullptr;
    cudaGraphExec_t step_ = nullptr;
};

} // namespace wx

int main()
{
    const wx::Domain domain;
    wx::Stepper stepper(domain);
    std::vector<float> q(domain.cells());
    for (int k = 0; k < domain.cells(); ++k) q[k] = static_cast<float>(k % domain.nx);
    stepper.initialize(q);

    const cudaError_t built = stepper.build(0.5f);
    if (built == cudaErrorStreamCaptureUnjoined && stepper.status() == cudaSuccess) {
        std::puts("LABEL CONFIRMED");
        return 0;
    }
    std::printf("LABEL NOT CONFIRMED: end of capture: %s, calls before: %s\n", cudaGetErrorName(built),
                cudaGetErrorName(stepper.status()));
    return 1;
}
