// nnx: a network is a vector of variant layers; a session records it when every layer allows that.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace nnx {

struct cuda_error : std::runtime_error {
    cuda_error(const char* where, cudaError_t e)
        : std::runtime_error(std::string(where) + ": " + cudaGetErrorString(e)), code(e) {}
    cudaError_t code;
};
struct not_recordable : std::logic_error {
    using std::logic_error::logic_error;
};
inline void check(cudaError_t e, const char* where)
{
    if (e != cudaSuccess) throw cuda_error(where, e);
}

struct affine { float w, b; };
struct relu {};
struct peak_normalise {};
using layer = std::variant<affine, relu, peak_normalise>;
using network = std::vector<layer>;

__global__ void affine_kernel(float* x, int n, float w, float b)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = w * x[i] + b;
}
__global__ void relu_kernel(float* x, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = fmaxf(x[i], 0.0f);
}

struct recorded {};
struct eager {};

template <class Mode>
class encoder {
public:
    encoder(cudaStream_t s, float* x, int n) : s_(s), x_(x), n_(n) {}

    void operator()(const affine& a) const
    {
        affine_kernel<<<(n_ + 63) / 64, 64, 0, s_>>>(x_, n_, a.w, a.b);
        check(cudaGetLastError(), "affine");
    }
    void operator()(const relu&) const
    {
        relu_kernel<<<(n_ + 63) / 64, 64, 0, s_>>>(x_, n_);
        check(cudaGetLastError(), "relu");
    }
    void operator()(const peak_normalise&) const
    {
        if constexpr (std::is_same_v<Mode, recorded>) {
            throw not_recordable("peak_normalise");
        } else {
            std::vector<float> host(n_);
            check(cudaMemcpyAsync(host.data(), x_, n_ * sizeof(float), cudaMemcpyDeviceToHost, s_), "peak");
            check(cudaStreamSynchronize(s_), "peak");
            const float peak = *std::max_element(host.begin(), host.end());
            (*this)(affine{peak > 0.0f ? 1.0f / peak : 1.0f, 0.0f});
        }
    }

private:
    cudaStream_t s_;
    float* x_;
    int n_;
};

class open_capture {
public:
    explicit open_capture(cudaStream_t s) : s_(s) { check(cudaStreamBeginCapture(s_, cudaStreamCaptureModeRelaxed), "begin"); }
    ~open_capture()
    {
        cudaGraph_t dropped = nullptr;
        if (s_ && cudaStreamEndCapture(s_, &dropped) == cudaSuccess) cudaGraphDestroy(dropped);
    }
    open_capture(const open_capture&) = delete;
    open_capture& operator=(const open_capture&) = delete;
    cudaGraph_t close()
    {
        cudaGraph_t g = nullptr;
        check(cudaStreamEndCapture(std::exchange(s_, nullptr), &g), "end");
        return g;
    }

private:
    cudaStream_t s_;
};

template <class Body>
cudaGraphExec_t record(cudaStream_t s, Body&& body)
{
    open_capture capture(s);
    std::forward<Body>(body)(s);
    const cudaGraph_t graph = capture.close();
    cudaGraphExec_t exec = nullptr;
    const cudaError_t made = cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphDestroy(graph);
    check(made, "instantiate");
    return exec;
}

class session {
public:
    explicit session(int n) : n_(n)
    {
        check(cudaStreamCreateWithFlags(&graph_stream_, cudaStreamNonBlocking), "stream");
        check(cudaStreamCreateWithFlags(&eager_stream_, cudaStreamNonBlocking), "stream");
        check(cudaMalloc(&x_, n * sizeof(float)), "activations");
    }
    ~session()
    {
        drop();
        cudaFree(x_);
        cudaStreamDestroy(graph_stream_);
        cudaStreamDestroy(eager_stream_);
    }
    session(const session&) = delete;
    session& operator=(const session&) = delete;

    void load(network net)
    {
        drop();
        net_ = std::move(net);
        try {
            exec_ = record(graph_stream_, [this](cudaStream_t s) { encode<recorded>(s); });
        } catch (const not_recordable& e) {
            std::printf("running eagerly: %s\n", e.what());
        }
    }

    std::vector<float> run(std::vector<float> x)
    {
        const std::size_t bytes = n_ * sizeof(float);
        const cudaStream_t s = exec_ ? graph_stream_ : eager_stream_;
        check(cudaMemcpyAsync(x_, x.data(), bytes, cudaMemcpyHostToDevice, s), "upload");
        if (exec_)
            check(cudaGraphLaunch(exec_, s), "launch");
        else
            encode<eager>(s);
        check(cudaMemcpyAsync(x.data(), x_, bytes, cudaMemcpyDeviceToHost, s), "download");
        check(cudaStreamSynchronize(s), "run");
        return x;
    }

private:
    template <class Mode>
    void encode(cudaStream_t s) const
    {
        for (const layer& l : net_) std::visit(encoder<Mode>(s, x_, n_), l);
    }
    void drop()
    {
        if (exec_) cudaGraphExecDestroy(exec_);
        exec_ = nullptr;
    }

    const int n_;
    network net_;
    cudaStream_t graph_stream_ = nullptr;
    cudaStream_t eager_stream_ = nullptr;
    float* x_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
};

} // namespace nnx

int main()
{
    bool first = false, second = false;
    cudaError_t seen = cudaSuccess;
    try {
        nnx::session s(256);
        s.load({nnx::affine{2.0f, 2.0f}, nnx::peak_normalise{}});
        first = s.run(std::vector<float>(256, 3.0f))[255] == 1.0f;
        s.load({nnx::affine{-1.0f, 4.0f}, nnx::relu{}});
        second = s.run(std::vector<float>(256, 3.0f))[255] == 1.0f && s.run(std::vector<float>(256, 9.0f))[255] == 0.0f;
    } catch (const nnx::cuda_error& e) {
        seen = e.code;
        std::printf("%s\n", e.what());
    }
    std::puts(first && second && seen == cudaSuccess ? "LABEL CONFIRMED" : "LABEL REFUTED");
    return 0;
}
