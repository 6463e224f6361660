#include <cuda_runtime.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

enum class Opcode : uint8_t { Broadcast, Accumulate, Fence, Notify, Download };

struct Word {
    Opcode op;
    uint16_t dst = 0, src = 0;
    float imm = 0;
};
using Module = std::vector<Word>;

constexpr int kLen = 512;

__global__ void broadcast(float* p, float v) { p[blockIdx.x * blockDim.x + threadIdx.x] = v; }
__global__ void accumulate(float* p, const float* q) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    p[i] += q[i];
}

struct Signals {
    std::atomic<int> raised{0};
};
static void CUDART_CB on_notify(cudaStream_t, cudaError_t, void* user) {
    static_cast<Signals*>(user)->raised.fetch_add(1);
}

class RegisterFile {
public:
    explicit RegisterFile(int n) : device_(n, nullptr) {
        for (auto& p : device_) {
            cudaMalloc(&p, kLen * sizeof(float));
            cudaMemset(p, 0, kLen * sizeof(float));
        }
        cudaDeviceSynchronize();
    }
    ~RegisterFile() {
        for (auto p : device_) cudaFree(p);
        for (auto& [reg, p] : mirror_) cudaFreeHost(p);
    }
    float* operator()(uint16_t r) const { return device_.at(r); }
    float* mirror(uint16_t r) const {
        auto it = mirror_.find(r);
        return it == mirror_.end() ? nullptr : it->second;
    }
    cudaError_t ensure_mirror(uint16_t r) {
        if (mirror_.count(r)) return cudaSuccess;
        float* p = nullptr;
        cudaError_t e = cudaMallocHost(&p, kLen * sizeof(float));  // HAZARD pinned_allocation #mirror
        if (e == cudaSuccess) mirror_[r] = p;
        return e;
    }

private:
    std::vector<float*> device_;
    std::unordered_map<uint16_t, float*> mirror_;
};

class Machine {
public:
    Machine() : regs_(4) {
        cudaStreamCreateWithFlags(&queue_, cudaStreamNonBlocking);
        cudaStreamCreateWithFlags(&transfer_, cudaStreamNonBlocking);
        for (auto& e : fences_) cudaEventCreateWithFlags(&e, cudaEventDisableTiming);
    }
    ~Machine() {
        for (auto& [name, exec] : linked_) cudaGraphExecDestroy(exec);
        for (auto e : fences_) cudaEventDestroy(e);
        cudaStreamDestroy(queue_);
        cudaStreamDestroy(transfer_);
    }
    cudaError_t link(const std::string& name, const Module& m) {
        cudaGraph_t graph = nullptr;
        if (cudaError_t e = cudaStreamBeginCapture(queue_, cudaStreamCaptureModeGlobal)) return e;
        cudaError_t body = cudaSuccess;
        for (const Word& w : m)
            if (cudaError_t e = emit(w); e != cudaSuccess && body == cudaSuccess) body = e;
        cudaError_t end = cudaStreamEndCapture(queue_, &graph);
        cudaGetLastError();
        if (body == cudaSuccess && end == cudaSuccess) {
            cudaGraphExec_t exec = nullptr;
            body = cudaGraphInstantiate(&exec, graph, 0);
            if (exec) linked_[name] = exec;
        }
        if (graph) cudaGraphDestroy(graph);
        return body != cudaSuccess ? body : end;
    }
    cudaError_t call(const std::string& name) {
        auto it = linked_.find(name);
        if (it == linked_.end()) return cudaErrorInvalidResourceHandle;
        cudaError_t e = cudaGraphLaunch(it->second, queue_);
        return e == cudaSuccess ? cudaStreamSynchronize(queue_) : e;
    }
    int raised() const { return signals_->raised.load(); }
    float mirrored(uint16_t r) const { return regs_.mirror(r) ? regs_.mirror(r)[7] : -1.0f; }

private:
    cudaError_t emit(const Word& w) {
        switch (w.op) {
            case Opcode::Broadcast:
                broadcast<<<kLen / 128, 128, 0, queue_>>>(regs_(w.dst), w.imm);
                return cudaGetLastError();
            case Opcode::Accumulate:
                accumulate<<<kLen / 128, 128, 0, queue_>>>(regs_(w.dst), regs_(w.src));
                return cudaGetLastError();
            case Opcode::Fence:
                return cudaStreamSynchronize(queue_);  // HAZARD sync_call
            case Opcode::Notify:
                return cudaStreamAddCallback(queue_, on_notify, signals_.get(), 0);  // HAZARD unsupported_operation
            case Opcode::Download:
                if (cudaError_t e = regs_.ensure_mirror(w.src)) return e;  // HAZARD pinned_allocation #mirror
                return cudaMemcpyAsync(regs_.mirror(w.src), regs_(w.src), kLen * sizeof(float), cudaMemcpyDeviceToHost, queue_);
        }
        return cudaErrorInvalidValue;
    }
    RegisterFile regs_;
    std::unique_ptr<Signals> signals_ = std::make_unique<Signals>();
    std::unordered_map<std::string, cudaGraphExec_t> linked_;
    cudaStream_t queue_ = nullptr, transfer_ = nullptr;
    cudaEvent_t fences_[2] = {};
};

int main() {
    Machine machine;
    cudaError_t a = machine.link("sum", {{Opcode::Broadcast, 0, 0, 2.0f}, {Opcode::Fence}, {Opcode::Accumulate, 1, 0}});
    cudaError_t b = machine.link("notify", {{Opcode::Accumulate, 2, 0}, {Opcode::Notify}});
    cudaError_t c = machine.link("fetch", {{Opcode::Accumulate, 1, 0}, {Opcode::Download, 0, 1}});
    int called = 0;
    for (int i = 0; i < 3; ++i)
        for (const char* name : {"sum", "notify", "fetch"}) called += machine.call(name) == cudaSuccess;
    bool ok = a == cudaErrorStreamCaptureUnsupported && b == a && c == a && called == 0 && machine.raised() == 0;
    std::printf(ok ? "LABEL CONFIRMED\n" : "LABEL REFUTED %d %d %d calls=%d raised=%d m=%f\n", a, b, c, called,
                machine.raised(), machine.mirrored(1));
    return 0;
}
