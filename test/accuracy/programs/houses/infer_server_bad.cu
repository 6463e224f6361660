// Small inference server: request queue, one executor thread, one weight-loader thread.
#include <cuda_runtime.h>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <functional>
#include <future>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

template <class T>
class BlockingQueue {
public:
    void push(T v) {
        { std::lock_guard<std::mutex> l(m_); q_.push_back(std::move(v)); }
        cv_.notify_one();
    }
    bool pop(T& out) {
        std::unique_lock<std::mutex> l(m_);
        cv_.wait(l, [&] { return closed_ || !q_.empty(); });
        if (q_.empty()) return false;
        out = std::move(q_.front());
        q_.pop_front();
        return true;
    }
    void close() {
        { std::lock_guard<std::mutex> l(m_); closed_ = true; }
        cv_.notify_all();
    }
private:
    std::mutex m_;
    std::condition_variable cv_;
    std::deque<T> q_;
    bool closed_ = false;
};

__global__ void dense(const float* in, const float* w, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] * w[i];
}

struct Weights { float* ptr = nullptr; cudaError_t status = cudaSuccess; };

class WeightLoader {
public:
    explicit WeightLoader(int n) : n_(n), thread_([this] { loop(); }) {}
    ~WeightLoader() {
        jobs_.close();
        thread_.join();
        for (auto& kv : loaded_) cudaFree(kv.second.ptr);
    }
    std::future<Weights> fetch(const std::string& name) {
        Job j{name, {}};
        auto f = j.done.get_future();
        jobs_.push(std::move(j));
        return f;
    }
private:
    struct Job { std::string name; std::promise<Weights> done; };
    void loop() {
        cudaStream_t copy = nullptr;
        cudaStreamCreateWithFlags(&copy, cudaStreamNonBlocking);
        Job j;
        while (jobs_.pop(j)) {
            auto it = loaded_.find(j.name);
            if (it == loaded_.end()) {
                Weights w = load(j.name, copy);
                if (w.status != cudaSuccess) { j.done.set_value(w); continue; }
                it = loaded_.emplace(j.name, w).first;
            }
            j.done.set_value(it->second);
        }
        cudaStreamDestroy(copy);
    }
    Weights load(const std::string& name, cudaStream_t copy) {
        Weights w;
        std::vector<float> host(n_, float(name.size()));
        w.status = cudaMalloc(&w.ptr, n_ * sizeof(float)); // HAZARD mode #loader
        if (w.status != cudaSuccess) return w;
        w.status = cudaMemcpyAsync(w.ptr, host.data(), n_ * sizeof(float), cudaMemcpyHostToDevice, copy);
        if (w.status == cudaSuccess) w.status = cudaStreamSynchronize(copy);
        if (w.status != cudaSuccess) { cudaFree(w.ptr); w.ptr = nullptr; }
        return w;
    }
    int n_;
    BlockingQueue<Job> jobs_;
    std::map<std::string, Weights> loaded_;
    std::thread thread_;
};

struct Reply { cudaError_t status; float value; };
struct Request { std::vector<std::string> layers; float input; std::promise<Reply> done; };

class Executor {
public:
    Executor(WeightLoader& loader, int n) : loader_(loader), n_(n), thread_([this] { loop(); }) {}
    ~Executor() { requests_.close(); thread_.join(); }
    std::future<Reply> submit(std::vector<std::string> layers, float input) {
        Request r{std::move(layers), input, {}};
        auto f = r.done.get_future();
        requests_.push(std::move(r));
        return f;
    }
private:
    void loop() {
        cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking);
        cudaMalloc(&buf_[0], n_ * sizeof(float));
        cudaMalloc(&buf_[1], n_ * sizeof(float));
        Request r;
        while (requests_.pop(r)) r.done.set_value(serve(r));
        for (auto& kv : cache_) cudaGraphExecDestroy(kv.second);
        cudaFree(buf_[0]);
        cudaFree(buf_[1]);
        cudaStreamDestroy(stream_);
    }
    Reply serve(const Request& r) {
        std::string key;
        for (auto& l : r.layers) key += l + "/";
        auto it = cache_.find(key);
        if (it == cache_.end()) {
            cudaGraphExec_t exec = nullptr;
            cudaError_t rc = capture(r.layers, exec);
            if (rc != cudaSuccess) return {rc, 0.0f};
            it = cache_.emplace(key, exec).first;
        }
        std::vector<float> host(n_, r.input);
        cudaError_t rc = cudaMemcpyAsync(buf_[0], host.data(), n_ * sizeof(float), cudaMemcpyHostToDevice, stream_);
        if (rc == cudaSuccess) rc = cudaGraphLaunch(it->second, stream_);
        if (rc == cudaSuccess)
            rc = cudaMemcpyAsync(host.data(), buf_[r.layers.size() % 2], n_ * sizeof(float), cudaMemcpyDeviceToHost, stream_);
        cudaError_t sync = cudaStreamSynchronize(stream_);
        return {rc != cudaSuccess ? rc : sync, host[n_ - 1]};
    }
    cudaError_t capture(const std::vector<std::string>& layers, cudaGraphExec_t& exec) {
        cudaError_t rc = cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal); // HAZARD mode #loader
        if (rc != cudaSuccess) return rc;
        cudaError_t inner = cudaSuccess;
        int cur = 0;
        for (auto& name : layers) {
            Weights w = loader_.fetch(name).get();
            if (w.status != cudaSuccess) { inner = w.status; break; }
            dense<<<(n_ + 127) / 128, 128, 0, stream_>>>(buf_[cur], w.ptr, buf_[cur ^ 1], n_);
            cur ^= 1;
        }
        if (inner == cudaSuccess) inner = cudaGetLastError();
        cudaGraph_t graph = nullptr;
        rc = cudaStreamEndCapture(stream_, &graph);
        if (inner != cudaSuccess) rc = inner;
        if (rc == cudaSuccess) rc = cudaGraphInstantiate(&exec, graph, 0);
        if (graph) cudaGraphDestroy(graph);
        return rc;
    }
    WeightLoader& loader_;
    int n_;
    cudaStream_t stream_ = nullptr;
    float* buf_[2] = {nullptr, nullptr};
    std::map<std::string, cudaGraphExec_t> cache_;
    BlockingQueue<Request> requests_;
    std::thread thread_;
};

int main() {
    const int n = 1000;
    if (cudaFree(nullptr) != cudaSuccess) { std::printf("no device\nLABEL UNOBSERVED\n"); return 1; }
    int failed = 0, wrong = 0, good = 0;
    {
        WeightLoader loader(n);
        Executor exec(loader, n);
        std::vector<std::vector<std::string>> models = {{"wq", "proj"}, {"wq", "gate", "out"}, {"wq", "proj"}};
        const float scale[] = {8.0f, 24.0f, 8.0f};
        for (int round = 0; round < 3; ++round)
            for (size_t m = 0; m < models.size(); ++m) {
                float in = float(round + 1);
                Reply r = exec.submit(models[m], in).get();
                if (r.status != cudaSuccess) { std::printf("request: %s\n", cudaGetErrorName(r.status)); ++failed; }
                else if (r.value != in * scale[m]) { std::printf("value %f\n", r.value); ++wrong; }
                else ++good;
            }
    }
    std::printf("good %d failed %d wrong %d\n", good, failed, wrong);
    bool seen = failed > 0 && wrong == 0;
    std::printf(seen ? "LABEL CONFIRMED\n" : "LABEL UNOBSERVED\n");
    return seen ? 0 : 1;
}
