// dv: lazily evaluated device views (span | transform | stride), and a smart-meter window processor that uses them.
#include <cuda_runtime.h>

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <map>
#include <vector>

namespace dv {

template <class T>
class span {
public:
    using value_type = T;
    span(T* first, int count) : first_(first), count_(count) {}
    __host__ __device__ int size() const { return count_; }
    __device__ T& operator[](int i) const { return first_[i]; }

private:
    T* first_;
    int count_;
};

template <class View, class Fn>
class transform_view {
public:
    using value_type = typename View::value_type;
    transform_view(View base, Fn fn) : base_(base), fn_(fn) {}
    __host__ __device__ int size() const { return base_.size(); }
    __device__ value_type operator[](int i) const { return fn_(base_[i]); }

private:
    View base_;
    Fn fn_;
};

template <class View>
class stride_view {
public:
    using value_type = typename View::value_type;
    stride_view(View base, int step) : base_(base), step_(step) {}
    __host__ __device__ int size() const { return (base_.size() + step_ - 1) / step_; }
    __device__ value_type operator[](int i) const { return base_[i * step_]; }

private:
    View base_;
    int step_;
};

template <class Fn>
struct transform {
    Fn fn;
};
template <class Fn>
transform(Fn) -> transform<Fn>;
struct stride {
    int step;
};

template <class View, class Fn>
transform_view<View, Fn> operator|(View v, transform<Fn> t) {
    return {v, t.fn};
}
template <class View>
stride_view<View> operator|(View v, stride s) {
    return {v, s.step};
}

template <class View, class T>
__global__ void store_kernel(View source, T* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < source.size()) out[i] = source[i];
}

template <class View, class T>
__global__ void mean_kernel(View source, T* out) {
    __shared__ T partial[256];
    T sum = 0;
    for (int i = threadIdx.x; i < source.size(); i += blockDim.x) sum += source[i];
    partial[threadIdx.x] = sum;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (static_cast<int>(threadIdx.x) < half) partial[threadIdx.x] += partial[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) *out = partial[0] / source.size();
}

template <class View, class T>
[[nodiscard]] cudaError_t store(View source, T* out, cudaStream_t stream) {
    store_kernel<<<(source.size() + 255) / 256, 256, 0, stream>>>(source, out);
    return cudaGetLastError();
}

template <class View, class T>
[[nodiscard]] cudaError_t mean(View source, T* out, cudaStream_t stream) {
    mean_kernel<<<1, 256, 0, stream>>>(source, out);
    return cudaGetLastError();
}

}  // namespace dv

struct Calibrate {
    float offset, slope;
    __device__ float operator()(float raw) const { return offset + slope * raw; }
};

constexpr int kCapacity = 4096;
constexpr int kThinning = 3;
constexpr Calibrate kMeter{-0.25f, 0.02f};

// One compiled version of the window pipeline.
class CompiledWindow {
public:
    CompiledWindow() = default;
    CompiledWindow(const CompiledWindow&) = delete;
    CompiledWindow& operator=(const CompiledWindow&) = delete;
    ~CompiledWindow() {
        if (exec_) cudaGraphExecDestroy(exec_);
        if (graph_) cudaGraphDestroy(graph_);
    }
    template <class Record>
    cudaError_t compile(cudaStream_t stream, Record record) {
        cudaError_t status = cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
        if (status != cudaSuccess) return status;
        cudaError_t recorded = record();
        status = cudaStreamEndCapture(stream, &graph_);
        if (recorded != cudaSuccess) return recorded;
        if (status != cudaSuccess) return status;
        return cudaGraphInstantiate(&exec_, graph_, 0);
    }
    cudaError_t launch(cudaStream_t stream) const { return cudaGraphLaunch(exec_, stream); }

private:
    cudaGraph_t graph_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
};

struct WindowResult {
    std::vector<float> thinned;
    float mean = 0.0f;
};

class MeterWindow {
public:
    ~MeterWindow() {
        compiled_.clear();
        cudaFree(raw_);
        cudaFree(thinned_);
        cudaFree(mean_);
        cudaFreeHost(staging_);
        if (stream_) cudaStreamDestroy(stream_);
    }

    cudaError_t open() {
        cudaError_t s;
        if ((s = cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)) != cudaSuccess) return s;
        if ((s = cudaMalloc(&raw_, kCapacity * sizeof(float))) != cudaSuccess) return s;
        if ((s = cudaMalloc(&thinned_, kCapacity * sizeof(float))) != cudaSuccess) return s;
        if ((s = cudaMalloc(&mean_, sizeof(float))) != cudaSuccess) return s;
        if ((s = cudaMallocHost(&staging_, kCapacity * sizeof(float))) != cudaSuccess) return s;
        if ((s = cudaMemset(raw_, 0, kCapacity * sizeof(float))) != cudaSuccess) return s;
        if ((s = cudaMemset(thinned_, 0, kCapacity * sizeof(float))) != cudaSuccess) return s;
        return cudaDeviceSynchronize();
    }

    cudaError_t process(const std::vector<float>& readings, WindowResult& result) {
        count_ = static_cast<int>(readings.size());
        for (int i = 0; i < count_; ++i) staging_[i] = readings[i];
        cudaError_t s;
        auto [entry, isNew] = compiled_.try_emplace(count_);
        if (isNew) {
            s = entry->second.compile(stream_, [this] { return record(); });
            if (s != cudaSuccess) {
                compiled_.erase(entry);
                return s;
            }
        }
        if ((s = entry->second.launch(stream_)) != cudaSuccess) return s;
        if ((s = cudaStreamSynchronize(stream_)) != cudaSuccess) return s;
        result.thinned.resize((count_ + kThinning - 1) / kThinning);
        s = cudaMemcpy(result.thinned.data(), thinned_, result.thinned.size() * sizeof(float), cudaMemcpyDeviceToHost);
        if (s != cudaSuccess) return s;
        return cudaMemcpy(&result.mean, mean_, sizeof(float), cudaMemcpyDeviceToHost);
    }

private:
    cudaError_t record() {
        cudaError_t s = cudaMemcpyAsync(raw_, staging_, count_ * sizeof(float), cudaMemcpyHostToDevice, stream_);
        if (s != cudaSuccess) return s;
        auto calibrated = dv::span<float>(raw_, count_) | dv::transform{kMeter};
        if ((s = dv::store(calibrated | dv::stride{kThinning}, thinned_, stream_)) != cudaSuccess) return s;
        return dv::mean(calibrated, mean_, stream_);
    }

    cudaStream_t stream_ = nullptr;
    float* raw_ = nullptr;
    float* thinned_ = nullptr;
    float* mean_ = nullptr;
    float* staging_ = nullptr;
    int count_ = 0;
    std::map<int, CompiledWindow> compiled_;
};

static int check_window(const std::vector<float>& readings, const WindowResult& got) {
    int wrong = 0;
    double sum = 0.0;
    for (std::size_t i = 0; i < readings.size(); ++i) {
        float want = kMeter.offset + kMeter.slope * readings[i];
        sum += want;
        if (i % kThinning == 0) wrong += std::fabs(got.thinned[i / kThinning] - want) > 1e-4f * (1.0f + std::fabs(want));
    }
    double mean = sum / readings.size();
    return wrong + (std::fabs(got.mean - mean) > 1e-3 * (1.0 + std::fabs(mean)));
}

int main() {
    MeterWindow window;
    cudaError_t status = window.open();
    int wrong = 0;
    const int sizes[] = {1000, 1000, 1800, 640, 2500, 1000};
    for (int tick = 0; status == cudaSuccess && tick < 6; ++tick) {
        std::vector<float> readings(sizes[tick]);
        for (std::size_t i = 0; i < readings.size(); ++i) readings[i] = 100.0f + 40.0f * tick + static_cast<float>(i * 13 % 71);
        WindowResult result;
        status = window.process(readings, result);
        int here = status == cudaSuccess ? check_window(readings, result) : 0;
        std::printf("tick %d: %zu readings, %d wrong\n", tick, readings.size(), here);
        wrong += here;
    }
    const bool confirmed = status == cudaSuccess && wrong == 0;
    std::printf("%s\n%s\n", cudaGetErrorString(status), confirmed ? "LABEL CONFIRMED" : "LABEL WRONG");
    return confirmed ? 0 : 1;
}
