// Prediction network and joiner of an on-device speech transducer.
// Weights are int8, the recurrent state is int32, so that results are the same on every platform.
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace rt {

constexpr int kHidden = 64;
constexpr int kVocab = 32;
constexpr int kFrames = 16;

inline void check(cudaError_t e, const char* expr) {
    if (e != cudaSuccess) throw std::runtime_error(std::string(expr) + ": " + cudaGetErrorString(e));
}
#define RT_CHECK(x) ::rt::check((x), #x)

template <class T>
class Tensor {
public:
    explicit Tensor(size_t n) : n_(n) {
        RT_CHECK(cudaMalloc(&p_, n * sizeof(T)));
        RT_CHECK(cudaMemset(p_, 0, n * sizeof(T)));
    }
    explicit Tensor(const std::vector<T>& v) : Tensor(v.size()) {
        RT_CHECK(cudaMemcpy(p_, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
    }
    Tensor(Tensor&& o) noexcept : p_(std::exchange(o.p_, nullptr)), n_(o.n_) {}
    Tensor(const Tensor&) = delete;
    ~Tensor() { cudaFree(p_); }
    T* data() const { return p_; }
    std::vector<T> host() const {
        std::vector<T> v(n_);
        RT_CHECK(cudaMemcpy(v.data(), p_, n_ * sizeof(T), cudaMemcpyDeviceToHost));
        return v;
    }

private:
    T* p_ = nullptr;
    size_t n_ = 0;
};

__host__ __device__ inline int squash(int v) { return v < -127 ? -127 : v > 127 ? 127 : v; }

__global__ void cellKernel(const int8_t* w, const int8_t* embed, const int* label, const int* prev, int* next) {
    int i = threadIdx.x;
    int acc = 0;
    for (int j = 0; j < kHidden; ++j) acc += w[i * kHidden + j] * prev[j];
    next[i] = squash(acc / 64 + embed[*label * kHidden + i]);
}

__global__ void joinKernel(const int8_t* wo, const int8_t* encoder, const int* h, int* frame, int* best,
                           int* transcript) {
    __shared__ int logit[kVocab];
    int v = threadIdx.x, acc = 0;
    for (int j = 0; j < kHidden; ++j) acc += wo[v * kHidden + j] * (h[j] + encoder[*frame * kHidden + j]);
    logit[v] = acc;
    __syncthreads();
    if (v == 0) {
        int b = 0;
        for (int k = 1; k < kVocab; ++k)
            if (logit[k] > logit[b]) b = k;
        *best = b;
        transcript[*frame] = b;
        *frame += 1;
    }
}

struct Weights {
    std::vector<int8_t> recurrent, embed, out, encoder;
    static Weights random(unsigned seed) {
        std::mt19937 g(seed);
        auto fill = [&](size_t n, int a) {
            std::vector<int8_t> v(n);
            for (auto& x : v) x = int8_t(int(g() % unsigned(2 * a + 1)) - a);
            return v;
        };
        return {fill(kHidden * kHidden, 12), fill(kVocab * kHidden, 60), fill(kVocab * kHidden, 20),
                fill(kFrames * kHidden, 30)};
    }
};

class PredictionNet {
public:
    explicit PredictionNet(const Weights& w)
        : recurrent_(w.recurrent), embed_(w.embed), out_(w.out), encoder_(w.encoder), frame_(1), best_(1),
          transcript_(kFrames) {
        h_.emplace_back(kHidden);
        h_.emplace_back(kHidden);
    }
    // One transducer step: advance the recurrent state by the last label, then join with the encoder frame.
    void step(cudaStream_t s) {
        const int* prev = h_[cur_].data();
        int* next = h_[1 - cur_].data();
        cellKernel<<<1, kHidden, 0, s>>>(recurrent_.data(), embed_.data(), best_.data(), prev, next);
        cur_ = 1 - cur_;
        joinKernel<<<1, kVocab, 0, s>>>(out_.data(), encoder_.data(), next, frame_.data(), best_.data(),
                                        transcript_.data());
        RT_CHECK(cudaGetLastError());
    }
    void reset() {
        cur_ = 0;
        for (auto& t : h_) RT_CHECK(cudaMemset(t.data(), 0, kHidden * sizeof(int)));
        RT_CHECK(cudaMemset(frame_.data(), 0, sizeof(int)));
        RT_CHECK(cudaMemset(best_.data(), 0, sizeof(int)));
        RT_CHECK(cudaDeviceSynchronize());
    }
    std::vector<int> state() const { return h_[cur_].host(); }
    std::vector<int> transcript() const { return transcript_.host(); }

private:
    Tensor<int8_t> recurrent_, embed_, out_, encoder_;
    Tensor<int> frame_, best_, transcript_;
    std::vector<Tensor<int>> h_;
    int cur_ = 0;
};

class CapturedCall {
public:
    template <class Body>
    CapturedCall(cudaStream_t s, Body&& body) : stream_(s) {
        cudaGraph_t g = nullptr;
        RT_CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
        body(s);
        RT_CHECK(cudaStreamEndCapture(s, &g));
        RT_CHECK(cudaGraphInstantiate(&exec_, g, 0));
        RT_CHECK(cudaGraphDestroy(g));
    }
    ~CapturedCall() { cudaGraphExecDestroy(exec_); }
    void operator()() { RT_CHECK(cudaGraphLaunch(exec_, stream_)); }

private:
    cudaStream_t stream_;
    cudaGraphExec_t exec_ = nullptr;
};

// Greedy decode of all frames; the joiner emits one label per frame. Two steps go into one graph, which
// brings the ping-pong state back to the buffer it started from.
class GreedyDecoder {
public:
    static constexpr int kStepsPerCall = 2;
    GreedyDecoder(PredictionNet& net, cudaStream_t s) : net_(net), stream_(s) {}
    std::vector<int> decode(int frames) {
        if (frames % kStepsPerCall) throw std::invalid_argument("frames must be even");
        net_.reset();
        CapturedCall steps(stream_, [&](cudaStream_t s) {
            for (int k = 0; k < kStepsPerCall; ++k) net_.step(s);
        });
        for (int t = 0; t < frames; t += kStepsPerCall) steps();
        RT_CHECK(cudaStreamSynchronize(stream_));
        auto labels = net_.transcript();
        labels.resize(frames);
        return labels;
    }

private:
    PredictionNet& net_;
    cudaStream_t stream_;
};

// Plain CPU decode, used by the self-test.
std::vector<int> decodeOnCpu(const Weights& w, int frames, std::vector<int>& h) {
    std::vector<int> labels;
    h.assign(kHidden, 0);
    int last = 0;
    for (int t = 0; t < frames; ++t) {
        std::vector<int> n(kHidden);
        for (int i = 0; i < kHidden; ++i) {
            int acc = 0;
            for (int j = 0; j < kHidden; ++j) acc += w.recurrent[i * kHidden + j] * h[j];
            n[i] = squash(acc / 64 + w.embed[last * kHidden + i]);
        }
        h = n;
        int best = 0, top = INT32_MIN;
        for (int v = 0; v < kVocab; ++v) {
            int acc = 0;
            for (int j = 0; j < kHidden; ++j) acc += w.out[v * kHidden + j] * (h[j] + w.encoder[t * kHidden + j]);
            if (acc > top) top = acc, best = v;
        }
        labels.push_back(last = best);
    }
    return labels;
}

}  // namespace rt

int main() {
    using namespace rt;
    try {
        Weights w = Weights::random(20240611);
        cudaStream_t s;
        RT_CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
        PredictionNet net(w);
        std::vector<int> got = GreedyDecoder(net, s).decode(kFrames), h;
        std::vector<int> want = decodeOnCpu(w, kFrames, h);
        bool stateSame = net.state() == h;
        std::printf("gpu:");
        for (int v : got) std::printf(" %d", v);
        std::printf("\ncpu:");
        for (int v : want) std::printf(" %d", v);
        std::printf("\nfinal state equal: %d\n", stateSame);
        RT_CHECK(cudaStreamDestroy(s));
        std::printf(stateSame && got == want ? "LABEL CONFIRMED\n" : "LABEL WRONG\n");
    } catch (const std::exception& e) {
        std::printf("%s\nLABEL WRONG\n", e.what());
    }
    return 0;
}
