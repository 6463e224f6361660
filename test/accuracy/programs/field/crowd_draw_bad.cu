// Skins the members of a crowd. The launches of a frame, one for each member, are recorded through a helper that takes a
// lambda, and the frame is replayed while members join and change their size.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <vector>

static void gpu(cudaError_t rc, const char* what) {
    if (rc == cudaSuccess) return;
    std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(rc));
    throw std::runtime_error(what);
}

struct GraphDeleter {
    void operator()(cudaGraph_t g) const { cudaGraphDestroy(g); }
};
struct ExecDeleter {
    void operator()(cudaGraphExec_t e) const { cudaGraphExecDestroy(e); }
};
using GraphHandle = std::unique_ptr<CUgraph_st, GraphDeleter>;
using ExecHandle = std::unique_ptr<CUgraphExec_st, ExecDeleter>;

template <class Fn>
GraphHandle capture(cudaStream_t stream, Fn&& fn) {
    cudaGraph_t graph = nullptr;
    gpu(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "begin capture");
    fn(stream);
    gpu(cudaStreamEndCapture(stream, &graph), "end capture");
    return GraphHandle(graph);
}

constexpr int kVertices = 128;
constexpr int kMaxMembers = 16;

__global__ void skinMember(const float* rest, float* skinned, int slot, float scale) {
    const int v = threadIdx.x;
    skinned[slot * kVertices + v] = scale * rest[v] + float(slot);
}

struct Member {
    float scale;
};

class Crowd {
public:
    Crowd() {
        gpu(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
        gpu(cudaMalloc(&rest_, kVertices * sizeof(float)), "rest pose");
        gpu(cudaMalloc(&skinned_, kMaxMembers * kVertices * sizeof(float)), "skinned");
        std::vector<float> rest(kVertices);
        for (int v = 0; v < kVertices; ++v) rest[v] = restVertex(v);
        gpu(cudaMemcpyAsync(rest_, rest.data(), kVertices * sizeof(float), cudaMemcpyHostToDevice, stream_), "rest pose");
        gpu(cudaMemsetAsync(skinned_, 0, kMaxMembers * kVertices * sizeof(float), stream_), "skinned");
        gpu(cudaStreamSynchronize(stream_), "setup");
    }
    ~Crowd() {
        frame_.reset();
        cudaFree(rest_);
        cudaFree(skinned_);
        cudaStreamDestroy(stream_);
    }

    static float restVertex(int v) { return 1.0f + 0.01f * float(v); }

    void join(float scale) {
        if (members_.size() == kMaxMembers) throw std::runtime_error("the crowd is full");
        members_.push_back({scale});  // HAZARD dynamic_shape #members
    }

    void resize(std::size_t member, float scale) {
        members_.at(member).scale = scale;  // HAZARD frozen #scale
    }

    std::vector<float> draw() {
        if (!frame_) prepare();
        gpu(cudaGraphLaunch(frame_.get(), stream_), "frame");
        std::vector<float> out(kMaxMembers * kVertices);
        gpu(cudaMemcpyAsync(out.data(), skinned_, out.size() * sizeof(float), cudaMemcpyDeviceToHost, stream_), "download");
        gpu(cudaStreamSynchronize(stream_), "frame");
        return out;
    }

private:
    void prepare() {
        const GraphHandle graph = capture(stream_, [this](cudaStream_t s) {
            for (std::size_t m = 0; m < members_.size(); ++m) {                                  // HAZARD dynamic_shape #members
                skinMember<<<1, kVertices, 0, s>>>(rest_, skinned_, int(m), members_[m].scale);  // HAZARD frozen #scale
            }
        });
        cudaGraphExec_t exec = nullptr;
        gpu(cudaGraphInstantiate(&exec, graph.get(), 0), "instantiate");
        frame_.reset(exec);
    }

    cudaStream_t stream_ = nullptr;
    float* rest_ = nullptr;
    float* skinned_ = nullptr;
    std::vector<Member> members_;
    ExecHandle frame_;
};

static int wrongMembers(const std::vector<float>& skinned, const std::vector<float>& scales) {
    int wrong = 0;
    for (std::size_t m = 0; m < scales.size(); ++m) {
        bool right = true;
        for (int v = 0; v < kVertices; ++v) {
            right = right && std::fabs(skinned[m * kVertices + v] - (scales[m] * Crowd::restVertex(v) + float(m))) < 1e-3f;
        }
        wrong += !right;
    }
    return wrong;
}

int main() {
    try {
        Crowd crowd;
        for (float scale : {1.0f, 1.5f, 2.0f}) crowd.join(scale);
        const int atFirst = wrongMembers(crowd.draw(), {1.0f, 1.5f, 2.0f});
        crowd.resize(1, 3.0f);
        const int resized = wrongMembers(crowd.draw(), {1.0f, 3.0f, 2.0f});
        crowd.join(0.5f);
        const int joined = wrongMembers(crowd.draw(), {1.0f, 3.0f, 2.0f, 0.5f});
        std::printf("wrong members: %d at first, %d after a resize, %d after a join\n", atFirst, resized, joined);
        if (atFirst == 0 && resized == 1 && joined == 2) {
            std::puts("LABEL CONFIRMED");
            return 0;
        }
        std::puts("LABEL NOT CONFIRMED: unexpected number of wrong members");
    } catch (const std::exception& e) {
        std::printf("LABEL NOT CONFIRMED: %s\n", e.what());
    }
    return 1;
}
