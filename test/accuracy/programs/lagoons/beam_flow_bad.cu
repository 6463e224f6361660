// Small builder language for sonar beams. A flow is a list of steps on named lanes; compile() records it as a graph.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <vector>

#define GPU(call)                                                                          \
    do {                                                                                   \
        cudaError_t err__ = (call);                                                        \
        if (err__ != cudaSuccess) {                                                        \
            std::printf("line %d: %s\n", __LINE__, cudaGetErrorString(err__));             \
            std::exit(1);                                                                  \
        }                                                                                  \
    } while (0)

constexpr int kSamples = 8192, kThreads = 256, kBlocks = kSamples / kThreads, kPasses = 60;

// ---- operations: device kernel and host evaluation side by side ------------------------------------

__global__ void kShift(const int* in, int* out, int d) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = i >= d ? in[i - d] : 0;
}

// Recursive filter, so the walk over the samples is sequential.
__global__ void kRecursive(int* v) {
    for (int pass = 0; pass < kPasses; ++pass) {
        int state = 0;
        for (int i = 0; i < kSamples; ++i) v[i] = state = (state * 3 + v[i] + pass) >> 2;
    }
}

__global__ void kRectify(const int* in, int* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = abs(in[i]);
}

__global__ void kCopyScaled(const int* in, int* out, int scale) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] * scale;
}

__global__ void kAdd(const int* a, const int* b, int* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = a[i] + b[i];
}

static void hostRecursive(std::vector<int>& v) {
    for (int pass = 0; pass < kPasses; ++pass) {
        int state = 0;
        for (int& x : v) x = state = (state * 3 + x + pass) >> 2;
    }
}

// ---- the compiled flow ---------------------------------------------------------------------------

struct Value {
    int* dev = nullptr;
    int lane = 0;
    cudaEvent_t ready{};
};

class CompiledFlow {
public:
    CompiledFlow() {
        GPU(cudaMallocHost(&in_, kSamples * sizeof(int)));
        GPU(cudaMallocHost(&out_, kSamples * sizeof(int)));
    }
    CompiledFlow(const CompiledFlow&) = delete;
    ~CompiledFlow() {
        cudaGraphExecDestroy(exec_);
        for (int* p : memory_) cudaFree(p);
        for (auto& v : values_) cudaEventDestroy(v.second.ready);
        for (cudaEvent_t e : laneEnds_) cudaEventDestroy(e);
        for (cudaStream_t s : lanes_) cudaStreamDestroy(s);
        cudaFreeHost(in_);
        cudaFreeHost(out_);
    }
    std::vector<int> operator()(const std::vector<int>& ping) {
        std::copy(ping.begin(), ping.end(), in_);
        GPU(cudaGraphLaunch(exec_, lanes_[0]));
        GPU(cudaStreamSynchronize(lanes_[0]));
        return {out_, out_ + kSamples};
    }

private:
    friend class Flow;
    int* alloc() {
        int* p = nullptr;
        GPU(cudaMalloc(&p, kSamples * sizeof(int)));
        memory_.push_back(p);
        return p;
    }
    std::vector<cudaStream_t> lanes_;
    std::vector<cudaEvent_t> laneEnds_;
    std::vector<int*> memory_;
    std::map<std::string, Value> values_;
    int *in_ = nullptr, *out_ = nullptr;
    int* scratch_ = nullptr;
    cudaGraphExec_t exec_{};
};

// ---- the builder ---------------------------------------------------------------------------------

class Flow {
public:
    explicit Flow(const std::string& input) { laneIds_["main"] = 0, steps_.push_back({Op::Input, 0, "", "", input, 0}); }

    Flow& lane(const std::string& name) {
        lane_ = laneIds_.emplace(name, int(laneIds_.size())).first->second;
        return *this;
    }
    Flow& shift(const std::string& a, const std::string& out, int d) { return push({Op::Shift, lane_, a, "", out, d}); }
    Flow& smooth(const std::string& v) { return push({Op::Smooth, lane_, v, "", v, 0}); }
    Flow& envelope(const std::string& a, const std::string& out, int scale) {
        return push({Op::Envelope, lane_, a, "", out, scale});
    }
    Flow& add(const std::string& a, const std::string& b, const std::string& out) {
        return push({Op::Add, lane_, a, b, out, 0});
    }
    Flow& output(const std::string& v) { return push({Op::Output, lane_, v, "", "", 0}); }

    void compile(CompiledFlow& c) const {
        c.lanes_.resize(laneIds_.size());
        c.laneEnds_.resize(laneIds_.size());
        for (cudaStream_t& s : c.lanes_) GPU(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
        for (cudaEvent_t& e : c.laneEnds_) GPU(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
        for (const Step& s : steps_)
            if (!s.out.empty() && !c.values_.count(s.out)) {
                Value v;
                v.dev = c.alloc();
                v.lane = s.lane;
                GPU(cudaEventCreateWithFlags(&v.ready, cudaEventDisableTiming));
                c.values_[s.out] = v;
            }
        c.scratch_ = c.alloc();

        cudaGraph_t graph = nullptr;
        GPU(cudaStreamBeginCapture(c.lanes_[0], cudaStreamCaptureModeThreadLocal));
        for (const Step& s : steps_) record(c, s);
        joinLanes(c);
        GPU(cudaStreamEndCapture(c.lanes_[0], &graph));
        GPU(cudaGraphInstantiate(&c.exec_, graph, 0));
        GPU(cudaGraphDestroy(graph));
    }

    // Evaluates the same steps on the host, in the order in which they were written.
    std::vector<int> evaluate(const std::vector<int>& ping) const {
        std::map<std::string, std::vector<int>> v;
        std::vector<int> result;
        for (const Step& s : steps_) {
            std::vector<int> r(kSamples);
            const std::vector<int>& a = v[s.a];
            switch (s.op) {
                case Op::Input: r = ping; break;
                case Op::Shift: for (int i = s.k; i < kSamples; ++i) r[i] = a[i - s.k]; break;
                case Op::Smooth: r = a, hostRecursive(r); break;
                case Op::Envelope:
                    std::transform(a.begin(), a.end(), r.begin(), [](int x) { return std::abs(x); });
                    hostRecursive(r);
                    for (int& x : r) x *= s.k;
                    break;
                case Op::Add: std::transform(a.begin(), a.end(), v[s.b].begin(), r.begin(), std::plus<int>()); break;
                case Op::Output: result = a; break;
            }
            if (!s.out.empty()) v[s.out] = r;
        }
        return result;
    }

private:
    enum class Op { Input, Shift, Smooth, Envelope, Add, Output };
    struct Step {
        Op op;
        int lane;
        std::string a, b, out;
        int k;
    };

    Flow& push(Step s) {
        steps_.push_back(std::move(s));
        return *this;
    }

    static const int* read(CompiledFlow& c, const std::string& name, int lane) {
        const Value& v = c.values_.at(name);
        if (v.lane != lane) GPU(cudaStreamWaitEvent(c.lanes_[lane], v.ready, 0));
        return v.dev;
    }

    static void publish(CompiledFlow& c, const Step& s) {
        if (s.a == s.out) return;
        GPU(cudaEventRecord(c.values_.at(s.out).ready, c.lanes_[s.lane])); // HAZARD dependency #a
    }

    static void record(CompiledFlow& c, const Step& s) {
        cudaStream_t st = c.lanes_[s.lane];
        const size_t bytes = kSamples * sizeof(int);
        const int* a = s.a.empty() ? nullptr : read(c, s.a, s.lane);
        const int* b = s.b.empty() ? nullptr : read(c, s.b, s.lane);
        int* out = s.out.empty() ? nullptr : c.values_.at(s.out).dev;
        switch (s.op) {
            case Op::Input: GPU(cudaMemcpyAsync(out, c.in_, bytes, cudaMemcpyHostToDevice, st)); break;
            case Op::Shift: kShift<<<kBlocks, kThreads, 0, st>>>(a, out, s.k); break;
            case Op::Smooth: kRecursive<<<1, 1, 0, st>>>(out); break; // HAZARD dependency #a
            case Op::Envelope:
                kRectify<<<kBlocks, kThreads, 0, st>>>(a, c.scratch_); // HAZARD concurrent #b
                kRecursive<<<1, 1, 0, st>>>(c.scratch_);
                kCopyScaled<<<kBlocks, kThreads, 0, st>>>(c.scratch_, out, s.k); // HAZARD concurrent #b
                break;
            case Op::Add: kAdd<<<kBlocks, kThreads, 0, st>>>(a, b, out); break;
            case Op::Output: GPU(cudaMemcpyAsync(c.out_, a, bytes, cudaMemcpyDeviceToHost, st)); break;
        }
        GPU(cudaGetLastError());
        if (out) publish(c, s);
    }

    static void joinLanes(CompiledFlow& c) {
        for (size_t i = 1; i < c.lanes_.size(); ++i) {
            GPU(cudaEventRecord(c.laneEnds_[i], c.lanes_[i]));
            GPU(cudaStreamWaitEvent(c.lanes_[0], c.laneEnds_[i], 0));
        }
    }

    std::map<std::string, int> laneIds_;
    std::vector<Step> steps_;
    int lane_ = 0;
};

// ---- driver --------------------------------------------------------------------------------------

static std::vector<int> makePing(int k) {
    std::vector<int> p(kSamples);
    for (int i = 0; i < kSamples; ++i) p[i] = (i * (73 + 2 * k)) % 2003 - 1000 + 50 * k;
    return p;
}

static int countRight(const Flow& flow, int replays) {
    CompiledFlow run;
    flow.compile(run);
    int right = 0;
    for (int k = 0; k < replays; ++k) {
        const std::vector<int> ping = makePing(k);
        right += run(ping) == flow.evaluate(ping);
    }
    return right;
}

int main() {
    GPU(cudaFree(nullptr));
    Flow plain("ping");
    plain.shift("ping", "late", 5).add("ping", "late", "mix").smooth("mix").output("mix");

    Flow steered("ping");
    steered.lane("port").shift("ping", "p", 3).smooth("p");
    steered.lane("starboard").shift("ping", "s", 11).smooth("s");
    steered.lane("main").shift("ping", "keel", 1).add("keel", "p", "half").add("half", "s", "beam").output("beam");

    Flow levels("ping");
    levels.lane("near").envelope("ping", "e1", 2);
    levels.lane("far").shift("ping", "d", 40).envelope("d", "e2", 3);
    levels.lane("main").add("e1", "e2", "level").output("level");

    const int a = countRight(plain, 3), b = countRight(steered, 3), c = countRight(levels, 3);
    std::printf("plain %d/3 steered %d/3 levels %d/3\n", a, b, c);
    std::puts(a == 3 && b == 0 && c == 0 ? "LABEL CONFIRMED" : "LABEL WRONG");
    return 0;
}
