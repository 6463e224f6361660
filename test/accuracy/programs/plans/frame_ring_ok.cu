// Camera ingest: a driver fills the pinned slots of a ring, a graph uploads the
// newest slot and develops it. Stages are entries of a function table so that
// sensor variants can replace them.
#include <cuda_runtime.h>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CK(expr)                                                                     \
    do {                                                                             \
        cudaError_t e_ = (expr);                                                     \
        if (e_ != cudaSuccess) {                                                     \
            std::fprintf(stderr, "%s failed: %s\n", #expr, cudaGetErrorString(e_));  \
            std::puts("LABEL UNOBSERVED");                                           \
            std::exit(1);                                                            \
        }                                                                            \
    } while (0)

constexpr int kPixels = 4096;
constexpr int kSlots = 3;

struct Frame {
    std::uint32_t sequence;
    std::int32_t exposure;
    std::int32_t pixel[kPixels];
};

struct Ring {
    std::array<Frame*, kSlots> slot{};
    unsigned head = 0;  // slot the sensor filled last
};

struct Camera {
    Ring ring;
    std::int32_t exposure = 1;
    Frame* d_raw = nullptr;
    std::int32_t* d_developed = nullptr;
    cudaStream_t stream = nullptr;
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    cudaGraphNode_t upload_node = nullptr;
};

struct StageTable {
    const char* sensor;
    void (*upload)(Camera&, cudaStream_t);
    void (*develop)(Camera&, cudaStream_t);
};

__global__ void develop_kernel(const Frame* raw, std::int32_t* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kPixels) out[i] = raw->pixel[i] * raw->exposure;
}

static void mono_upload(Camera& cam, cudaStream_t s) {
    // Whatever slot is current here is only a placeholder: submit() points the node at the newest one.
    const Frame* newest = cam.ring.slot[cam.ring.head];
    CK(cudaMemcpyAsync(cam.d_raw, newest, sizeof(Frame), cudaMemcpyHostToDevice, s));
}

static void mono_develop(Camera& cam, cudaStream_t s) {
    develop_kernel<<<kPixels / 256, 256, 0, s>>>(cam.d_raw, cam.d_developed);
    CK(cudaGetLastError());
}

static const StageTable kMonoSensor = {"mono12", mono_upload, mono_develop};

static void open_camera(Camera& cam, const StageTable& table) {
    CK(cudaStreamCreateWithFlags(&cam.stream, cudaStreamNonBlocking));
    for (auto& slot : cam.ring.slot) CK(cudaMallocHost(reinterpret_cast<void**>(&slot), sizeof(Frame)));
    CK(cudaMalloc(reinterpret_cast<void**>(&cam.d_raw), sizeof(Frame)));
    CK(cudaMalloc(reinterpret_cast<void**>(&cam.d_developed), kPixels * sizeof(std::int32_t)));

    CK(cudaStreamBeginCapture(cam.stream, cudaStreamCaptureModeThreadLocal));
    table.upload(cam, cam.stream);
    table.develop(cam, cam.stream);
    CK(cudaStreamEndCapture(cam.stream, &cam.graph));

    std::size_t count = 0;
    CK(cudaGraphGetNodes(cam.graph, nullptr, &count));
    std::vector<cudaGraphNode_t> nodes(count);
    CK(cudaGraphGetNodes(cam.graph, nodes.data(), &count));
    for (cudaGraphNode_t node : nodes) {
        cudaGraphNodeType type;
        CK(cudaGraphNodeGetType(node, &type));
        if (type == cudaGraphNodeTypeMemcpy) cam.upload_node = node;
    }
    CK(cudaGraphInstantiate(&cam.exec, cam.graph, 0));
    std::printf("camera with %s sensor ready\n", table.sensor);
}

static void close_camera(Camera& cam) {
    CK(cudaStreamSynchronize(cam.stream));
    CK(cudaGraphExecDestroy(cam.exec));
    CK(cudaGraphDestroy(cam.graph));
    CK(cudaFree(cam.d_developed));
    CK(cudaFree(cam.d_raw));
    for (Frame* slot : cam.ring.slot) CK(cudaFreeHost(slot));
    CK(cudaStreamDestroy(cam.stream));
}

// Stands for the sensor's interrupt handler.
static void sensor_deliver(Camera& cam, std::uint32_t sequence, std::int32_t exposure) {
    cam.ring.head = sequence % kSlots;
    cam.exposure = exposure;
    Frame* f = cam.ring.slot[cam.ring.head];
    f->sequence = sequence;
    f->exposure = exposure;
    for (int i = 0; i < kPixels; ++i) f->pixel[i] = static_cast<std::int32_t>(sequence * 1000 + i % 97);
}

static void submit(Camera& cam, std::vector<std::int32_t>& out) {
    CK(cudaGraphExecMemcpyNodeSetParams1D(cam.exec, cam.upload_node, cam.d_raw, cam.ring.slot[cam.ring.head],
                                          sizeof(Frame), cudaMemcpyHostToDevice));
    CK(cudaGraphLaunch(cam.exec, cam.stream));
    CK(cudaMemcpyAsync(out.data(), cam.d_developed, kPixels * sizeof(std::int32_t), cudaMemcpyDeviceToHost,
                       cam.stream));
    CK(cudaStreamSynchronize(cam.stream));
}

int main() {
    Camera cam;
    open_camera(cam, kMonoSensor);

    const std::array<std::int32_t, 6> exposures = {1, 1, 1, 2, 2, 4};
    std::vector<std::int32_t> out(kPixels);
    int wrong_slot = 0, wrong_exposure = 0;
    for (std::uint32_t seq = 0; seq < exposures.size(); ++seq) {
        sensor_deliver(cam, seq, exposures[seq]);
        submit(cam, out);
        bool differs = false;
        for (int i = 0; i < kPixels; ++i)
            differs |= out[i] != static_cast<std::int32_t>(seq * 1000 + i % 97) * exposures[seq];
        std::printf("frame %u: %s\n", seq, differs ? "stale" : "good");
        // Frames 1 and 2 keep the exposure; frame 3 is back in slot 0 with a new exposure.
        if (differs) ++(seq == 3 ? wrong_exposure : wrong_slot);
    }
    close_camera(cam);
    std::puts(wrong_slot == 0 && wrong_exposure == 0 ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
