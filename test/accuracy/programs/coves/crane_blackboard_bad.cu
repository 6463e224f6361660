// Middleware of a ship-to-shore container crane: behaviours publish on a message bus, a scheduler ticks them.
// The sway estimator and the stack profiler run as recorded graphs, each on a stream of its own.
#include <cuda_runtime.h>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#define GPU(x)                                                                                  \
    do {                                                                                        \
        if (cudaError_t e_ = (x)) {                                                             \
            std::printf("%s failed: %s\nLABEL WRONG\n", #x, cudaGetErrorString(e_));            \
            std::exit(0);                                                                       \
        }                                                                                       \
    } while (0)

constexpr int kPoints = 4096;

enum class Topic { Sway, Profile, Spreader, Hoist, Count };

struct Message {
    Topic topic = Topic::Count;
    const int* value = nullptr;  // pinned result of the sender, or null
    int payload = 0;
};

// Fixed pool of messages and one handler table; no allocation after start-up.
class Bus {
public:
    using Handler = std::function<void(int)>;
    Bus() {
        for (auto& m : pool_) free_.push_back(&m);
    }
    void subscribe(Topic t, Handler h) { handlers_[size_t(t)] = std::move(h); }
    Message* acquire(Topic t) {
        std::lock_guard<std::mutex> l(m_);
        Message* m = free_.back();
        free_.pop_back();
        *m = Message{t};
        return m;
    }
    void release(Message* m) {
        std::lock_guard<std::mutex> l(m_);
        free_.push_back(m);
    }
    void dispatch(const Message& m) {
        auto& h = handlers_[size_t(m.topic)];
        if (h) h(m.value ? *m.value : m.payload);
    }

private:
    std::array<Message, 8> pool_;
    std::vector<Message*> free_;
    std::array<Handler, size_t(Topic::Count)> handlers_;
    std::mutex m_;
};

struct Delivery {
    Bus* bus;
    const Message* message;
};

static void CUDART_CB deliver(void* p) {
    auto* d = static_cast<Delivery*>(p);
    d->bus->dispatch(*d->message);
}

__device__ void hold(long long cycles) {  // dwell of the scanner between two sweeps
    long long t0 = clock64();
    while (clock64() - t0 < cycles) {
    }
}

__global__ void projectPoints(const int* cloud, int axis, long long dwell, int* scratch) {
    hold(dwell);
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kPoints) scratch[i] = axis == 0 ? cloud[i] % 1000 : cloud[i] / 1000;
}

__global__ void reducePoints(const int* scratch, long long dwell, int* result) {
    hold(dwell);
    __shared__ int sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < kPoints; i += blockDim.x) atomicAdd(&sum, scratch[i]);
    __syncthreads();
    if (threadIdx.x == 0) *result = sum;
}

// Named device buffers that behaviours look up instead of owning memory themselves.
class Blackboard {
public:
    ~Blackboard() {
        for (auto& e : entries_) cudaFree(e.second);
    }
    int* buffer(const std::string& name, size_t n) {
        for (auto& e : entries_)
            if (e.first == name) return e.second;
        int* p = nullptr;
        GPU(cudaMalloc(&p, n * sizeof(int)));
        entries_.emplace_back(name, p);
        return p;
    }

private:
    std::vector<std::pair<std::string, int*>> entries_;
};

class Behaviour {
public:
    Behaviour(std::string name, Blackboard& bb, Bus& bus) : name_(std::move(name)), board_(bb), bus_(bus) {
        GPU(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        GPU(cudaMalloc(&result_, sizeof(int)));
        GPU(cudaMallocHost(&resultHost_, sizeof(int)));
    }
    ~Behaviour() {
        if (exec_) cudaGraphExecDestroy(exec_);
        cudaFree(result_);
        cudaFreeHost(resultHost_);
        cudaStreamDestroy(stream_);
    }

    void open() { GPU(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal)); }

    void estimate(int axis, long long dwellProject, long long dwellReduce) {
        int* cloud = board_.buffer("cloud", kPoints);
        int* scratch = board_.buffer("projection", kPoints);
        projectPoints<<<kPoints / 256, 256, 0, stream_>>>(cloud, axis, dwellProject, scratch);  // HAZARD concurrent
        reducePoints<<<1, 256, 0, stream_>>>(scratch, dwellReduce, result_);
        GPU(cudaMemcpyAsync(resultHost_, result_, sizeof(int), cudaMemcpyDeviceToHost, stream_));
    }

    void announce(Topic topic) {
        Message* m = bus_.acquire(topic);
        m->value = resultHost_;
        delivery_ = {&bus_, m};
        GPU(cudaLaunchHostFunc(stream_, deliver, &delivery_));  // HAZARD callback #b
        bus_.release(m);  // HAZARD callback #b
    }

    void close() {
        cudaGraph_t g = nullptr;
        GPU(cudaStreamEndCapture(stream_, &g));
        GPU(cudaGraphInstantiate(&exec_, g, 0));
        GPU(cudaGraphUpload(exec_, stream_));
        GPU(cudaStreamSynchronize(stream_));
        GPU(cudaGraphDestroy(g));
    }

    void start() { GPU(cudaGraphLaunch(exec_, stream_)); }
    void wait() { GPU(cudaStreamSynchronize(stream_)); }
    int result() const { return *resultHost_; }

private:
    std::string name_;
    Blackboard& board_;
    Bus& bus_;
    cudaStream_t stream_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
    int *result_ = nullptr, *resultHost_ = nullptr;
    Delivery delivery_{};
};

class Scheduler {
public:
    explicit Scheduler(Blackboard& bb) : board_(bb) { board_.buffer("projection", kPoints); }
    void add(Behaviour* b) { behaviours_.push_back(b); }
    void tick(const std::vector<int>& scan) {
        GPU(cudaMemcpy(board_.buffer("cloud", kPoints), scan.data(), kPoints * sizeof(int), cudaMemcpyHostToDevice));
        GPU(cudaDeviceSynchronize());
        for (auto* b : behaviours_) b->start();
        for (auto* b : behaviours_) b->wait();
    }

private:
    Blackboard& board_;
    std::vector<Behaviour*> behaviours_;
};

static std::vector<int> scanBay(int pass) {
    std::vector<int> v(kPoints);
    for (int i = 0; i < kPoints; ++i) v[i] = ((i * 7 + pass) % 90 + 100) * 1000 + (i * 3 + pass * 5) % 50;
    return v;
}

int main() {
    Blackboard board;
    Bus bus;
    std::atomic<int> swayCalls{0}, profileCalls{0}, spreaderCalls{0}, hoistCalls{0};
    bus.subscribe(Topic::Sway, [&](int) { ++swayCalls; });
    bus.subscribe(Topic::Profile, [&](int) { ++profileCalls; });
    bus.subscribe(Topic::Spreader, [&](int) { ++spreaderCalls; });
    bus.subscribe(Topic::Hoist, [&](int) { ++hoistCalls; });
    board.buffer("cloud", kPoints);

    Scheduler scheduler(board);
    Behaviour sway("sway", board, bus), profile("profile", board, bus);
    sway.open();
    sway.estimate(0, 0, 9000000);
    sway.announce(Topic::Sway);
    sway.close();
    profile.open();
    profile.estimate(1, 3000000, 0);
    profile.announce(Topic::Profile);
    profile.close();
    scheduler.add(&sway);
    scheduler.add(&profile);

    // The spreader reports that its twistlocks are closed; the report is handled at the end of the shift.
    Message* locked = bus.acquire(Topic::Spreader);
    locked->payload = 1;

    int swayWrong = 0, swayLikeProfile = 0;
    for (int pass = 0; pass < 3; ++pass) {
        std::vector<int> scan = scanBay(pass);
        scheduler.tick(scan);
        int wantSway = 0, wantProfile = 0;
        for (int v : scan) wantSway += v % 1000, wantProfile += v / 1000;
        std::printf("pass %d: sway %d (expected %d), profile %d (expected %d)\n", pass, sway.result(), wantSway,
                    profile.result(), wantProfile);
        swayWrong += sway.result() != wantSway;
        swayLikeProfile += sway.result() == wantProfile;
    }
    std::printf("handlers: sway %d, profile %d, spreader %d, hoist %d\n", swayCalls.load(), profileCalls.load(),
                spreaderCalls.load(), hoistCalls.load());
    bus.dispatch(*locked);
    bus.release(locked);
    bool confirmed = swayWrong == 3 && swayLikeProfile == 3 && swayCalls == 0 && spreaderCalls == 7;
    std::printf(confirmed ? "LABEL CONFIRMED\n" : "LABEL WRONG\n");
    return 0;
}
