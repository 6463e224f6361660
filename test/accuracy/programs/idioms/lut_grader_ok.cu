// Colour grading: a "look" is a list of operations that is turned into stages by a builder and recorded as a graph.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace grade {

inline void require(cudaError_t status, std::string_view what) {
    if (status != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(status));
}

struct DeviceFree { void operator()(float* p) const noexcept { cudaFree(p); } };
using DeviceBuffer = std::unique_ptr<float[], DeviceFree>;

struct StreamClose { void operator()(cudaStream_t s) const noexcept { cudaStreamDestroy(s); } };
using Stream = std::unique_ptr<std::remove_pointer_t<cudaStream_t>, StreamClose>;
struct GraphClose { void operator()(cudaGraph_t g) const noexcept { cudaGraphDestroy(g); } };
using Graph = std::unique_ptr<std::remove_pointer_t<cudaGraph_t>, GraphClose>;
struct ExecClose { void operator()(cudaGraphExec_t e) const noexcept { cudaGraphExecDestroy(e); } };
using Exec = std::unique_ptr<std::remove_pointer_t<cudaGraphExec_t>, ExecClose>;

DeviceBuffer allocate(std::size_t count) {
    float* p = nullptr;
    require(cudaMalloc(&p, count * sizeof(float)), "allocate");
    return DeviceBuffer(p);
}

DeviceBuffer upload(const std::vector<float>& host) {
    DeviceBuffer device = allocate(host.size());
    require(cudaMemcpy(device.get(), host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice), "upload");
    return device;
}

__global__ void liftKernel(float* px, int n, float amount) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) px[i] += amount;
}

__global__ void curveKernel(float* px, int n, const float* table, int size) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) px[i] = table[min(max(static_cast<int>(px[i]), 0), size - 1)];
}

struct Lift { float amount; };
struct Curve { std::vector<float> table; };
using Operation = std::variant<Lift, Curve>;

template <class... F> struct Overloaded : F... { using F::operator()...; };
template <class... F> Overloaded(F...) -> Overloaded<F...>;

struct Canvas {
    DeviceBuffer pixels;
    int count;
};

class Look {
public:
    Look(Exec exec, std::vector<DeviceBuffer> tables) : tables_(std::move(tables)), exec_(std::move(exec)) {}
    cudaError_t apply(cudaStream_t stream) const { return cudaGraphLaunch(exec_.get(), stream); }

private:
    std::vector<DeviceBuffer> tables_;
    Exec exec_;
};

class LookBuilder {
public:
    LookBuilder& add(const Operation& op) {
        std::visit(Overloaded{
                       [this](const Lift& lift) {
                           stages_.emplace_back([amount = lift.amount](cudaStream_t s, float* px, int n) {
                               liftKernel<<<(n + 255) / 256, 256, 0, s>>>(px, n, amount);
                           });
                       },
                       [this](const Curve& curve) {
                           tables_.push_back(upload(curve.table));
                           const int size = static_cast<int>(curve.table.size());
                           stages_.emplace_back([table = tables_.back().get(), size](cudaStream_t s, float* px, int n) {
                               curveKernel<<<(n + 255) / 256, 256, 0, s>>>(px, n, table, size);
                           });
                       },
                   },
                   op);
        return *this;
    }

    Look record(cudaStream_t stream, const Canvas& canvas) {
        require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "begin");
        std::optional<cudaError_t> failure;
        for (const auto& stage : stages_) {
            stage(stream, canvas.pixels.get(), canvas.count);
            if (const cudaError_t e = cudaGetLastError(); e != cudaSuccess && !failure) failure = e;
        }
        cudaGraph_t raw = nullptr;
        const cudaError_t ended = cudaStreamEndCapture(stream, &raw);
        const Graph graph(raw);
        require(failure.value_or(ended), "record");
        cudaGraphExec_t exec = nullptr;
        require(cudaGraphInstantiate(&exec, graph.get(), 0), "instantiate");
        return Look(Exec(exec), std::move(tables_));
    }

private:
    std::vector<DeviceBuffer> tables_;
    std::vector<std::function<void(cudaStream_t, float*, int)>> stages_;
};

constexpr int kLevels = 16384;

Look makeLook(std::string_view name, cudaStream_t stream, const Canvas& canvas) {
    const float slope = name == "dusk" ? 0.5f : 0.25f;
    std::vector<float> table(kLevels);
    for (int i = 0; i < kLevels; ++i) table[i] = slope * static_cast<float>(i) + 3.0f;
    LookBuilder builder;
    builder.add(Lift{2.0f}).add(Curve{std::move(table)}).add(Lift{1.0f});
    return builder.record(stream, canvas);
}

}  // namespace grade

int main() {
    using namespace grade;
    bool confirmed = false;
    try {
        cudaStream_t rawStream = nullptr;
        require(cudaStreamCreate(&rawStream), "stream");
        const Stream stream(rawStream);
        const Canvas canvas{allocate(8192), 8192};
        const Look dusk = makeLook("dusk", stream.get(), canvas);
        const Look night = makeLook("night", stream.get(), canvas);

        std::vector<DeviceBuffer> stills;   // black reference stills, as large as a curve table
        for (int i = 0; i < 16; ++i) stills.push_back(upload(std::vector<float>(kLevels, -1.0f)));

        std::vector<float> input(canvas.count), output(canvas.count);
        const std::size_t bytes = input.size() * sizeof(float);
        int wrong = 0;
        cudaError_t status = cudaSuccess;
        const auto keep = [&status](cudaError_t e) { if (status == cudaSuccess) status = e; };
        for (int frame = 0; frame < 6 && status == cudaSuccess; ++frame) {
            const bool useDusk = frame % 2 == 0;
            for (int i = 0; i < canvas.count; ++i) input[i] = static_cast<float>((i * 3 + frame) % 8000);
            keep(cudaMemcpyAsync(canvas.pixels.get(), input.data(), bytes, cudaMemcpyHostToDevice, stream.get()));
            keep((useDusk ? dusk : night).apply(stream.get()));
            keep(cudaMemcpyAsync(output.data(), canvas.pixels.get(), bytes, cudaMemcpyDeviceToHost, stream.get()));
            keep(cudaStreamSynchronize(stream.get()));
            for (int i = 0; i < canvas.count; ++i) {
                const float want = (useDusk ? 0.5f : 0.25f) * (input[i] + 2.0f) + 4.0f;
                if (std::fabs(output[i] - want) > 1e-3f) ++wrong;
            }
        }
        std::printf("status %s, wrong pixels %d\n", cudaGetErrorString(status), wrong);
        confirmed = status == cudaSuccess && wrong == 0;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
    }
    std::puts(confirmed ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
