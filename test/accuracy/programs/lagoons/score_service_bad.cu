// Scoring service: models live in a registry, tenants open sessions on a model, every session replays its own graph.
#include <cuda_runtime.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

namespace svc {

constexpr int kRows = 64, kDim = 32, kSlots = 8;
using Weights = std::array<int, kDim>;
using Features = std::vector<int>;
using Scores = std::vector<int>;

void verify(cudaError_t e, const std::string& op) {
    if (e != cudaSuccess) throw std::runtime_error(op + ": " + cudaGetErrorString(e));
}

__global__ void scoreRows(const int* features, const int* weights, int* scores) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= kRows) return;
    int s = 0;
    for (int k = 0; k < kDim; ++k) s += features[row * kDim + k] * weights[k];
    scores[row] = s;
}

// ---- device memory for weights, in fixed slots -----------------------------------------------------

class WeightBank {
public:
    WeightBank() {
        verify(cudaMalloc(&base_, sizeof(Weights) * kSlots), "weight bank");
        verify(cudaStreamCreateWithFlags(&upload_, cudaStreamNonBlocking), "upload stream");
        for (int i = kSlots; i-- > 0;) free_.push_back(base_ + i * kDim);
    }
    ~WeightBank() {
        cudaStreamDestroy(upload_);
        cudaFree(base_);
    }
    int* store(const Weights& w) {
        if (free_.empty()) throw std::runtime_error("weight bank is full");
        int* slot = free_.back();
        free_.pop_back();
        verify(cudaMemcpyAsync(slot, w.data(), sizeof w, cudaMemcpyHostToDevice, upload_), "weights");
        verify(cudaStreamSynchronize(upload_), "weights");
        return slot;
    }
    void release(int* slot) { free_.push_back(slot); }

private:
    int* base_ = nullptr;
    cudaStream_t upload_{};
    std::vector<int*> free_;
};

class Model {
public:
    Model(WeightBank& bank, const Weights& w) : bank_(bank), dev_(bank.store(w)) {}
    ~Model() { bank_.release(dev_); }
    Model(const Model&) = delete;
    const int* weights() const { return dev_; }

private:
    WeightBank& bank_;
    int* dev_;
};

class ModelRegistry {
public:
    void publish(const std::string& name, const Weights& w) { models_[name] = std::make_shared<Model>(bank_, w); }
    std::shared_ptr<Model> find(const std::string& name) const {
        auto it = models_.find(name);
        if (it == models_.end()) throw std::out_of_range("no model " + name);
        return it->second;
    }

private:
    WeightBank bank_;
    std::unordered_map<std::string, std::shared_ptr<Model>> models_;
};

// ---- audit: one entry per open ticket --------------------------------------------------------------

struct AuditEntry {
    std::string owner;
    const int* scores = nullptr;
    long batches = 0;
    long total = 0;
};

class AuditBook {
public:
    class Ticket {
    public:
        Ticket() = default;
        Ticket(AuditBook* book, AuditEntry* e) : book_(book), entry_(e) {}
        Ticket(Ticket&& o) noexcept { *this = std::move(o); }
        Ticket& operator=(Ticket&& o) noexcept {
            std::swap(book_, o.book_);
            std::swap(entry_, o.entry_);
            return *this;
        }
        ~Ticket() {
            if (book_) book_->free_.push_back(entry_);
        }
        AuditEntry* entry() const { return entry_; }

    private:
        AuditBook* book_ = nullptr;
        AuditEntry* entry_ = nullptr;
    };

    AuditBook() {
        for (auto it = entries_.rbegin(); it != entries_.rend(); ++it) free_.push_back(&*it);
    }
    Ticket open(const std::string& owner, const int* scores) {
        AuditEntry* e = free_.back();
        free_.pop_back();
        *e = AuditEntry{owner, scores, 0, 0};
        return Ticket(this, e);
    }

private:
    std::array<AuditEntry, 16> entries_;
    std::vector<AuditEntry*> free_;
};

void onScored(void* p) {
    auto* e = static_cast<AuditEntry*>(p);
    ++e->batches;
    if (e->scores) e->total += std::accumulate(e->scores, e->scores + kRows, 0L);
}

// ---- sessions ------------------------------------------------------------------------------------

class Session {
public:
    Session(std::string tenant, std::string model, ModelRegistry& models, AuditBook& audit)
        : tenant_(std::move(tenant)), model_(std::move(model)), models_(models), audit_(audit) {
        verify(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "session stream");
        verify(cudaMalloc(&featuresDev_, kRows * kDim * sizeof(int)), "features");
        verify(cudaMalloc(&scoresDev_, kRows * sizeof(int)), "scores");
        verify(cudaMallocHost(&featuresHost_, kRows * kDim * sizeof(int)), "features");
        verify(cudaMallocHost(&scoresHost_, kRows * sizeof(int)), "scores");
        record();
    }
    ~Session() {
        if (exec_) cudaGraphExecDestroy(exec_);
        cudaFree(featuresDev_);
        cudaFree(scoresDev_);
        cudaFreeHost(featuresHost_);
        cudaFreeHost(scoresHost_);
        cudaStreamDestroy(stream_);
    }
    Session(const Session&) = delete;

    Scores score(const Features& f) {
        std::copy(f.begin(), f.end(), featuresHost_);
        verify(cudaGraphLaunch(exec_, stream_), "score");
        verify(cudaStreamSynchronize(stream_), "score");
        return Scores(scoresHost_, scoresHost_ + kRows);
    }

private:
    void record() {
        const std::shared_ptr<Model> model = models_.find(model_);
        const AuditBook::Ticket ticket = audit_.open(tenant_, scoresHost_);
        cudaGraph_t graph = nullptr;
        verify(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "begin");
        cudaError_t e = cudaMemcpyAsync(featuresDev_, featuresHost_, kRows * kDim * sizeof(int),
                                        cudaMemcpyHostToDevice, stream_);
        scoreRows<<<1, kRows, 0, stream_>>>(featuresDev_, model->weights(), scoresDev_); // HAZARD dangling
        if (e == cudaSuccess) e = cudaGetLastError();
        if (e == cudaSuccess)
            e = cudaMemcpyAsync(scoresHost_, scoresDev_, kRows * sizeof(int), cudaMemcpyDeviceToHost, stream_);
        if (e == cudaSuccess) e = cudaLaunchHostFunc(stream_, onScored, ticket.entry()); // HAZARD callback
        const cudaError_t end = cudaStreamEndCapture(stream_, &graph);
        verify(e, "record");
        verify(end, "end");
        e = cudaGraphInstantiate(&exec_, graph, 0);
        cudaGraphDestroy(graph);
        verify(e, "instantiate");
    }

    std::string tenant_, model_;
    ModelRegistry& models_;
    AuditBook& audit_;
    cudaStream_t stream_{};
    int *featuresDev_ = nullptr, *scoresDev_ = nullptr;
    int *featuresHost_ = nullptr, *scoresHost_ = nullptr;
    cudaGraphExec_t exec_{};
};

class Service {
public:
    ModelRegistry models;
    AuditBook audit;

    void open(const std::string& tenant, const std::string& model) {
        sessions_[tenant] = std::make_unique<Session>(tenant, model, models, audit);
    }
    Scores score(const std::string& tenant, const Features& f) { return sessions_.at(tenant)->score(f); }

private:
    std::unordered_map<std::string, std::unique_ptr<Session>> sessions_;
};

}  // namespace svc

// ---- self test -----------------------------------------------------------------------------------

static svc::Weights weightsOf(int seed) {
    svc::Weights w;
    for (int k = 0; k < svc::kDim; ++k) w[k] = (k * 7 + seed * 13) % 29 - 11;
    return w;
}

static svc::Features featuresOf(int seed) {
    svc::Features f(svc::kRows * svc::kDim);
    for (size_t i = 0; i < f.size(); ++i) f[i] = int((i * (5 + seed)) % 41);
    return f;
}

static svc::Scores expected(const svc::Features& f, const svc::Weights& w) {
    svc::Scores s(svc::kRows);
    for (int r = 0; r < svc::kRows; ++r)
        s[r] = std::inner_product(w.begin(), w.end(), f.begin() + r * svc::kDim, 0);
    return s;
}

int main() {
    bool confirmed = false;
    try {
        cudaFree(nullptr);
        svc::Service service;
        const svc::Weights fraud1 = weightsOf(1), fraud2 = weightsOf(2), spam = weightsOf(3);
        service.models.publish("fraud", fraud1);
        service.open("acme", "fraud");
        const bool freshRight = service.score("acme", featuresOf(0)) == expected(featuresOf(0), fraud1);

        auto import = service.audit.open("nightly import", nullptr);
        service.models.publish("fraud", fraud2);
        service.models.publish("spam", spam);

        int right = 0, asSpam = 0;
        for (int k = 1; k <= 3; ++k) {
            const svc::Features f = featuresOf(k);
            const svc::Scores got = service.score("acme", f);
            right += got == expected(f, fraud2);
            asSpam += got == expected(f, spam);
        }
        std::printf("fresh %d, after publish right %d spam %d, import batches %ld\n", freshRight, right, asSpam,
                    import.entry()->batches);
        confirmed = freshRight && right == 0 && asSpam == 3 && import.entry()->batches == 3;
    } catch (const std::exception& e) {
        std::printf("error: %s\n", e.what());
    }
    std::puts(confirmed ? "LABEL CONFIRMED" : "LABEL WRONG");
    return 0;
}
