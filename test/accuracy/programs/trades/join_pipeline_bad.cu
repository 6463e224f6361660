// Probe side of a hash join over paged tables. Pages are loaded on demand by the buffer manager's
// own I/O thread; operators of a physical plan are captured into one graph per plan.
#include <cuda_runtime.h>
#include <condition_variable>
#include <cstdio>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

constexpr int kPageRows = 512;
constexpr int kPages = 3;
constexpr int kKeys = 64;

struct Page {
    int* keys = nullptr;
    cudaError_t status = cudaErrorNotReady;
    bool ready = false;
};

static int tableValue(int page, int row) { return (page * 131 + row * 7) % kKeys; }

// Keeps pages resident; a single I/O thread serves misses with its own stream.
class BufferManager {
public:
    BufferManager() : pages_(kPages) { io_ = std::thread([this] { serve(); }); }
    ~BufferManager()
    {
        {
            std::lock_guard<std::mutex> l(m_);
            stop_ = true;
        }
        cv_.notify_all();
        io_.join();
        for (Page& p : pages_) cudaFree(p.keys);
    }
    // Blocks until the page is resident.
    Page pin(int id)
    {
        std::unique_lock<std::mutex> l(m_);
        if (!pages_[id].ready) {
            wanted_ = id;
            cv_.notify_all();
            cv_.wait(l, [&] { return pages_[id].ready; });
        }
        return pages_[id];
    }

private:
    void serve()
    {
        cudaStream_t s = nullptr;
        cudaError_t up = cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
        std::unique_lock<std::mutex> l(m_);
        for (;;) {
            cv_.wait(l, [&] { return stop_ || wanted_ >= 0; });
            if (stop_) break;
            Page& p = pages_[wanted_];
            p.status = up == cudaSuccess ? load(wanted_, p, s) : up;
            p.ready = true;
            wanted_ = -1;
            cv_.notify_all();
        }
        if (s) cudaStreamDestroy(s);
    }
    static cudaError_t load(int id, Page& p, cudaStream_t s)
    {
        std::vector<int> rows(kPageRows);
        for (int r = 0; r < kPageRows; ++r) rows[r] = tableValue(id, r);
        cudaError_t e = cudaMalloc(&p.keys, sizeof(int) * kPageRows);  // HAZARD mode #pagein
        if (e != cudaSuccess) return e;
        e = cudaMemcpyAsync(p.keys, rows.data(), sizeof(int) * kPageRows, cudaMemcpyHostToDevice, s);
        cudaError_t sync = cudaStreamSynchronize(s);
        return e != cudaSuccess ? e : sync;
    }

    std::vector<Page> pages_;
    std::mutex m_;
    std::condition_variable cv_;
    int wanted_ = -1;
    bool stop_ = false;
    std::thread io_;
};

__global__ void probe(const int* keys, int rows, const int* build, unsigned long long* total)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows) atomicAdd(total, static_cast<unsigned long long>(build[keys[i]]));
}

struct Operator {
    virtual ~Operator() = default;
    virtual cudaError_t enqueue(cudaStream_t s) = 0;
};

struct UploadBuild : Operator {
    int *host, *dev;
    unsigned long long* total;
    UploadBuild(int* h, int* d, unsigned long long* t) : host(h), dev(d), total(t) {}
    cudaError_t enqueue(cudaStream_t s) override
    {
        cudaError_t e = cudaMemsetAsync(total, 0, sizeof *total, s);
        if (e != cudaSuccess) return e;
        return cudaMemcpyAsync(dev, host, sizeof(int) * kKeys, cudaMemcpyHostToDevice, s);
    }
};

struct ProbePage : Operator {
    BufferManager& buffers;
    int page;
    const int* build;
    unsigned long long* total;
    ProbePage(BufferManager& b, int p, const int* d, unsigned long long* t) : buffers(b), page(p), build(d), total(t) {}
    cudaError_t enqueue(cudaStream_t s) override
    {
        const Page p = buffers.pin(page);
        if (p.status != cudaSuccess) return p.status;
        probe<<<kPageRows / 128, 128, 0, s>>>(p.keys, kPageRows, build, total);
        return cudaGetLastError();
    }
};

class Plan {
public:
    explicit Plan(cudaStream_t s) : stream_(s) {}
    ~Plan() { if (exec_) cudaGraphExecDestroy(exec_); }
    void add(std::unique_ptr<Operator> op) { ops_.push_back(std::move(op)); }

    cudaError_t compile()
    {
        cudaError_t e = cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal);  // HAZARD mode #pagein
        if (e != cudaSuccess) return e;
        for (auto& op : ops_)
            if (e == cudaSuccess) e = op->enqueue(stream_);
        cudaGraph_t g = nullptr;
        cudaError_t end = cudaStreamEndCapture(stream_, &g);
        if (e == cudaSuccess) e = end;
        if (e == cudaSuccess) e = cudaGraphInstantiate(&exec_, g, 0);
        if (g) cudaGraphDestroy(g);
        return e;
    }
    cudaError_t execute()
    {
        cudaError_t e = cudaGraphLaunch(exec_, stream_);
        return e != cudaSuccess ? e : cudaStreamSynchronize(stream_);
    }

private:
    cudaStream_t stream_;
    std::vector<std::unique_ptr<Operator>> ops_;
    cudaGraphExec_t exec_ = nullptr;
};

int main()
{
    cudaStream_t s = nullptr;
    int *hBuild = nullptr, *dBuild = nullptr;
    unsigned long long *dTotal = nullptr, hTotal = 0;
    bool setup = cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking) == cudaSuccess &&
                 cudaMallocHost(&hBuild, sizeof(int) * kKeys) == cudaSuccess &&
                 cudaMalloc(&dBuild, sizeof(int) * kKeys) == cudaSuccess &&
                 cudaMalloc(&dTotal, sizeof(unsigned long long)) == cudaSuccess;
    int good = 0;
    cudaError_t compiled = cudaErrorUnknown;
    if (setup) {
        BufferManager buffers;
        buffers.pin(0);  // the first page is hot
        Plan plan(s);
        plan.add(std::make_unique<UploadBuild>(hBuild, dBuild, dTotal));
        for (int p = 0; p < kPages; ++p) plan.add(std::make_unique<ProbePage>(buffers, p, dBuild, dTotal));
        compiled = plan.compile();
        std::printf("compile: %s\n", cudaGetErrorName(compiled));
        for (int q = 0; q < 4 && compiled == cudaSuccess; ++q) {
            for (int k = 0; k < kKeys; ++k) hBuild[k] = (k * (q + 3)) % 23;
            unsigned long long ref = 0;
            for (int p = 0; p < kPages; ++p)
                for (int r = 0; r < kPageRows; ++r) ref += hBuild[tableValue(p, r)];
            cudaError_t e = plan.execute();
            if (e == cudaSuccess) e = cudaMemcpyAsync(&hTotal, dTotal, sizeof hTotal, cudaMemcpyDeviceToHost, s);
            if (e == cudaSuccess) e = cudaStreamSynchronize(s);
            if (e == cudaSuccess && hTotal == ref) ++good;
        }
    }
    cudaFree(dBuild);
    cudaFree(dTotal);
    cudaFreeHost(hBuild);
    if (s) cudaStreamDestroy(s);
    std::printf("good queries: %d\n", good);
    std::printf(setup && compiled != cudaSuccess ? "LABEL CONFIRMED\n" : "LABEL UNOBSERVED\n");
    return 0;
}
