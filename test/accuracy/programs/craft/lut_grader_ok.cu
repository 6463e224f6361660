// Color grading: Grader::create() bakes a tone curve, records the per-frame graph, and hands over a ready grader.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <functional>
#include <utility>
#include <vector>

#define RETURN_IF_ERROR(expr)                          \
    do {                                               \
        if (cudaError_t err_ = (expr)) return err_;    \
    } while (0)

template <typename T>
class DeviceArray {
public:
    DeviceArray() = default;
    explicit DeviceArray(size_t count) : count_(count) {
        if (cudaMalloc(&ptr_, count * sizeof(T)) != cudaSuccess) ptr_ = nullptr;
    }
    DeviceArray(DeviceArray&& o) noexcept
        : ptr_(std::exchange(o.ptr_, nullptr)), count_(std::exchange(o.count_, 0)) {}
    DeviceArray& operator=(DeviceArray&& o) noexcept {
        std::swap(ptr_, o.ptr_);
        std::swap(count_, o.count_);
        return *this;
    }
    ~DeviceArray() {
        if (ptr_) cudaFree(ptr_);
    }
    T* data() const { return ptr_; }
    size_t size() const { return count_; }

private:
    T* ptr_ = nullptr;
    size_t count_ = 0;
};

class GraphExec {
public:
    GraphExec() = default;
    GraphExec(GraphExec&& o) noexcept : exec_(std::exchange(o.exec_, nullptr)) {}
    GraphExec& operator=(GraphExec&& o) noexcept {
        std::swap(exec_, o.exec_);
        return *this;
    }
    ~GraphExec() {
        if (exec_) cudaGraphExecDestroy(exec_);
    }
    cudaError_t instantiate(cudaGraph_t graph) { return cudaGraphInstantiate(&exec_, graph, 0); }
    cudaError_t launch(cudaStream_t s) const { return cudaGraphLaunch(exec_, s); }

private:
    cudaGraphExec_t exec_ = nullptr;
};

constexpr int kPixels = 4096;
constexpr int kLutSize = 256;

__global__ void applyLut(const uint8_t* in, const float* lut, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = lut[in[i]];
}

__global__ void clampTo(float* px, float hi, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) px[i] = fminf(px[i], hi);
}

class Grader {
public:
    using Curve = std::function<float(float)>;

    static cudaError_t create(cudaStream_t stream, const Curve& curve, Grader& result) {
        Grader g;
        g.stream_ = stream;
        g.frame_ = DeviceArray<uint8_t>(kPixels);
        g.graded_ = DeviceArray<float>(kPixels);

        std::vector<float> table(kLutSize);
        for (int i = 0; i < kLutSize; ++i) table[i] = curve(i / 255.0f);
        DeviceArray<float> lut(kLutSize);
        if (!g.frame_.data() || !g.graded_.data() || !lut.data()) return cudaErrorMemoryAllocation;
        RETURN_IF_ERROR(cudaMemcpyAsync(lut.data(), table.data(), kLutSize * sizeof(float),
                                        cudaMemcpyHostToDevice, stream));
        RETURN_IF_ERROR(cudaStreamSynchronize(stream));

        RETURN_IF_ERROR(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
        applyLut<<<kPixels / 256, 256, 0, stream>>>(
            g.frame_.data(), lut.data(), g.graded_.data(), kPixels);
        clampTo<<<kPixels / 256, 256, 0, stream>>>(g.graded_.data(), 1.0f, kPixels);
        cudaGraph_t graph = nullptr;
        RETURN_IF_ERROR(cudaStreamEndCapture(stream, &graph));
        const cudaError_t status = g.exec_.instantiate(graph);
        cudaGraphDestroy(graph);
        if (status != cudaSuccess) return status;

        g.lut_ = std::move(lut);  // the address stays the same, only the owner changes
        result = std::move(g);
        return cudaSuccess;
    }

    cudaError_t grade(const std::vector<uint8_t>& frame, std::vector<float>& out) {
        out.resize(frame.size());
        RETURN_IF_ERROR(cudaMemcpyAsync(frame_.data(), frame.data(), frame.size(), cudaMemcpyHostToDevice, stream_));
        RETURN_IF_ERROR(exec_.launch(stream_));
        RETURN_IF_ERROR(cudaMemcpyAsync(out.data(), graded_.data(), out.size() * sizeof(float),
                                        cudaMemcpyDeviceToHost, stream_));
        return cudaStreamSynchronize(stream_);
    }

private:
    cudaStream_t stream_ = nullptr;
    DeviceArray<uint8_t> frame_;
    DeviceArray<float> graded_;
    DeviceArray<float> lut_;
    GraphExec exec_;
};

int main() {
    cudaStream_t stream = nullptr;
    if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess) return 1;

    int problems = 0;
    {
        Grader grader;
        if (Grader::create(stream, [](float x) { return 0.25f + 0.5f * x; }, grader) != cudaSuccess) return 1;

        // Other parts of the application allocate their own tables afterwards.
        std::vector<DeviceArray<float>> thumbnails;
        const std::vector<float> paint(kLutSize, -3.0f);
        for (int i = 0; i < 16; ++i) {
            thumbnails.emplace_back(kLutSize);
            if (cudaMemcpyAsync(thumbnails.back().data(), paint.data(), kLutSize * sizeof(float),
                                cudaMemcpyHostToDevice, stream) != cudaSuccess)
                ++problems;
        }

        std::vector<float> graded;
        for (int f = 0; f < 4; ++f) {
            const std::vector<uint8_t> frame(kPixels, static_cast<uint8_t>(40 * (f + 1)));
            if (grader.grade(frame, graded) != cudaSuccess) {
                ++problems;
                break;
            }
            const float want = 0.25f + 0.5f * (40 * (f + 1) / 255.0f);
            for (float v : graded)
                if (v < want - 1e-5f || v > want + 1e-5f) ++problems;
        }
    }
    cudaStreamDestroy(stream);
    std::printf("problems: %d\n", problems);
    std::puts(problems == 0 ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
