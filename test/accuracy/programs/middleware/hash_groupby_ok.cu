#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>
#include <list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

static cudaError_t g_first = cudaSuccess;
static bool keep(cudaError_t e) {
    if (e != cudaSuccess && g_first == cudaSuccess) g_first = e;
    return e == cudaSuccess;
}

constexpr int kRows = 2048;
constexpr int kBuckets = 64;

__global__ void hash_accumulate(const int* key, const int* val, int* buckets) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kRows) atomicAdd(&buckets[key[i] % kBuckets], val[i]);
}

__global__ void emit_groups(const int* buckets, int* out) { out[threadIdx.x] = buckets[threadIdx.x]; }

struct Table {
    int* key = nullptr;
    int* val = nullptr;
    int* groups = nullptr;
};

struct PlanNode {
    virtual ~PlanNode() = default;
    virtual void record(const Table& t, cudaStream_t s) const = 0;
};

struct GroupBySum final : PlanNode {
    void record(const Table& t, cudaStream_t s) const override {
        int* buckets = nullptr;
        keep(cudaMallocAsync(&buckets, kBuckets * sizeof(int), s));
        keep(cudaMemsetAsync(buckets, 0, kBuckets * sizeof(int), s));
        hash_accumulate<<<kRows / 256, 256, 0, s>>>(t.key, t.val, buckets);
        emit_groups<<<1, kBuckets, 0, s>>>(buckets, t.groups);
        keep(cudaFreeAsync(buckets, s));
    }
};

struct GlobalSum final : PlanNode {
    void record(const Table& t, cudaStream_t s) const override {
        keep(cudaMemsetAsync(t.groups, 0, kBuckets * sizeof(int), s));
        hash_accumulate<<<kRows / 256, 256, 0, s>>>(t.key, t.val, t.groups);
    }
};

struct ExecDeleter {
    void operator()(CUgraphExec_st* e) const { cudaGraphExecDestroy(e); }
};
using CompiledPlan = std::shared_ptr<CUgraphExec_st>;

class PlanCache {
public:
    explicit PlanCache(size_t limit) : limit_(limit) {}
    void clear() {
        while (!entries_.empty()) evict_oldest();
    }
    template <class Build> CompiledPlan get(const std::string& sql, Build&& build) {
        for (auto& [text, plan] : entries_)
            if (text == sql) return plan;
        if (entries_.size() == limit_) evict_oldest();
        entries_.emplace_back(sql, build());
        return entries_.back().second;
    }

private:
    void evict_oldest() {
        entries_.pop_front();
    }
    size_t limit_;
    std::list<std::pair<std::string, CompiledPlan>> entries_;
};

class Session {
public:
    struct Prepared { CompiledPlan plan; };

    Session() {
        keep(cudaStreamCreateWithFlags(&s_, cudaStreamNonBlocking));
        std::vector<int> k(kRows), v(kRows, 1);
        for (int i = 0; i < kRows; ++i) k[i] = i;
        for (int** p : {&t_.key, &t_.val, &t_.groups}) keep(cudaMalloc(p, kRows * sizeof(int)));
        keep(cudaMemcpy(t_.key, k.data(), kRows * sizeof(int), cudaMemcpyHostToDevice));
        keep(cudaMemcpy(t_.val, v.data(), kRows * sizeof(int), cudaMemcpyHostToDevice));
        keep(cudaDeviceSynchronize());
    }
    ~Session() {
        cache_.clear();
        for (int* p : {t_.key, t_.val, t_.groups}) cudaFree(p);
        cudaStreamDestroy(s_);
    }
    Prepared prepare(const std::string& sql, const PlanNode& root) {
        return {cache_.get(sql, [&] { return compile(root); })};
    }
    cudaError_t execute(const Prepared& stmt) {
        cudaError_t e = cudaGraphLaunch(stmt.plan.get(), s_);
        return e == cudaSuccess ? cudaStreamSynchronize(s_) : e;
    }
    int group(int i) {
        int v = -1;
        keep(cudaMemcpy(&v, t_.groups + i, sizeof(int), cudaMemcpyDeviceToHost));
        return v;
    }

private:
    CompiledPlan compile(const PlanNode& root) {
        cudaGraph_t graph = nullptr;
        cudaGraphExec_t exec = nullptr;
        keep(cudaStreamBeginCapture(s_, cudaStreamCaptureModeThreadLocal));
        root.record(t_, s_);
        if (keep(cudaStreamEndCapture(s_, &graph))) {
            keep(cudaGraphInstantiate(&exec, graph, 0));
            keep(cudaGraphDestroy(graph));
        }
        return CompiledPlan(exec, ExecDeleter{});
    }
    Table t_;
    cudaStream_t s_ = nullptr;
    PlanCache cache_{1};
};

int main(int argc, char** argv) {
    Session session;
    auto grouped = session.prepare("select k, sum(v) group by k", GroupBySum{});
    cudaError_t one = session.execute(grouped);
    int v = session.group(5);
    cudaError_t two = session.execute(grouped);
    cudaGetLastError();
    auto global = session.prepare("select sum(v)", GlobalSum{});
    cudaError_t three = session.execute(global);
    cudaError_t four = session.execute(grouped);
    bool ok = one == cudaSuccess && v == kRows / kBuckets && two == cudaSuccess && three == cudaSuccess &&
              four == cudaSuccess && session.group(63) == kRows / kBuckets && argc > 0 && std::strlen(argv[0]) > 0;
    if (ok && g_first == cudaSuccess) std::puts("LABEL CONFIRMED");
    else std::printf("LABEL REFUTED %d %d %d %d %d\n", one, two, three, v, g_first);
    return 0;
}
