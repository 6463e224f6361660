#include <cuda_runtime.h>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

namespace md {

inline void check(cudaError_t e, const char* what) {
    if (e != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(e));
}

template <typename T>
class dvec {
public:
    dvec() = default;
    explicit dvec(std::size_t n) { grow(n); size_ = n; }
    dvec(const dvec&) = delete;
    dvec& operator=(const dvec&) = delete;
    ~dvec() { cudaFree(data_); }

    T* data() { return data_; }
    std::size_t size() const { return size_; }
    std::size_t capacity() const { return capacity_; }

    // returns true if the storage moved
    bool assign(const std::vector<T>& host, cudaStream_t s) {
        const bool moved = host.size() > capacity_;
        if (moved) grow(host.size());
        size_ = host.size();
        check(cudaMemcpyAsync(data_, host.data(), size_ * sizeof(T), cudaMemcpyHostToDevice, s), "assign");
        check(cudaStreamSynchronize(s), "assign");
        return moved;
    }

private:
    void grow(std::size_t n) {
        T* fresh = nullptr;
        check(cudaMalloc(&fresh, n * sizeof(T)), "grow");
        cudaFree(data_);
        data_ = fresh;
        capacity_ = n;
    }
    T* data_ = nullptr;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
};

template <typename Body>
cudaGraphExec_t record(cudaStream_t s, Body&& body) {
    cudaGraph_t graph = nullptr;
    check(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal), "begin");
    try {
        body(s);
    } catch (...) {
        cudaStreamEndCapture(s, &graph);
        if (graph) cudaGraphDestroy(graph);
        throw;
    }
    check(cudaStreamEndCapture(s, &graph), "end");
    cudaGraphExec_t exec = nullptr;
    const cudaError_t e = cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphDestroy(graph);
    check(e, "instantiate");
    return exec;
}

template <typename Real>
__global__ void pair_energy(const Real* x, const int2* pairs, const int* npairs, Real* energy) {
    const int n = *npairs;
    Real sum = 0;
    for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < n; k += gridDim.x * blockDim.x) {
        const Real d = x[pairs[k].x] - x[pairs[k].y];
        sum += Real(1) / (Real(0.1) + d * d);
    }
    if (sum != Real(0)) atomicAdd(energy, sum);
}

template <typename Real>
class force_field {
public:
    force_field(int natoms, Real cutoff, cudaStream_t s)
        : cutoff_(cutoff), stream_(s), x_(natoms), npairs_(1), energy_(1) {}
    ~force_field() { drop_graph(); }

    void rebuild(const std::vector<Real>& x) {
        std::vector<int2> list;
        for (int i = 0; i < static_cast<int>(x.size()); ++i)
            for (int j = i + 1; j < static_cast<int>(x.size()); ++j)
                if (std::fabs(x[i] - x[j]) < cutoff_) list.push_back(make_int2(i, j));
        host_x_ = x;
        host_pairs_ = list;
        x_.assign(x, stream_);
        npairs_.assign({static_cast<int>(list.size())}, stream_);
        if (pairs_.assign(list, stream_)) drop_graph();
    }

    Real energy() {
        if (!exec_) exec_ = record(stream_, [this](cudaStream_t s) { enqueue(s); });
        Real e = 0;
        check(cudaGraphLaunch(exec_, stream_), "launch");
        check(cudaMemcpyAsync(&e, energy_.data(), sizeof e, cudaMemcpyDeviceToHost, stream_), "readback");
        check(cudaStreamSynchronize(stream_), "sync");
        return e;
    }

    Real reference() const {
        Real e = 0;
        for (const int2& p : host_pairs_) {
            const Real d = host_x_[p.x] - host_x_[p.y];
            e += Real(1) / (Real(0.1) + d * d);
        }
        return e;
    }
    std::size_t pairs() const { return host_pairs_.size(); }

private:
    void enqueue(cudaStream_t s) {
        check(cudaMemsetAsync(energy_.data(), 0, sizeof(Real), s), "memset");
        pair_energy<Real><<<64, 128, 0, s>>>(x_.data(), pairs_.data(), npairs_.data(), energy_.data());
        check(cudaGetLastError(), "pair_energy");
    }
    void drop_graph() {
        if (exec_) cudaGraphExecDestroy(exec_);
        exec_ = nullptr;
    }
    Real cutoff_;
    cudaStream_t stream_;
    dvec<Real> x_;
    dvec<int2> pairs_;
    dvec<int> npairs_;
    dvec<Real> energy_;
    std::vector<Real> host_x_;
    std::vector<int2> host_pairs_;
    cudaGraphExec_t exec_ = nullptr;
};

} // namespace md

int main() {
    bool right = true;
    try {
        cudaStream_t s;
        md::check(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking), "stream");
        {
            const int n = 512;
            md::force_field<float> ff(n, 1.0f, s);
            std::vector<float> x(n);
            const float spacing[] = {0.30f, 0.25f, 0.10f, 0.02f};
            for (float h : spacing) {
                for (int i = 0; i < n; ++i) x[i] = h * i;
                ff.rebuild(x);
                const float e = ff.energy(), ref = ff.reference();
                std::printf("pairs %zu energy %g reference %g\n", ff.pairs(), e, ref);
                if (std::fabs(e - ref) > 1e-2f * std::fabs(ref)) right = false;
            }
        }
        md::check(cudaStreamDestroy(s), "destroy");
    } catch (const std::exception& ex) {
        std::printf("%s\n", ex.what());
        std::printf("LABEL REFUTED\n");
        return 0;
    }
    std::printf(right ? "LABEL CONFIRMED\n" : "LABEL REFUTED\n");
    return 0;
}
