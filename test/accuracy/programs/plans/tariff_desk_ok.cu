// Pricing desk: base prices and a surcharge table are combined by a graph. When a
// new tariff is published, a loader thread brings its table to the device while
// the desk records the graph that will use it.
#include <cuda_runtime.h>
#include <cstdio>
#include <future>
#include <utility>
#include <vector>

constexpr int kItems = 2048;

struct Tariff {
    int* table = nullptr;
    cudaError_t error = cudaSuccess;
};

__global__ void base_price(const int* cost, int* price) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kItems) price[i] = cost[i] * 3;
}

__global__ void add_surcharge(const int* table, int* price) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kItems) price[i] += table[i];
}

// Runs on the loader thread (or inline at start-up).
static Tariff load_tariff(std::vector<int> rows, cudaStream_t stream) {
    Tariff t;
    t.error = cudaMalloc(reinterpret_cast<void**>(&t.table), rows.size() * sizeof(int));
    if (t.error != cudaSuccess) {
        std::fprintf(stderr, "loader: %s\n", cudaGetErrorString(t.error));
        return t;
    }
    t.error = cudaMemcpyAsync(t.table, rows.data(), rows.size() * sizeof(int), cudaMemcpyHostToDevice, stream);
    if (t.error == cudaSuccess) t.error = cudaStreamSynchronize(stream);
    return t;
}

class Desk {
public:
    bool open(const std::vector<int>& cost, const std::vector<int>& first_tariff) {
        bool ok = cudaStreamCreateWithFlags(&quote_, cudaStreamNonBlocking) == cudaSuccess &&
                  cudaStreamCreateWithFlags(&load_, cudaStreamNonBlocking) == cudaSuccess &&
                  cudaMalloc(reinterpret_cast<void**>(&cost_), kItems * sizeof(int)) == cudaSuccess &&
                  cudaMalloc(reinterpret_cast<void**>(&price_), kItems * sizeof(int)) == cudaSuccess &&
                  cudaMemcpyAsync(cost_, cost.data(), kItems * sizeof(int), cudaMemcpyHostToDevice, quote_) ==
                      cudaSuccess &&
                  cudaStreamSynchronize(quote_) == cudaSuccess;
        if (!ok) return false;
        tariff_ = load_tariff(first_tariff, load_);
        if (tariff_.error != cudaSuccess) return false;

        cudaGraph_t graph = nullptr;
        if (cudaStreamBeginCapture(quote_, cudaStreamCaptureModeThreadLocal) != cudaSuccess) return false;
        base_price<<<kItems / 256, 256, 0, quote_>>>(cost_, price_);
        add_surcharge<<<kItems / 256, 256, 0, quote_>>>(tariff_.table, price_);
        if (cudaStreamEndCapture(quote_, &graph) != cudaSuccess) return false;
        ok = cudaGraphInstantiate(&exec_, graph, 0) == cudaSuccess;
        cudaGraphDestroy(graph);
        return ok;
    }

    // Records the next graph while the loader is busy. False: the desk keeps the previous tariff.
    bool publish(const std::vector<int>& rows) {
        cudaGraph_t graph = nullptr;
        if (cudaStreamBeginCapture(quote_, cudaStreamCaptureModeThreadLocal) != cudaSuccess) return false;
        std::future<Tariff> pending = std::async(std::launch::async, load_tariff, rows, load_);
        base_price<<<kItems / 256, 256, 0, quote_>>>(cost_, price_);
        Tariff next = pending.get();
        add_surcharge<<<kItems / 256, 256, 0, quote_>>>(next.table, price_);
        cudaError_t ended = cudaStreamEndCapture(quote_, &graph);
        if (ended == cudaSuccess) ended = next.error;
        cudaGraphExec_t exec = nullptr;
        if (ended == cudaSuccess) ended = cudaGraphInstantiate(&exec, graph, 0);
        if (graph != nullptr) cudaGraphDestroy(graph);
        if (ended != cudaSuccess) {
            std::fprintf(stderr, "publish: %s\n", cudaGetErrorString(ended));
            cudaFree(next.table);
            return false;
        }
        if (cudaStreamSynchronize(quote_) != cudaSuccess) return false;
        cudaGraphExecDestroy(std::exchange(exec_, exec));
        cudaFree(std::exchange(tariff_, next).table);
        return true;
    }

    bool quote(std::vector<int>& out) {
        out.resize(kItems);
        return cudaGraphLaunch(exec_, quote_) == cudaSuccess &&
               cudaMemcpyAsync(out.data(), price_, kItems * sizeof(int), cudaMemcpyDeviceToHost, quote_) ==
                   cudaSuccess &&
               cudaStreamSynchronize(quote_) == cudaSuccess;
    }

    ~Desk() {
        if (quote_) cudaStreamSynchronize(quote_);
        if (exec_) cudaGraphExecDestroy(exec_);
        cudaFree(tariff_.table);
        cudaFree(price_);
        cudaFree(cost_);
        if (load_) cudaStreamDestroy(load_);
        if (quote_) cudaStreamDestroy(quote_);
    }

private:
    cudaStream_t quote_ = nullptr, load_ = nullptr;
    int *cost_ = nullptr, *price_ = nullptr;
    Tariff tariff_;
    cudaGraphExec_t exec_ = nullptr;
};

static std::vector<int> make_tariff(int issue) {
    std::vector<int> rows(kItems);
    for (int i = 0; i < kItems; ++i) rows[i] = issue * 100 + i % 10;
    return rows;
}

int main() {
    std::vector<int> cost(kItems), prices;
    for (int i = 0; i < kItems; ++i) cost[i] = i % 50 + 1;

    Desk desk;
    const bool opened = desk.open(cost, make_tariff(0));
    int failures = 0, wrong = 0;
    for (int issue = 0; opened && issue < 3 && failures == 0; ++issue) {
        if (issue > 0) failures += !desk.publish(make_tariff(issue));
        for (int replay = 0; replay < 2; ++replay) {
            failures += !desk.quote(prices);
            int bad = 0;
            for (int i = 0; i < kItems; ++i) bad += prices[i] != cost[i] * 3 + issue * 100 + i % 10;
            std::printf("tariff %d replay %d: %d wrong prices\n", issue, replay, bad);
            wrong += bad != 0;
        }
    }
    std::puts(opened && failures == 0 && wrong == 0 ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
