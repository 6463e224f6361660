// Battery pack digital twin: explicit heat equation on a ring of cells, stepped by a scheduler.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace twin {

class CudaException : public std::runtime_error {
public:
    CudaException(cudaError_t code, const char* expr)
        : std::runtime_error(std::string(expr) + " -> " + cudaGetErrorName(code)) {}
};
#define TWIN_CHECK(expr)                                              \
    if (cudaError_t c_ = (expr); c_ != cudaSuccess) throw ::twin::CudaException(c_, #expr)

template <class T>
class DeviceArray {
public:
    explicit DeviceArray(std::size_t n) : size_(n) { TWIN_CHECK(cudaMalloc(&data_, n * sizeof(T))); }
    ~DeviceArray() { (void)cudaFree(data_); }
    DeviceArray(const DeviceArray&) = delete;
    DeviceArray& operator=(const DeviceArray&) = delete;
    T* data() const { return data_; }
    std::size_t size() const { return size_; }

private:
    T* data_ = nullptr;
    std::size_t size_;
};
using FieldPtr = std::unique_ptr<DeviceArray<float>>;

class Stream {
public:
    Stream() { TWIN_CHECK(cudaStreamCreateWithFlags(&handle_, cudaStreamNonBlocking)); }
    ~Stream() { (void)cudaStreamDestroy(handle_); }
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;
    cudaStream_t get() const { return handle_; }

private:
    cudaStream_t handle_ = nullptr;
};

__global__ void heatStep(const float* in, float* out, int n, float alpha) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float l = in[(i + n - 1) % n], c = in[i], r = in[(i + 1) % n];
    out[i] = c + alpha * (l - 2.0f * c + r);
}

class ThermalModel {
public:
    struct Options {
        int cells = 96;
        float alpha = 0.2f;
    };
    ThermalModel(Options options, const Stream& stream)
        : options_(options),
          stream_(stream),
          front_(std::make_unique<DeviceArray<float>>(options.cells)),
          back_(std::make_unique<DeviceArray<float>>(options.cells)) {}

    static constexpr int stepsPerTick() { return 2; }

    void load(const std::vector<float>& celsius) {
        TWIN_CHECK(cudaMemcpyAsync(front_->data(), celsius.data(), celsius.size() * sizeof(float),
                                   cudaMemcpyHostToDevice, stream_.get()));
        TWIN_CHECK(cudaStreamSynchronize(stream_.get()));
    }
    std::vector<float> read() const {
        std::vector<float> out(front_->size());
        TWIN_CHECK(cudaMemcpyAsync(out.data(), front_->data(), out.size() * sizeof(float), cudaMemcpyDeviceToHost,
                                   stream_.get()));
        TWIN_CHECK(cudaStreamSynchronize(stream_.get()));
        return out;
    }
    void advance() {
        DeviceArray<float>* from = front_.get();
        DeviceArray<float>* to = back_.get();
        for (int s = 0; s < stepsPerTick(); ++s) {
            diffuse(*from, *to);
            std::swap(from, to);
        }
    }

private:
    void diffuse(const DeviceArray<float>& from, DeviceArray<float>& to) {
        const int n = options_.cells;
        heatStep<<<(n + 31) / 32, 32, 0, stream_.get()>>>(from.data(), to.data(), n, options_.alpha);
        TWIN_CHECK(cudaGetLastError());
    }
    const Options options_;
    const Stream& stream_;
    FieldPtr front_, back_;
};

class Replayable {
public:
    template <class Body>
    Replayable(const Stream& stream, Body&& body) : stream_(stream) {
        cudaGraph_t graph = nullptr;
        TWIN_CHECK(cudaStreamBeginCapture(stream_.get(), cudaStreamCaptureModeRelaxed));
        try {
            std::forward<Body>(body)();
        } catch (...) {
            (void)cudaStreamEndCapture(stream_.get(), &graph);
            if (graph) (void)cudaGraphDestroy(graph);
            throw;
        }
        TWIN_CHECK(cudaStreamEndCapture(stream_.get(), &graph));
        const cudaError_t rc = cudaGraphInstantiate(&exec_, graph, 0);
        (void)cudaGraphDestroy(graph);
        TWIN_CHECK(rc);
    }
    ~Replayable() { (void)cudaGraphExecDestroy(exec_); }
    Replayable(const Replayable&) = delete;
    Replayable& operator=(const Replayable&) = delete;
    void operator()() const { TWIN_CHECK(cudaGraphLaunch(exec_, stream_.get())); }

private:
    const Stream& stream_;
    cudaGraphExec_t exec_ = nullptr;
};

class Scheduler {
public:
    Scheduler(std::shared_ptr<ThermalModel> model, const Stream& stream) : model_(std::move(model)), stream_(stream) {}
    void start() {
        tick_ = std::make_unique<Replayable>(stream_, [model = model_.get()] { model->advance(); });
    }
    void stop() {
        TWIN_CHECK(cudaStreamSynchronize(stream_.get()));
        tick_.reset();
    }
    void run(int ticks) {
        for (int t = 0; t < ticks; ++t) (*tick_)();
    }

private:
    std::shared_ptr<ThermalModel> model_;
    const Stream& stream_;
    std::unique_ptr<Replayable> tick_;
};

}  // namespace twin

int main() try {
    const int ticks = 9;
    twin::ThermalModel::Options options;
    std::vector<float> cells(options.cells, 25.0f);
    cells[40] = 95.0f;

    twin::Stream stream;
    auto model = std::make_shared<twin::ThermalModel>(options, stream);
    model->load(cells);
    twin::Scheduler scheduler(model, stream);
    scheduler.start();
    scheduler.run(ticks);
    scheduler.stop();
    const std::vector<float> got = model->read();

    for (int s = 0; s < ticks * twin::ThermalModel::stepsPerTick(); ++s) {
        const std::vector<float> prev = cells;
        const int n = options.cells;
        for (int i = 0; i < n; ++i)
            cells[i] = prev[i] + options.alpha * (prev[(i + n - 1) % n] - 2.0f * prev[i] + prev[(i + 1) % n]);
    }
    float worst = 0.0f;
    for (int i = 0; i < options.cells; ++i) worst = std::fmax(worst, std::fabs(got[i] - cells[i]));
    std::printf("hot cell %.3f, reference %.3f, worst difference %.5f\n", got[40], cells[40], worst);
    std::puts(worst < 0.01f ? "LABEL CONFIRMED" : "LABEL REFUTED");
    return 0;
} catch (const std::exception& e) {
    std::printf("%s\nLABEL REFUTED\n", e.what());
    return 0;
}
