// Columnar filter-aggregate operator: SELECT sum(v), count(*) FROM t WHERE v >= :lo.
// Prepared statements keep their captured plan in a plan cache keyed by column and predicate.
#include <cuda_runtime.h>
#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace colstore {

struct Status {
    cudaError_t code = cudaSuccess;
    bool ok() const { return code == cudaSuccess; }
    void note(cudaError_t e) { if (code == cudaSuccess) code = e; }
};

// Append-only integer column with geometric growth.
class Column {
public:
    Column(std::string name, size_t capacity, cudaStream_t s) : name_(std::move(name)), cap_(capacity), stream_(s)
    {
        st_.note(cudaMalloc(&data_, cap_ * sizeof(int)));
    }
    ~Column()
    {
        cudaFree(data_);
    }

    Status append(const std::vector<int>& v)
    {
        if (rows_ + v.size() > cap_) grow(std::max(cap_ * 2, rows_ + v.size()));
        st_.note(cudaMemcpyAsync(data_ + rows_, v.data(), v.size() * sizeof(int), cudaMemcpyHostToDevice, stream_));
        rows_ += static_cast<unsigned>(v.size());
        st_.note(cudaStreamSynchronize(stream_));
        return st_;
    }

    const std::string& name() const { return name_; }
    const int* data() const { return data_; }
    unsigned rows() const { return rows_; }

private:
    void grow(size_t cap)
    {
        int* bigger = nullptr;
        st_.note(cudaMalloc(&bigger, cap * sizeof(int)));
        if (!st_.ok()) return;
        st_.note(cudaMemcpyAsync(bigger, data_, rows_ * sizeof(int), cudaMemcpyDeviceToDevice, stream_));
        st_.note(cudaStreamSynchronize(stream_));
        st_.note(cudaFree(data_));  // HAZARD dangling #column
        data_ = bigger;
        cap_ = cap;
    }

    std::string name_;
    size_t cap_;
    unsigned rows_ = 0;
    int* data_ = nullptr;
    cudaStream_t stream_;
    Status st_;
};

struct Aggregate {
    unsigned long long sum;
    unsigned long long count;
};

__global__ void filterSum(const int* v, unsigned n, int lo, Aggregate* agg)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && v[i] >= lo) {
        atomicAdd(&agg->sum, static_cast<unsigned long long>(v[i]));
        atomicAdd(&agg->count, 1ull);
    }
}

struct CachedPlan {
    cudaGraphExec_t exec = nullptr;
    int hits = 0;
};

class Executor {
public:
    explicit Executor(cudaStream_t s) : stream_(s)
    {
        st_.note(cudaMalloc(&dAgg_, sizeof(Aggregate)));
        st_.note(cudaMallocHost(&hAgg_, sizeof(Aggregate)));
    }
    ~Executor()
    {
        for (auto& p : cache_) cudaGraphExecDestroy(p.second.exec);
        cudaFree(dAgg_);
        cudaFreeHost(hAgg_);
    }

    Status select(const Column& col, int lo, Aggregate& out)
    {
        const auto key = std::make_pair(col.name(), lo);
        auto it = cache_.find(key);
        if (it == cache_.end()) {
            CachedPlan plan;
            st_.note(compile(col, lo, plan));
            if (!st_.ok()) return st_;
            it = cache_.emplace(key, plan).first;
        }
        ++it->second.hits;
        st_.note(cudaGraphLaunch(it->second.exec, stream_));
        st_.note(cudaStreamSynchronize(stream_));
        if (st_.ok()) out = *hAgg_;
        return st_;
    }

private:
    cudaError_t compile(const Column& col, int lo, CachedPlan& plan)
    {
        cudaError_t e = cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal);
        if (e != cudaSuccess) return e;
        cudaMemsetAsync(dAgg_, 0, sizeof(Aggregate), stream_);
        const unsigned n = col.rows();
        filterSum<<<(n + 127) / 128, 128, 0, stream_>>>(col.data(),  // HAZARD dangling #column
                                                        n,           // HAZARD dynamic_shape
                                                        lo, dAgg_);
        cudaMemcpyAsync(hAgg_, dAgg_, sizeof(Aggregate), cudaMemcpyDeviceToHost, stream_);
        cudaGraph_t g = nullptr;
        e = cudaStreamEndCapture(stream_, &g);
        if (e != cudaSuccess) return e;
        e = cudaGraphInstantiate(&plan.exec, g, 0);
        cudaGraphDestroy(g);
        return e;
    }

    cudaStream_t stream_;
    std::map<std::pair<std::string, int>, CachedPlan> cache_;
    Aggregate *dAgg_ = nullptr, *hAgg_ = nullptr;
    Status st_;
};

}  // namespace colstore

int main()
{
    using namespace colstore;
    cudaStream_t s = nullptr;
    cudaError_t first = cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    int wrong = 0, queries = 0;
    {
        Column price("price", 1000, s);
        Executor exec(s);
        std::vector<int> shadow;
        for (int round = 0; round < 5 && first == cudaSuccess; ++round) {  // grows in rounds 2 and 3
            std::vector<int> rows(400 + 100 * round);
            for (size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<int>((i * 31 + round * 17) % 97);
            shadow.insert(shadow.end(), rows.begin(), rows.end());
            first = price.append(rows).code;
            for (int lo : {10, 60, 10}) {
                Aggregate got{0, 0}, ref{0, 0};
                cudaError_t e = exec.select(price, lo, got).code;
                if (first == cudaSuccess) first = e;
                for (int v : shadow)
                    if (v >= lo) ref.sum += v, ++ref.count;
                if (got.sum != ref.sum || got.count != ref.count) ++wrong;
                ++queries;
            }
        }
    }
    std::printf("queries %d wrong %d status %s\n", queries, wrong, cudaGetErrorName(first));
    std::printf(wrong > 0 ? "LABEL CONFIRMED\n" : "LABEL UNOBSERVED\n");
    if (s) cudaStreamDestroy(s);
    return 0;
}
