// Level-scheduled sparse lower-triangular solve. The analysis phase builds a work
// list of levels; the solve phase replays one kernel per level. Several systems
// pass through the same solver object.
#include <cuda_runtime.h>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <utility>
#include <vector>

enum class Status { ok, too_large, device_error };

#define RETURN_ON_CUDA(call)                                                              \
    do {                                                                                  \
        cudaError_t err__ = (call);                                                       \
        if (err__ != cudaSuccess) {                                                       \
            std::fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(err__));   \
            return Status::device_error;                                                  \
        }                                                                                 \
    } while (0)

constexpr int kMaxRows = 1024;

// Unit lower triangle; each row has at most one off-diagonal entry.
struct System {
    std::vector<int> parent;    // -1: no off-diagonal entry
    std::vector<float> weight;
    std::vector<float> rhs;
    int rows() const { return static_cast<int>(parent.size()); }
};

struct Level {
    int first;
    int count;
};

struct Exec {
    cudaGraphExec_t handle = nullptr;
    explicit Exec(cudaGraphExec_t h) : handle(h) {}
    Exec(Exec&& o) noexcept : handle(std::exchange(o.handle, nullptr)) {}
    Exec& operator=(Exec&& o) noexcept { std::swap(handle, o.handle); return *this; }
    ~Exec() { if (handle) cudaGraphExecDestroy(handle); }
};

__global__ void solve_level(const int* order, int first, int count, const int* parent, const float* weight,
                            const float* rhs, float* x) {
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= count) return;
    int row = order[first + k];
    float v = rhs[row];
    if (parent[row] >= 0) v -= weight[row] * x[parent[row]];
    x[row] = v;
}

class TriangularSolver {
public:
    Status open() {
        RETURN_ON_CUDA(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        RETURN_ON_CUDA(cudaMalloc(reinterpret_cast<void**>(&order_), kMaxRows * sizeof(int)));
        RETURN_ON_CUDA(cudaMalloc(reinterpret_cast<void**>(&parent_), kMaxRows * sizeof(int)));
        RETURN_ON_CUDA(cudaMalloc(reinterpret_cast<void**>(&weight_), kMaxRows * sizeof(float)));
        RETURN_ON_CUDA(cudaMalloc(reinterpret_cast<void**>(&rhs_), kMaxRows * sizeof(float)));
        RETURN_ON_CUDA(cudaMalloc(reinterpret_cast<void**>(&x_), kMaxRows * sizeof(float)));
        return Status::ok;
    }

    ~TriangularSolver() {
        if (stream_) cudaStreamSynchronize(stream_);
        exec_.reset();
        for (void* p : {(void*)order_, (void*)parent_, (void*)weight_, (void*)rhs_, (void*)x_}) cudaFree(p);
        if (stream_) cudaStreamDestroy(stream_);
    }

    Status analyse(const System& s) {
        if (s.rows() > kMaxRows) return Status::too_large;
        std::vector<int> depth(s.rows(), 0), order;
        int deepest = 0;
        for (int r = 0; r < s.rows(); ++r) {
            if (s.parent[r] >= 0) depth[r] = depth[s.parent[r]] + 1;
            deepest = std::max(deepest, depth[r]);
        }
        levels_.clear();
        for (int d = 0; d <= deepest; ++d) {
            Level level{static_cast<int>(order.size()), 0};
            for (int r = 0; r < s.rows(); ++r)
                if (depth[r] == d) order.push_back(r);
            level.count = static_cast<int>(order.size()) - level.first;
            levels_.push_back(level);
        }
        rows_ = s.rows();
        RETURN_ON_CUDA(cudaMemcpyAsync(order_, order.data(), rows_ * sizeof(int), cudaMemcpyHostToDevice, stream_));
        RETURN_ON_CUDA(cudaMemcpyAsync(parent_, s.parent.data(), rows_ * sizeof(int), cudaMemcpyHostToDevice, stream_));
        RETURN_ON_CUDA(cudaMemcpyAsync(weight_, s.weight.data(), rows_ * sizeof(float), cudaMemcpyHostToDevice, stream_));
        RETURN_ON_CUDA(cudaStreamSynchronize(stream_));
        exec_.reset();  // the recorded sweep belongs to the previous work list
        return Status::ok;
    }

    Status solve(const std::vector<float>& rhs, std::vector<float>& x) {
        if (!exec_) {
            if (Status st = record(); st != Status::ok) return st;
        }
        x.resize(rows_);
        RETURN_ON_CUDA(cudaMemcpyAsync(rhs_, rhs.data(), rows_ * sizeof(float), cudaMemcpyHostToDevice, stream_));
        RETURN_ON_CUDA(cudaGraphLaunch(exec_->handle, stream_));
        RETURN_ON_CUDA(cudaMemcpyAsync(x.data(), x_, rows_ * sizeof(float), cudaMemcpyDeviceToHost, stream_));
        RETURN_ON_CUDA(cudaStreamSynchronize(stream_));
        return Status::ok;
    }

private:
    Status record() {
        RETURN_ON_CUDA(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed));
        cudaError_t first_error = cudaMemsetAsync(x_, 0, kMaxRows * sizeof(float), stream_);
        for (const Level& level : levels_) {
            const int blocks = (level.count + 63) / 64;
            solve_level<<<blocks, 64, 0, stream_>>>(order_, level.first, level.count, parent_, weight_, rhs_, x_);
            cudaError_t err = cudaGetLastError();
            if (first_error == cudaSuccess) first_error = err;
        }
        cudaGraph_t graph = nullptr;
        cudaError_t ended = cudaStreamEndCapture(stream_, &graph);
        if (first_error == cudaSuccess) first_error = ended;
        cudaGraphExec_t handle = nullptr;
        if (first_error == cudaSuccess) first_error = cudaGraphInstantiate(&handle, graph, 0);
        if (graph) cudaGraphDestroy(graph);
        RETURN_ON_CUDA(first_error);
        exec_.emplace(handle);
        return Status::ok;
    }

    cudaStream_t stream_ = nullptr;
    int *order_ = nullptr, *parent_ = nullptr;
    float *weight_ = nullptr, *rhs_ = nullptr, *x_ = nullptr;
    int rows_ = 0;
    std::vector<Level> levels_;
    std::optional<Exec> exec_;
};

static System make_system(int rows, int width) {
    System s;
    for (int r = 0; r < rows; ++r) {
        s.parent.push_back(r < width ? -1 : r - width);
        s.weight.push_back(0.5f);
        s.rhs.push_back(1.0f + static_cast<float>(r % 8));
    }
    return s;
}

int main() {
    TriangularSolver solver;
    int failures = solver.open() != Status::ok, wrong = 0;
    for (auto [rows, width] : {std::pair{128, 64}, std::pair{400, 50}, std::pair{700, 100}}) {
        System s = make_system(rows, width);
        failures += solver.analyse(s) != Status::ok;
        for (int pass = 0; pass < 2; ++pass) {
            for (float& v : s.rhs) v += 1.0f;
            std::vector<float> x, ref(rows);
            failures += solver.solve(s.rhs, x) != Status::ok;
            int bad = static_cast<int>(x.size()) != rows;
            for (int r = 0; r < rows; ++r) {
                ref[r] = s.rhs[r] - (s.parent[r] >= 0 ? s.weight[r] * ref[s.parent[r]] : 0.0f);
                if (!bad) bad = std::fabs(x[r] - ref[r]) > 1e-3f;
            }
            std::printf("%d rows, pass %d: %s\n", rows, pass, bad ? "WRONG" : "right");
            wrong += bad;
        }
    }
    std::puts(failures == 0 && wrong == 0 ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
