#include <cuda_runtime.h>
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <future>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

__global__ void gradePixels(float* px, const float* lut, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) px[i] = lut[i % 16] + px[i];
}

__global__ void exposePixels(float* px, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) px[i] = float(i % 16);
}

struct Asset {
    float* data = nullptr;
    cudaError_t error = cudaSuccess;
};

// Background loader in the style of an engine's asset streamer.
class AssetStreamer {
public:
    AssetStreamer() : worker_([this] { loop(); }) {}
    ~AssetStreamer()
    {
        {
            std::lock_guard<std::mutex> l(m_);
            quit_ = true;
        }
        cv_.notify_all();
        worker_.join();
        for (auto& kv : resident_) cudaFree(kv.second.data);
    }
    std::future<Asset> request(std::string name)
    {
        std::packaged_task<Asset()> job([this, name = std::move(name)] { return load(name); });
        auto f = job.get_future();
        {
            std::lock_guard<std::mutex> l(m_);
            jobs_.push_back(std::move(job));
        }
        cv_.notify_one();
        return f;
    }

    bool started() const { return ready_ > 0; }

private:
    Asset load(const std::string& name)
    {
        auto it = resident_.find(name);
        if (it != resident_.end()) return it->second;
        Asset a;
        std::vector<float> table(16, 100.0f + float(name.size()));
        a.error = cudaMalloc(&a.data, 16 * sizeof(float));
        if (a.error != cudaSuccess) return a;
        a.error = cudaMemcpyAsync(a.data, table.data(), 16 * sizeof(float), cudaMemcpyHostToDevice, upload_);
        if (a.error == cudaSuccess) a.error = cudaStreamSynchronize(upload_);
        if (a.error == cudaSuccess) resident_[name] = a;
        return a;
    }
    void loop()
    {
        cudaSetDevice(0);
        cudaStreamCreateWithFlags(&upload_, cudaStreamNonBlocking);
        ++ready_;
        for (;;) {
            std::packaged_task<Asset()> job;
            {
                std::unique_lock<std::mutex> l(m_);
                cv_.wait(l, [this] { return quit_ || !jobs_.empty(); });
                if (jobs_.empty()) break;
                job = std::move(jobs_.front());
                jobs_.pop_front();
            }
            job();
        }
        cudaStreamDestroy(upload_);
    }

    std::mutex m_;
    std::condition_variable cv_;
    std::deque<std::packaged_task<Asset()>> jobs_;
    std::unordered_map<std::string, Asset> resident_;
    bool quit_ = false;
    cudaStream_t upload_ = nullptr;
    std::atomic<int> ready_{0};
    std::thread worker_;
};

struct View {
    cudaStream_t s = nullptr;
    float* px = nullptr;
    cudaGraphExec_t exec = nullptr;
    int n = 256;
};

static cudaError_t recordView(View& v, AssetStreamer& assets, const std::string& look, cudaError_t* loaded)
{
    cudaGraph_t g = nullptr;
    cudaError_t e = cudaStreamBeginCapture(v.s, cudaStreamCaptureModeThreadLocal);
    if (e != cudaSuccess) return e;
    exposePixels<<<1, v.n, 0, v.s>>>(v.px, v.n);
    Asset lut = assets.request(look).get();
    *loaded = lut.error;
    if (lut.error == cudaSuccess) gradePixels<<<1, v.n, 0, v.s>>>(v.px, lut.data, v.n);
    e = cudaStreamEndCapture(v.s, &g);
    if (e == cudaSuccess) e = cudaGraphInstantiate(&v.exec, g, 0);
    if (g) cudaGraphDestroy(g);
    return e;
}

int main()
{
    View v;
    cudaStreamCreateWithFlags(&v.s, cudaStreamNonBlocking);
    cudaMalloc(&v.px, v.n * sizeof(float));
    float out[2] = {};
    cudaError_t rec = cudaSuccess, load = cudaSuccess, run = cudaSuccess;
    {
        AssetStreamer assets;
        while (!assets.started()) std::this_thread::yield();
        rec = recordView(v, assets, "teal", &load);
        for (int k = 0; k < 2 && rec == cudaSuccess && run == cudaSuccess; ++k) {
            run = cudaGraphLaunch(v.exec, v.s);
            if (run == cudaSuccess) run = cudaStreamSynchronize(v.s);
            if (run == cudaSuccess) run = cudaMemcpy(&out[k], v.px + 5, sizeof(float), cudaMemcpyDeviceToHost);
        }
        if (v.exec) cudaGraphExecDestroy(v.exec);
    }
    bool label = !load && !rec && !run && out[0] == 109.0f && out[1] == 109.0f;
    std::printf("LABEL %s load=%d record=%d run=%d px=%g\n", label ? "CONFIRMED" : "REFUTED", int(load), int(rec),
                int(run), out[1]);
    cudaFree(v.px);
    cudaStreamDestroy(v.s);
    return 0;
}
