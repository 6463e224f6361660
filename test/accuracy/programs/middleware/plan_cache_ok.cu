#include <cuda_runtime.h>

#include <cstdio>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

struct Status {
    cudaError_t code = cudaSuccess;
    const char* where = "";
    bool good() const { return code == cudaSuccess; }
};

#define RETURN_IF(expr)                                    \
    do {                                                   \
        cudaError_t st_ = (expr);                          \
        if (st_ != cudaSuccess) return Status{st_, #expr}; \
    } while (0)

constexpr int kCapacity = 4096;

struct Column {
    int* data = nullptr;
    int rows = 0;
    Status create() {
        RETURN_IF(cudaMalloc(&data, kCapacity * sizeof(int)));
        RETURN_IF(cudaMemset(data, 0, kCapacity * sizeof(int)));
        return {};
    }
    Status append(const std::vector<int>& v) {
        RETURN_IF(cudaMemcpy(data + rows, v.data(), v.size() * sizeof(int), cudaMemcpyHostToDevice));
        RETURN_IF(cudaDeviceSynchronize());
        rows += static_cast<int>(v.size());
        return {};
    }
};

__global__ void filter_ge(const int* col, int* sel, int cap, int literal) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < cap) sel[i] = col[i] >= literal;
}

__global__ void sum_selected(const int* col, const int* sel, int rows, int* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows && sel[i]) atomicAdd(out, col[i]);
}

struct ExecContext {
    cudaStream_t stream = nullptr;
    int *sel = nullptr, *result = nullptr;
};

class Operator {
public:
    virtual ~Operator() = default;
    virtual void emit(ExecContext& ctx) = 0;
    virtual std::string digest() const = 0;
};

class Scan : public Operator {
public:
    explicit Scan(std::shared_ptr<Column> c) : column(std::move(c)) {}
    void emit(ExecContext&) override {}
    std::string digest() const override { return "scan"; }
    std::shared_ptr<Column> column;
};

class Filter : public Operator {
public:
    Filter(std::shared_ptr<Scan> child, int literal) : child_(std::move(child)), literal_(literal) {}
    void emit(ExecContext& ctx) override {
        child_->emit(ctx);
        filter_ge<<<kCapacity / 256, 256, 0, ctx.stream>>>(child_->column->data, ctx.sel, kCapacity, literal_);
    }
    std::string digest() const override { return "filter_ge(" + child_->digest() + ")"; }

private:
    std::shared_ptr<Scan> child_;
    int literal_;
};

class SumAgg : public Operator {
public:
    SumAgg(std::shared_ptr<Operator> in, std::shared_ptr<Column> col) : input_(std::move(in)), column_(std::move(col)) {}
    void emit(ExecContext& ctx) override {
        input_->emit(ctx);
        cudaMemsetAsync(ctx.result, 0, sizeof(int), ctx.stream);
        int blocks = (column_->rows + 255) / 256;
        sum_selected<<<blocks, 256, 0, ctx.stream>>>(column_->data, ctx.sel, column_->rows, ctx.result);
    }
    std::string digest() const override { return "sum(" + input_->digest() + ")"; }

private:
    std::shared_ptr<Operator> input_;
    std::shared_ptr<Column> column_;
};

class Engine {
public:
    ~Engine() {
        for (auto& [key, exec] : plans_) cudaGraphExecDestroy(exec);
        for (int* p : {ctx_.sel, ctx_.result}) cudaFree(p);
        cudaStreamDestroy(ctx_.stream);
    }
    Status open() {
        RETURN_IF(cudaStreamCreateWithFlags(&ctx_.stream, cudaStreamNonBlocking));
        RETURN_IF(cudaMalloc(&ctx_.sel, kCapacity * sizeof(int)));
        RETURN_IF(cudaMalloc(&ctx_.result, sizeof(int)));
        return {};
    }
    Status execute(Operator& root, int* answer) {
        cudaGraphExec_t& exec = plans_[root.digest()];
        cudaGraph_t graph = nullptr;
        RETURN_IF(trace(root, &graph));
        cudaGraphExecUpdateResultInfo info{};
        if (exec && cudaGraphExecUpdate(exec, graph, &info) != cudaSuccess) {
            RETURN_IF(cudaGraphExecDestroy(std::exchange(exec, nullptr)));
        }
        if (!exec) RETURN_IF(cudaGraphInstantiate(&exec, graph, 0));
        RETURN_IF(cudaGraphDestroy(graph));
        RETURN_IF(cudaGraphLaunch(exec, ctx_.stream));
        RETURN_IF(cudaMemcpyAsync(answer, ctx_.result, sizeof(int), cudaMemcpyDeviceToHost, ctx_.stream));
        RETURN_IF(cudaStreamSynchronize(ctx_.stream));
        return {};
    }
    size_t cached() const { return plans_.size(); }

private:
    cudaError_t trace(Operator& root, cudaGraph_t* graph) {
        cudaError_t e = cudaStreamBeginCapture(ctx_.stream, cudaStreamCaptureModeThreadLocal);
        if (e != cudaSuccess) return e;
        root.emit(ctx_);
        return cudaStreamEndCapture(ctx_.stream, graph);
    }
    ExecContext ctx_;
    std::unordered_map<std::string, cudaGraphExec_t> plans_;
};

static std::unique_ptr<Operator> plan_for(std::shared_ptr<Column> col, int literal) {
    return std::make_unique<SumAgg>(std::make_shared<Filter>(std::make_shared<Scan>(col), literal), col);
}

int main() {
    Engine engine;
    auto price = std::make_shared<Column>();
    Status st = engine.open();
    if (st.good()) st = price->create();
    if (st.good()) st = price->append(std::vector<int>(100, 10));
    int a = 0, b = 0, c = 0;
    if (st.good()) st = engine.execute(*plan_for(price, 5), &a);
    if (st.good()) st = engine.execute(*plan_for(price, 50), &b);
    if (st.good()) st = price->append(std::vector<int>(900, 60));
    if (st.good()) st = engine.execute(*plan_for(price, 50), &c);
    bool ok = st.good() && a == 1000 && b == 0 && c == 54000 && engine.cached() == 1;
    if (ok) std::printf("LABEL CONFIRMED\n");
    else std::printf("LABEL REFUTED %s %d: %d %d %d\n", st.where, st.code, a, b, c);
    cudaFree(price->data);
}
