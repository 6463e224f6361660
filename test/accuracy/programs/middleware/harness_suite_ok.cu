#include <cuda_runtime.h>

#include <cstdio>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace check {

struct Failure { std::string text; int code; };
static std::vector<Failure>& failures() {
    static std::vector<Failure> list;
    return list;
}

class Test {
public:
    virtual ~Test() = default;
    virtual void SetUp() {}
    virtual void TearDown() {}
    virtual void Body() = 0;
};

#define ASSERT_CUDA(expr)                                              \
    do {                                                               \
        int rc_ = static_cast<int>(expr);                              \
        if (rc_ != 0) {                                                \
            check::failures().push_back({#expr, rc_});                 \
            return;                                                    \
        }                                                              \
    } while (0)
#define EXPECT_EQ(a, b)                                                \
    do {                                                               \
        if (!((a) == (b))) check::failures().push_back({#a " vs " #b, -1}); \
    } while (0)

template <class T> void run_one() {
    T t;
    t.SetUp();
    try {
        t.Body();
    } catch (const std::exception& e) {
        failures().push_back({e.what(), -2});
    }
    t.TearDown();
}

}  // namespace check

__global__ void digit_count(const unsigned* keys, unsigned* bins, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&bins[keys[i] & 15u], 1u);
}

struct SortConfig { int digits; int tile; };

static int validate(const SortConfig& c) { return c.tile % 32 == 0 ? 0 : 77; }

static const SortConfig& require_digits(const SortConfig& c) {
    if (c.digits > 8) throw std::out_of_range("digits");
    return c;
}

class Recording {
public:
    explicit Recording(cudaStream_t s) : s_(s), rc_(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal)) {}
    ~Recording() {
        cudaGraph_t g = nullptr;
        if (rc_ == cudaSuccess && !ended_ && cudaStreamEndCapture(s_, &g) == cudaSuccess && g) cudaGraphDestroy(g);
    }
    Recording(const Recording&) = delete;
    cudaError_t begun() const { return rc_; }
    cudaError_t finish(cudaGraph_t* g) { ended_ = true; return cudaStreamEndCapture(s_, g); }

private:
    cudaStream_t s_;
    cudaError_t rc_;
    bool ended_ = false;
};

class RadixFixture : public check::Test {
public:
    static void OpenSuite() {
        for (auto& s : streams) cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
        cudaMalloc(&keys, kN * sizeof(unsigned));
        cudaMalloc(&bins, 16 * sizeof(unsigned));
        cudaMemset(keys, 0, kN * sizeof(unsigned));
        cudaMemset(bins, 0, 16 * sizeof(unsigned));
        cudaDeviceSynchronize();
    }
    void TearDown() override { cudaGetLastError(); }

protected:
    void record_and_count(cudaStream_t s, const SortConfig& cfg, bool strict) {
        cudaGraph_t graph = nullptr;
        cudaGraphExec_t exec = nullptr;
        Recording rec(s);
        ASSERT_CUDA(rec.begun());
        digit_count<<<kN / 256, 256, 0, s>>>(keys, bins, kN);
        if (strict) ASSERT_CUDA(validate(cfg));
        ASSERT_CUDA(rec.finish(&graph));
        ASSERT_CUDA(cudaGraphInstantiate(&exec, graph, 0));
        ASSERT_CUDA(cudaGraphLaunch(exec, s));
        ASSERT_CUDA(cudaStreamSynchronize(s));
        ASSERT_CUDA(cudaGraphExecDestroy(exec));
        ASSERT_CUDA(cudaGraphDestroy(graph));
        ++completed;
    }
    void record_digits(cudaStream_t s, const SortConfig& cfg) {
        cudaGraph_t graph = nullptr;
        Recording rec(s);
        ASSERT_CUDA(rec.begun());
        for (int d = 0; d < require_digits(cfg).digits; ++d) digit_count<<<kN / 256, 256, 0, s>>>(keys, bins, kN);
        ASSERT_CUDA(rec.finish(&graph));
        ASSERT_CUDA(cudaGraphDestroy(graph));
        ++completed;
    }
    static constexpr int kN = 1024;
    static inline cudaStream_t streams[2] = {};
    static inline unsigned *keys = nullptr, *bins = nullptr;

public:
    static inline int completed = 0;
};

struct OddTile : RadixFixture { void Body() override { record_and_count(streams[0], {4, 100}, true); } };
struct EvenTile : RadixFixture { void Body() override { record_and_count(streams[0], {4, 128}, true); } };
struct WideKeys : RadixFixture { void Body() override { record_digits(streams[1], {12, 128}); } };
struct NarrowKeys : RadixFixture { void Body() override { record_digits(streams[1], {4, 128}); } };

int main() {
    RadixFixture::OpenSuite();
    check::run_one<OddTile>();
    check::run_one<EvenTile>();
    check::run_one<WideKeys>();
    check::run_one<NarrowKeys>();
    auto& f = check::failures();
    bool ok = f.size() == 2 && f[0].code == 77 && f[1].code == -2 && RadixFixture::completed == 2;
    std::printf(ok ? "LABEL CONFIRMED\n" : "LABEL REFUTED\n");
    if (!ok)
        for (auto& x : f) std::printf("  %s %d\n", x.text.c_str(), x.code);
    return 0;
}
