// sweep: header-style relaxation solvers. Ring arithmetic keeps results exact, so runs compare bit for bit.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

namespace sweep {

#define SWEEP_ASSERT(call)                                                                   \
    do {                                                                                     \
        const cudaError_t sweep_rc = (call);                                                 \
        if (sweep_rc != cudaSuccess) {                                                       \
            std::fprintf(stderr, "%d: %s\n", __LINE__, cudaGetErrorString(sweep_rc));        \
            std::puts("LABEL WRONG");                                                        \
            std::exit(1);                                                                    \
        }                                                                                    \
    } while (0)

// ----------------------------------------------------------------- memory

template <class T>
class device_array {
public:
    device_array() = default;
    explicit device_array(size_t n) : n_(n) { SWEEP_ASSERT(cudaMalloc(&p_, n * sizeof(T))); }
    ~device_array() { cudaFree(p_); }
    device_array(const device_array &) = delete;
    device_array &operator=(const device_array &) = delete;
    T *get() const noexcept { return p_; }
    size_t size() const noexcept { return n_; }

private:
    T *p_ = nullptr;
    size_t n_ = 0;
};

// One temporary per value type, sized for the largest field.
template <class T>
struct shared_workspace {
    static constexpr size_t capacity = 1u << 16;
    static shared_workspace &instance()
    {
        static shared_workspace w;
        return w;
    }
    T *temp() const { return buffer_.get(); }

private:
    shared_workspace() : buffer_(capacity) {}
    device_array<T> buffer_;
};

// ---------------------------------------------------------------- stencils

struct laplace3 {
    static constexpr const char *name = "laplace3";
    template <class T>
    __host__ __device__ static T apply(const T *u, int i, int n)
    {
        return u[(i + 1) % n] + u[(i + n - 1) % n] - T(2) * u[i];
    }
};

struct upwind2 {
    static constexpr const char *name = "upwind2";
    template <class T>
    __host__ __device__ static T apply(const T *u, int i, int n)
    {
        return T(3) * u[i] - u[(i + n - 1) % n];
    }
};

template <class T, class Stencil>
__global__ void residual_kernel(T *temp, const T *u, const T *rhs, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        temp[i] = rhs[i] + Stencil::apply(u, i, n);
}

template <class T>
__global__ void correct_kernel(T *u, const T *temp, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        u[i] = T(5) * u[i] + temp[i];
}

// ---------------------------------------------------------------- policies

template <int Sweeps, int Grid, int Block>
struct sweep_policy {
    static constexpr int sweeps = Sweeps;
    static constexpr int grid = Grid;
    static constexpr int block = Block;
};

using light = sweep_policy<150, 16, 256>;

// ------------------------------------------------------------------ solver

struct solver_base {
    virtual ~solver_base() = default;
    virtual void launch() = 0;
    virtual void finish() = 0;
    virtual int compare() = 0;
    virtual void advance_reference() = 0;
};

template <class T, class Stencil, class Policy>
class solver final : public solver_base {
public:
    solver(int n, T salt) : n_(n), u_(n), rhs_(n), host_u_(n), host_rhs_(n)
    {
        for (int i = 0; i < n; ++i) {
            host_u_[i] = T(i) * salt + T(1);
            host_rhs_[i] = T(i % 31) * T(7) + salt;
        }
        SWEEP_ASSERT(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        upload(u_, host_u_);
        upload(rhs_, host_rhs_);
        SWEEP_ASSERT(cudaStreamSynchronize(stream_));
        record();
    }
    ~solver() override
    {
        cudaGraphExecDestroy(exec_);
        cudaStreamDestroy(stream_);
    }

    void launch() override { SWEEP_ASSERT(cudaGraphLaunch(exec_, stream_)); }
    void finish() override { SWEEP_ASSERT(cudaStreamSynchronize(stream_)); }

    void advance_reference() override
    {
        std::vector<T> temp(n_);
        for (int s = 0; s < Policy::sweeps; ++s) {
            for (int i = 0; i < n_; ++i)
                temp[i] = host_rhs_[i] + Stencil::apply(host_u_.data(), i, n_);
            for (int i = 0; i < n_; ++i)
                host_u_[i] = T(5) * host_u_[i] + temp[i];
        }
    }
    int compare() override
    {
        std::vector<T> got(n_);
        int bad = 0;
        SWEEP_ASSERT(cudaMemcpyAsync(got.data(), u_.get(), n_ * sizeof(T), cudaMemcpyDeviceToHost, stream_));
        SWEEP_ASSERT(cudaStreamSynchronize(stream_));
        for (int i = 0; i < n_; ++i)
            bad += got[i] != host_u_[i];
        return bad;
    }

private:
    void upload(device_array<T> &dst, const std::vector<T> &src)
    {
        SWEEP_ASSERT(cudaMemcpyAsync(dst.get(), src.data(), src.size() * sizeof(T), cudaMemcpyHostToDevice, stream_));
    }
    void enqueue_sweep()
    {
        T *temp = shared_workspace<T>::instance().temp(); // HAZARD concurrent #temp
        residual_kernel<T, Stencil><<<Policy::grid, Policy::block, 0, stream_>>>(temp, u_.get(), rhs_.get(), n_);
        correct_kernel<T><<<Policy::grid, Policy::block, 0, stream_>>>(u_.get(), temp, n_);
    }
    void record()
    {
        cudaGraph_t graph = nullptr;
        (void)shared_workspace<T>::instance();
        SWEEP_ASSERT(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
        for (int s = 0; s < Policy::sweeps; ++s)
            enqueue_sweep();
        SWEEP_ASSERT(cudaStreamEndCapture(stream_, &graph));
        SWEEP_ASSERT(cudaGraphInstantiate(&exec_, graph, 0));
        SWEEP_ASSERT(cudaGraphDestroy(graph));
    }

    int n_;
    device_array<T> u_, rhs_;
    std::vector<T> host_u_, host_rhs_;
    cudaStream_t stream_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
};

class ensemble {
public:
    template <class Solver, class... Args>
    void emplace(Args... args)
    {
        members_.push_back(std::make_unique<Solver>(args...));
    }
    // Advances every member by one graph, then waits for all of them.
    void advance()
    {
        for (auto &m : members_)
            m->launch(); // HAZARD concurrent #temp
        for (auto &m : members_)
            m->finish();
        for (auto &m : members_)
            m->advance_reference();
    }
    void advance_single(size_t k)
    {
        members_[k]->launch();
        members_[k]->finish();
        members_[k]->advance_reference();
    }
    int compare()
    {
        int bad = 0;
        for (auto &m : members_)
            bad += m->compare();
        return bad;
    }

private:
    std::vector<std::unique_ptr<solver_base>> members_;
};

} // namespace sweep

int main()
{
    using namespace sweep;
    ensemble all;
    all.emplace<solver<uint32_t, laplace3, light>>(32768, 11u);
    all.emplace<solver<uint32_t, upwind2, light>>(32768, 29u);

    all.advance_single(0);
    all.advance_single(1);
    const int single = all.compare();
    std::printf("one at a time: %d values differ\n", single);

    int together = 0;
    for (int round = 0; round < 6; ++round) {
        all.advance();
        const int bad = all.compare();
        std::printf("round %d: %d values differ\n", round, bad);
        together += bad;
    }
    std::puts(single == 0 && together > 0 ? "LABEL CONFIRMED" : "LABEL WRONG");
    return 0;
}
