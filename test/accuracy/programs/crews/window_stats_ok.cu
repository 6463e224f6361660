// Sliding-window tremor statistics for a seismograph, built from policy-based pipeline stages.
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdio>
#include <vector>

namespace seis {

// ---- storage policies -------------------------------------------------------------------------------------------
// Allocated with the stage; for buffers whose size is known at compile time.
template <class T, std::size_t N>
class eager_storage {
public:
    eager_storage() {
        if (cudaMalloc(&data_, N * sizeof(T)) != cudaSuccess) data_ = nullptr;
    }
    ~eager_storage() { cudaFree(data_); }
    eager_storage(const eager_storage&) = delete;
    eager_storage& operator=(const eager_storage&) = delete;
    cudaError_t acquire(T** out) {
        *out = data_;
        return data_ ? cudaSuccess : cudaErrorMemoryAllocation;
    }

private:
    T* data_ = nullptr;
};

// Allocated when a stage asks for it the first time; saves memory for stages that are configured but not used.
template <class T, std::size_t N>
class lazy_storage {
public:
    lazy_storage() = default;
    ~lazy_storage() { cudaFree(data_); }
    lazy_storage(const lazy_storage&) = delete;
    lazy_storage& operator=(const lazy_storage&) = delete;
    cudaError_t acquire(T** out) {
        if (!data_) {
            const cudaError_t rc = cudaMalloc(&data_, N * sizeof(T));
            if (rc != cudaSuccess) return rc;
        }
        *out = data_;
        return cudaSuccess;
    }

private:
    T* data_ = nullptr;
};

// ---- kernels ----------------------------------------------------------------------------------------------------
struct absolute_value {
    __device__ static int apply(int v) { return v < 0 ? -v : v; }
};
struct squared {
    __device__ static int apply(int v) { return v * v; }
};

template <class Map>
__global__ void map_samples(const int* in, int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = Map::apply(in[i]);
}

template <int Window>
__global__ void window_sum(const int* in, int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int s = 0;
    for (int k = 0; k < Window && i + k < n; ++k) s += in[i + k];
    out[i] = s;
}

// ---- CRTP stage -------------------------------------------------------------------------------------------------
template <class Derived>
class stage {
public:
    cudaError_t run(const int* in, int* out, int n, cudaStream_t stream) {
        return static_cast<Derived*>(this)->enqueue(in, out, n, stream);
    }
};

template <class Map, int Window, template <class, std::size_t> class Storage, std::size_t MaxSamples>
class window_stage : public stage<window_stage<Map, Window, Storage, MaxSamples>> {
public:
    // Takes the intermediate buffer now, so that enqueue() only hands out what exists.
    cudaError_t prime() {
        int* unused = nullptr;
        return mapped_.acquire(&unused);
    }
    cudaError_t enqueue(const int* in, int* out, int n, cudaStream_t stream) {
        int* mapped = nullptr;
        const cudaError_t rc = mapped_.acquire(&mapped);
        if (rc != cudaSuccess) return rc;
        map_samples<Map><<<(n + 255) / 256, 256, 0, stream>>>(in, mapped, n);
        window_sum<Window><<<(n + 255) / 256, 256, 0, stream>>>(mapped, out, n);
        return cudaGetLastError();
    }

private:
    Storage<int, MaxSamples> mapped_;
};

template <std::size_t MaxSamples>
class tremor_monitor {
public:
    tremor_monitor() { cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking); }
    ~tremor_monitor() {
        if (exec_) cudaGraphExecDestroy(exec_);
        cudaStreamDestroy(stream_);
    }
    tremor_monitor(const tremor_monitor&) = delete;
    tremor_monitor& operator=(const tremor_monitor&) = delete;

    cudaError_t prepare(const int* samples, int* level, int* energy, int n) {
        if (const cudaError_t rc = energy_.prime(); rc != cudaSuccess) return rc;
        cudaError_t rc = cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal);
        if (rc != cudaSuccess) return rc;
        cudaError_t recorded = level_.run(samples, level, n, stream_);
        if (recorded == cudaSuccess) recorded = energy_.run(samples, energy, n, stream_);
        cudaGraph_t graph = nullptr;
        rc = cudaStreamEndCapture(stream_, &graph);
        if (recorded != cudaSuccess) rc = recorded;
        if (rc == cudaSuccess) rc = cudaGraphInstantiate(&exec_, graph, 0);
        if (graph) cudaGraphDestroy(graph);
        return rc;
    }
    cudaError_t update() {
        const cudaError_t rc = cudaGraphLaunch(exec_, stream_);
        return rc != cudaSuccess ? rc : cudaStreamSynchronize(stream_);
    }

private:
    cudaStream_t stream_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
    window_stage<absolute_value, 8, eager_storage, MaxSamples> level_;
    window_stage<squared, 16, lazy_storage, MaxSamples> energy_;
};

}  // namespace seis

namespace {

constexpr int kSamples = 4000;

template <class F>
std::vector<int> reference(const std::vector<int>& in, int window, F map) {
    std::vector<int> out(in.size(), 0);
    for (std::size_t i = 0; i < in.size(); ++i) {
        for (std::size_t k = i; k < in.size() && k < i + window; ++k) out[i] += map(in[k]);
    }
    return out;
}

cudaError_t upload(int* device, const std::vector<int>& host) {
    const cudaError_t rc = cudaMemcpy(device, host.data(), host.size() * sizeof(int), cudaMemcpyHostToDevice);
    return rc != cudaSuccess ? rc : cudaDeviceSynchronize();
}

}  // namespace

int main() {
    int *samples = nullptr, *level = nullptr, *energy = nullptr;
    bool setup = true;
    for (int** p : {&samples, &level, &energy}) setup = setup && cudaMalloc(p, kSamples * sizeof(int)) == cudaSuccess;

    cudaError_t prepared = cudaSuccess;
    bool right = true;
    {
        seis::tremor_monitor<4096> monitor;
        prepared = monitor.prepare(samples, level, energy, kSamples);
        std::vector<int> trace(kSamples), gotLevel(kSamples), gotEnergy(kSamples);
        for (int second = 1; setup && prepared == cudaSuccess && second <= 4; ++second) {
            for (int i = 0; i < kSamples; ++i) trace[i] = (i * second) % 41 - 20;
            right = right && upload(samples, trace) == cudaSuccess && monitor.update() == cudaSuccess;
            const std::size_t bytes = kSamples * sizeof(int);
            right = right && cudaMemcpy(gotLevel.data(), level, bytes, cudaMemcpyDeviceToHost) == cudaSuccess;
            right = right && cudaMemcpy(gotEnergy.data(), energy, bytes, cudaMemcpyDeviceToHost) == cudaSuccess;
            right = right && gotLevel == reference(trace, 8, [](int v) { return v < 0 ? -v : v; });
            right = right && gotEnergy == reference(trace, 16, [](int v) { return v * v; });
        }
    }
    for (int* p : {samples, level, energy}) cudaFree(p);
    std::printf("prepare: %s\n", cudaGetErrorName(prepared));
    std::puts(setup && prepared == cudaSuccess && right ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
