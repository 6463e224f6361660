// Video post-processing: frames arrive on a copy stream, luma and chroma are filtered in a replayed graph.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

struct VideoError : std::runtime_error {
    VideoError(const std::string& what, cudaError_t rc)
        : std::runtime_error(what + ": " + cudaGetErrorString(rc)), code(rc) {}
    cudaError_t code;
};
static void tryCuda(cudaError_t rc, const std::string& what) {
    if (rc != cudaSuccess) throw VideoError(what, rc);
}

// Named points in time. "after" makes a stream wait for the latest mark of that name.
class Timeline {
public:
    explicit Timeline(std::initializer_list<const char*> names) {
        for (const char* name : names) {
            cudaEvent_t e = nullptr;
            tryCuda(cudaEventCreateWithFlags(&e, cudaEventDisableTiming), name);
            marks_.emplace(name, e);
        }
    }
    Timeline(const Timeline&) = delete;
    ~Timeline() {
        for (auto& [name, e] : marks_) cudaEventDestroy(e);
    }
    void mark(const std::string& name, cudaStream_t s) { tryCuda(cudaEventRecord(marks_.at(name), s), name); }
    void after(const std::string& name, cudaStream_t s) {
        tryCuda(cudaStreamWaitEvent(s, marks_.at(name), 0), name);  // HAZARD dependency #1
    }

private:
    std::map<std::string, cudaEvent_t> marks_;
};

template <class F>
class ScopeExit {
public:
    explicit ScopeExit(F f) : f_(std::move(f)) {}
    ScopeExit(const ScopeExit&) = delete;
    ~ScopeExit() {
        if (armed_) f_();
    }
    void dismiss() { armed_ = false; }

private:
    F f_;
    bool armed_ = true;
};

__global__ void lumaFilter(const float* frame, float* luma, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) luma[i] = 2.0f * frame[i];
}
__global__ void chromaFilter(const float* frame, float* chroma, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) chroma[i] = frame[i] + 1.0f;
}
__global__ void blend(const float* luma, const float* chroma, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = luma[i] + chroma[i];
}

class PostProcessor {
public:
    explicit PostProcessor(int pixels) : n_(pixels), timeline_({"frame", "split", "chroma"}) {
        for (auto* s : {&copy_, &main_, &side_}) tryCuda(cudaStreamCreateWithFlags(s, cudaStreamNonBlocking), "stream");
        for (auto* p : {&frame_, &luma_, &chroma_, &out_}) tryCuda(cudaMalloc(p, n_ * sizeof(float)), "buffer");
    }
    PostProcessor(const PostProcessor&) = delete;
    ~PostProcessor() {
        if (exec_) cudaGraphExecDestroy(exec_);
        for (auto s : {copy_, main_, side_}) cudaStreamDestroy(s);
        for (auto p : {frame_, luma_, chroma_, out_}) cudaFree(p);
    }

    void ingest(const std::vector<float>& pixels) {
        tryCuda(cudaMemcpyAsync(frame_, pixels.data(), n_ * sizeof(float), cudaMemcpyHostToDevice, copy_), "ingest");
        timeline_.mark("frame", copy_);
    }

    float process() {
        if (!exec_) exec_ = compile();
        tryCuda(cudaGraphLaunch(exec_, main_), "process");
        float last = 0.0f;
        tryCuda(cudaMemcpyAsync(&last, out_ + n_ - 1, sizeof last, cudaMemcpyDeviceToHost, main_), "process");
        tryCuda(cudaStreamSynchronize(main_), "process");
        return last;
    }

private:
    void filter() {
        const unsigned grid = unsigned((n_ + 255) / 256);
        timeline_.after("frame", main_);  // HAZARD dependency #1
        timeline_.mark("split", main_);
        timeline_.after("split", side_);
        lumaFilter<<<grid, 256, 0, main_>>>(frame_, luma_, n_);
        chromaFilter<<<grid, 256, 0, side_>>>(frame_, chroma_, n_);
        timeline_.mark("chroma", side_);
        timeline_.after("chroma", main_);
        blend<<<grid, 256, 0, main_>>>(luma_, chroma_, out_, n_);
        tryCuda(cudaGetLastError(), "filter");
    }

    cudaGraphExec_t compile() {
        cudaGraph_t graph = nullptr;
        tryCuda(cudaStreamBeginCapture(main_, cudaStreamCaptureModeThreadLocal), "begin");
        ScopeExit abort([&] {
            if (cudaStreamEndCapture(main_, &graph) == cudaSuccess) cudaGraphDestroy(graph);
        });
        filter();
        abort.dismiss();
        tryCuda(cudaStreamEndCapture(main_, &graph), "end");
        ScopeExit drop([&] { cudaGraphDestroy(graph); });
        cudaGraphExec_t exec = nullptr;
        tryCuda(cudaGraphInstantiate(&exec, graph, 0), "instantiate");
        return exec;
    }

    const int n_;
    Timeline timeline_;
    cudaStream_t copy_ = nullptr, main_ = nullptr, side_ = nullptr;
    float *frame_ = nullptr, *luma_ = nullptr, *chroma_ = nullptr, *out_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
};

int main() {
    bool good = true, isolation = false;
    try {
        PostProcessor post(4096);
        for (int k = 1; k <= 4; ++k) {
            post.ingest(std::vector<float>(4096, float(k)));
            good = good && std::fabs(post.process() - (3.0f * k + 1.0f)) < 1e-5f;
        }
    } catch (const VideoError& e) {
        std::puts(e.what());
        isolation = e.code == cudaErrorStreamCaptureIsolation;
        good = false;
    }
    std::puts(isolation && !good ? "LABEL CONFIRMED" : "LABEL REFUTED");
    return 0;
}
