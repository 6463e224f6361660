// Analytics runtime: a query worker records semi-join queries as CUDA graphs, a
// loader thread brings columns to the device, observers follow the state of
// each query.
#include <cuda_runtime.h>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#define MUST(x)                                                                   \
    do {                                                                          \
        cudaError_t rc_ = (x);                                                    \
        if (rc_ != cudaSuccess) {                                                 \
            std::printf("fatal %d: %s\n", __LINE__, cudaGetErrorString(rc_));     \
            std::puts("LABEL WRONG");                                             \
            std::exit(3);                                                         \
        }                                                                         \
    } while (0)

constexpr int kRows = 4096, kKeys = 256;
using HostColumn = std::vector<int>;

__global__ void build_table(const int* dim, int* table, int threshold) {
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    long long t0 = clock64();
    while (clock64() - t0 < 6000000LL) {} // cost of a large build side
    if (k < kKeys) table[k] = dim[k] > threshold;
}

__global__ void probe_sum(const int* key, const int* value, const int* table, unsigned long long* sum) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kRows && table[key[i]]) atomicAdd(sum, (unsigned long long)value[i]);
}

struct LoadResult {
    cudaError_t status = cudaSuccess;
    int* data = nullptr;
};

class ColumnLoader {
public:
    explicit ColumnLoader(std::map<int, HostColumn> store) : store_(std::move(store)), thread_([this] { run(); }) {}
    ~ColumnLoader() {
        {
            std::lock_guard<std::mutex> l(m_);
            stop_ = true;
        }
        cv_.notify_one();
        thread_.join();
    }
    std::future<LoadResult> request(int id) {
        std::packaged_task<LoadResult()> job([this, id] { return load(id); });
        auto f = job.get_future();
        {
            std::lock_guard<std::mutex> l(m_);
            jobs_.push_back(std::move(job));
        }
        cv_.notify_one();
        return f;
    }
    const HostColumn& host(int id) const { return store_.at(id); }

private:
    LoadResult load(int id) {
        const HostColumn& src = store_.at(id);
        LoadResult r;
        if (!stream_) r.status = cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking);
        const size_t bytes = src.size() * sizeof(int);
        if (r.status == cudaSuccess) r.status = cudaMalloc(&r.data, bytes);
        if (r.status == cudaSuccess) r.status = cudaMemcpyAsync(r.data, src.data(), bytes, cudaMemcpyHostToDevice, stream_);
        if (r.status == cudaSuccess) r.status = cudaStreamSynchronize(stream_);
        if (r.status != cudaSuccess) cudaGetLastError();
        return r;
    }
    void run() {
        for (;;) {
            std::packaged_task<LoadResult()> job;
            {
                std::unique_lock<std::mutex> l(m_);
                cv_.wait(l, [this] { return stop_ || !jobs_.empty(); });
                if (jobs_.empty()) return;
                job = std::move(jobs_.front());
                jobs_.pop_front();
            }
            job();
        }
    }
    std::map<int, HostColumn> store_;
    cudaStream_t stream_ = nullptr;
    std::mutex m_;
    std::condition_variable cv_;
    std::deque<std::packaged_task<LoadResult()>> jobs_;
    bool stop_ = false;
    std::thread thread_;
};

class ColumnCache {
public:
    explicit ColumnCache(ColumnLoader& l) : loader_(l) {}
    LoadResult resolve(int id) {
        auto it = resident_.find(id);
        if (it != resident_.end()) return {cudaSuccess, it->second};
        LoadResult r = loader_.request(id).get();
        if (r.status == cudaSuccess) resident_[id] = r.data;
        return r;
    }
private:
    ColumnLoader& loader_;
    std::map<int, int*> resident_;
};

enum class QueryState { Created, Recording, Ready, Failed };
using StateObserver = std::function<void(const std::string&, QueryState, cudaError_t)>;

struct Plan { std::string name; int key, value, dim, threshold; };

class QueryWorker {
public:
    QueryWorker(Plan plan, ColumnCache& cache, StateObserver obs) : plan_(std::move(plan)), cache_(cache), notify_(std::move(obs)) {
        MUST(cudaStreamCreateWithFlags(&main_, cudaStreamNonBlocking));
        MUST(cudaStreamCreateWithFlags(&side_, cudaStreamNonBlocking));
        MUST(cudaEventCreateWithFlags(&fork_, cudaEventDisableTiming));
        MUST(cudaEventCreateWithFlags(&built_, cudaEventDisableTiming));
        MUST(cudaMalloc(&table_, kKeys * sizeof(int)));
        MUST(cudaMalloc(&sum_, sizeof(unsigned long long)));
        enter(QueryState::Created, cudaSuccess);
    }
    void prepare() {
        cudaGraph_t graph = nullptr;
        enter(QueryState::Recording, cudaSuccess);
        MUST(cudaStreamBeginCapture(main_, cudaStreamCaptureModeThreadLocal));
        cudaError_t load = record();
        cudaError_t end = cudaStreamEndCapture(main_, &graph);
        cudaError_t first = load != cudaSuccess ? load : end;
        if (first != cudaSuccess) {
            cudaGetLastError();
            if (graph) cudaGraphDestroy(graph);
            enter(QueryState::Failed, first);
            return;
        }
        MUST(cudaGraphInstantiate(&exec_, graph, 0));
        MUST(cudaGraphDestroy(graph));
        enter(QueryState::Ready, cudaSuccess);
    }
    bool execute(unsigned long long* out) {
        if (state_ != QueryState::Ready) return false;
        MUST(cudaGraphLaunch(exec_, main_));
        MUST(cudaMemcpyAsync(out, sum_, sizeof *out, cudaMemcpyDeviceToHost, main_));
        MUST(cudaStreamSynchronize(main_));
        return true;
    }
    const Plan& plan() const { return plan_; }

private:
    cudaError_t record() {
        LoadResult key = cache_.resolve(plan_.key), value = cache_.resolve(plan_.value), dim = cache_.resolve(plan_.dim);
        for (const LoadResult& r : {key, value, dim})
            if (r.status != cudaSuccess) return r.status;
        MUST(cudaMemsetAsync(table_, 0, kKeys * sizeof(int), main_));
        MUST(cudaEventRecord(fork_, main_));
        MUST(cudaStreamWaitEvent(side_, fork_, 0));
        build_table<<<kKeys / 64, 64, 0, side_>>>(dim.data, table_, plan_.threshold);
        MUST(cudaEventRecord(built_, side_));
        MUST(cudaMemsetAsync(sum_, 0, sizeof(unsigned long long), main_));
        MUST(cudaStreamWaitEvent(main_, built_, 0));
        probe_sum<<<kRows / 256, 256, 0, main_>>>(key.data, value.data, table_, sum_);
        MUST(cudaGetLastError());
        return cudaSuccess;
    }
    void enter(QueryState s, cudaError_t e) {
        state_ = s;
        notify_(plan_.name, s, e);
    }
    Plan plan_;
    ColumnCache& cache_;
    StateObserver notify_;
    QueryState state_ = QueryState::Created;
    cudaStream_t main_ = nullptr, side_ = nullptr;
    cudaEvent_t fork_ = nullptr, built_ = nullptr;
    int* table_ = nullptr;
    unsigned long long* sum_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
};

static unsigned long long reference(const ColumnLoader& l, const Plan& p) {
    unsigned long long s = 0;
    for (int i = 0; i < kRows; ++i)
        if (l.host(p.dim)[l.host(p.key)[i]] > p.threshold) s += l.host(p.value)[i];
    return s;
}

int main() {
    std::map<int, HostColumn> store{{0, HostColumn(kRows)}, {1, HostColumn(kRows)}, {2, HostColumn(kKeys)}, {3, HostColumn(kRows)}};
    for (int i = 0; i < kRows; ++i) {
        store[0][i] = (i * 37) % kKeys;
        store[1][i] = 1 + i % 5;
        store[3][i] = 10 + i % 7;
    }
    for (int k = 0; k < kKeys; ++k) store[2][k] = k % 100;

    ColumnLoader loader(store);
    ColumnCache cache(loader);
    std::map<std::string, std::pair<QueryState, cudaError_t>> seen;
    auto observer = [&seen](const std::string& n, QueryState s, cudaError_t e) {
        seen[n] = {s, e};
        std::printf("%s -> state %d (%s)\n", n.c_str(), (int)s, cudaGetErrorName(e));
    };
    for (int id : {0, 1, 2}) MUST(cache.resolve(id).status);

    QueryWorker revenue(Plan{"revenue", 0, 1, 2, 40}, cache, observer), volume(Plan{"volume", 0, 3, 2, 60}, cache, observer);
    revenue.prepare();
    int right = 0;
    for (int r = 0; r < 3; ++r) {
        unsigned long long got = 0;
        bool ran = revenue.execute(&got);
        std::printf("revenue %llu expected %llu\n", got, reference(loader, revenue.plan()));
        right += ran && got == reference(loader, revenue.plan());
    }

    volume.prepare();
    unsigned long long got = 0;
    bool ran = volume.execute(&got);
    std::printf("volume %s %llu expected %llu\n", ran ? "ran" : "did not run", got, reference(loader, volume.plan()));
    bool same = ran && got == reference(loader, volume.plan());
    std::puts(right == 3 && same && seen["volume"].first == QueryState::Ready ? "LABEL CONFIRMED" : "LABEL WRONG");
    return 0;
}
