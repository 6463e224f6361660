#include <cuda_runtime.h>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace flow {

class cuda_error : public std::runtime_error {
public:
    explicit cuda_error(cudaError_t c) : std::runtime_error(cudaGetErrorString(c)), code(c) {}
    cudaError_t code;
};
inline void require(cudaError_t c) { if (c != cudaSuccess) throw cuda_error(c); }

class any_stage {
    struct concept_t {
        virtual ~concept_t() = default;
        virtual std::string_view name() const = 0;
        virtual void record(cudaStream_t) const = 0;
    };
    template <class S> struct model final : concept_t {
        explicit model(S s) : impl(std::move(s)) {}
        std::string_view name() const override { return impl.name; }
        void record(cudaStream_t s) const override { impl(s); }
        S impl;
    };
    std::unique_ptr<concept_t> self_;
public:
    template <class S> any_stage(S s) : self_(std::make_unique<model<S>>(std::move(s))) {}
    std::string_view name() const { return self_->name(); }
    void record(cudaStream_t s) const { self_->record(s); }
};

class capture_scope {
public:
    explicit capture_scope(cudaStream_t s) : stream_(s) {
        require(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed));
    }
    capture_scope(const capture_scope &) = delete;
    ~capture_scope() {
        if (done_) return;
        cudaGraph_t g = nullptr;
        cudaStreamEndCapture(stream_, &g);
        if (g) cudaGraphDestroy(g);
    }
    cudaGraph_t finish() {
        cudaGraph_t g = nullptr;
        done_ = true;
        require(cudaStreamEndCapture(stream_, &g));
        return g;
    }
private:
    cudaStream_t stream_;
    bool done_ = false;
};

using observer = std::function<void(std::string_view)>;

class pipeline {
public:
    explicit pipeline(cudaStream_t s) : stream_(s) {}
    ~pipeline() { if (exec_) cudaGraphExecDestroy(exec_); }
    template <class S> pipeline &then(S s) { stages_.emplace_back(std::move(s)); return *this; }
    void on_stage(observer o) { on_stage_ = std::move(o); }
    void on_layout(observer o) { on_layout_ = std::move(o); }
    void compile() {
        capture_scope scope(stream_);
        for (const auto &st : stages_) {
            st.record(stream_);
            if (on_layout_) on_layout_(st.name());
        }
        cudaGraph_t g = scope.finish();
        require(cudaGraphInstantiate(&exec_, g, 0));
        require(cudaGraphDestroy(g));
    }
    void run() {
        require(cudaGraphLaunch(exec_, stream_));
        require(cudaStreamSynchronize(stream_));
        if (on_stage_) for (const auto &st : stages_) on_stage_(st.name());
    }
private:
    cudaStream_t stream_;
    cudaGraphExec_t exec_ = nullptr;
    std::vector<any_stage> stages_;
    observer on_stage_;
    observer on_layout_;
};

__global__ void affine(float *p, float a, float b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = a * p[i] + b;
}

struct affine_stage {
    std::string name;
    float *data;
    int n;
    float a, b;
    void operator()(cudaStream_t s) const {
        if (n <= 0) throw std::invalid_argument(name + ": empty range");
        affine<<<(n + 127) / 128, 128, 0, s>>>(data, a, b, n);
        require(cudaGetLastError());
    }
};

}  // namespace flow

int main() {
    using namespace flow;
    cudaStream_t s1, s2;
    float *data = nullptr, value = 0.0f;
    std::map<std::string, int, std::less<>> metrics;
    bool thrown = false;
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    try {
        require(cudaStreamCreateWithFlags(&s1, cudaStreamNonBlocking));
        require(cudaStreamCreateWithFlags(&s2, cudaStreamNonBlocking));
        require(cudaMalloc(&data, 256 * sizeof(float)));
        require(cudaMemset(data, 0, 256 * sizeof(float)));
        require(cudaDeviceSynchronize());

        pipeline p(s1);
        p.then(affine_stage{"shift", data, 256, 1.0f, 2.0f}).then(affine_stage{"scale", data, 256, 3.0f, 0.0f});
        p.on_stage([&](std::string_view n) { ++metrics[std::string(n)]; });
        std::string layout;
        p.on_layout([&layout](std::string_view n) { layout.append(n).push_back(';'); });
        p.compile();
        for (int i = 0; i < 3; ++i) p.run();
        require(cudaMemcpy(&value, data + 5, sizeof value, cudaMemcpyDeviceToHost));
        if (layout != "shift;scale;") throw std::logic_error("layout " + layout);

        pipeline q(s2);
        q.then(affine_stage{"shift", data, 256, 1.0f, 2.0f}).then(affine_stage{"crop", data, 0, 1.0f, 0.0f});
        try { q.compile(); } catch (const std::invalid_argument &) { thrown = true; }
        require(cudaStreamIsCapturing(s2, &status));
    } catch (const std::exception &e) {
        std::printf("LABEL REFUTED %s\n", e.what());
        return 0;
    }
    const bool ok = metrics["shift"] == 3 && status == cudaStreamCaptureStatusNone;
    if (ok && thrown && value == 78.0f) std::printf("LABEL CONFIRMED\n");
    else std::printf("LABEL REFUTED shift %d capture %d value %g\n", metrics["shift"], int(status), value);
    return 0;
}
