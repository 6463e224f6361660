// Header-only screening library for print: turns continuous ink planes into dots with a noise threshold, plus a proof
// client. A press has one lane (stream) for each ink. A sheet is recorded once as a CUDA graph and printed by a replay.
#include <cuda_runtime.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace stipple {

constexpr int kDots = 64 * 1024;

// ---- inks ----------------------------------------------------------------------------------------------------------

struct Cyan    { static constexpr unsigned angle = 15; };
struct Magenta { static constexpr unsigned angle = 75; };
struct Yellow  { static constexpr unsigned angle = 0; };
struct Black   { static constexpr unsigned angle = 45; };

// ---- noise policies ------------------------------------------------------------------------------------------------

template <class Derived>
struct NoisePolicy {
    // Uniform in [0, 1).
    __device__ static float at(unsigned seed, unsigned dot) {
        return (Derived::mix(seed ^ (dot * 0x9e3779b9u)) >> 8) * (1.f / 16777216.f);
    }
};

struct WangNoise : NoisePolicy<WangNoise> {
    __device__ static unsigned mix(unsigned v) {
        v = (v ^ 61u) ^ (v >> 16);
        v *= 9u;
        v ^= v >> 4;
        v *= 0x27d4eb2du;
        return v ^ (v >> 15);
    }
};

struct MurmurNoise : NoisePolicy<MurmurNoise> {
    __device__ static unsigned mix(unsigned v) {
        v ^= v >> 16;
        v *= 0x85ebca6bu;
        v ^= v >> 13;
        v *= 0xc2b2ae35u;
        return v ^ (v >> 16);
    }
};

// Every sheet and plane gets grain of its own.
class GrainSource {
public:
    unsigned next() { return ++drawn_ * 2654435761u; }

private:
    unsigned drawn_ = 0;
};

template <class Noise, class Ink>
__global__ void screenPlane(const float* tone, uint8_t* dots, int n, unsigned grain) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) dots[i] = Noise::at(grain + Ink::angle * 7919u, i) < tone[i];
}

// ---- press ---------------------------------------------------------------------------------------------------------

template <class Noise, class... Inks>
class Press {
public:
    static constexpr size_t kLanes = sizeof...(Inks);
    template <size_t I>
    using InkAt = std::tuple_element_t<I, std::tuple<Inks...>>;

    explicit Press(const std::vector<float>& tone) {
        for (cudaStream_t& lane : lanes_) keep(cudaStreamCreateWithFlags(&lane, cudaStreamNonBlocking));
        for (cudaEvent_t& event : events_) keep(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
        keep(cudaMalloc(&tone_, kDots * sizeof(float)));
        keep(cudaMalloc(&dots_, kDots * kLanes));
        keep(cudaMemcpy(tone_, tone.data(), kDots * sizeof(float), cudaMemcpyHostToDevice));
        keep(cudaDeviceSynchronize());
        if (status_ == cudaSuccess) makePlate(std::index_sequence_for<Inks...>{});
    }

    ~Press() {
        if (plate_) cudaGraphExecDestroy(plate_);
        for (cudaEvent_t event : events_) cudaEventDestroy(event);
        for (cudaStream_t lane : lanes_) cudaStreamDestroy(lane);
        cudaFree(tone_);
        cudaFree(dots_);
    }

    Press(const Press&) = delete;
    Press& operator=(const Press&) = delete;

    cudaError_t status() const { return status_; }

    std::vector<uint8_t> print() {
        std::vector<uint8_t> sheet(kDots * kLanes, 0xff);
        if (status_ != cudaSuccess) return sheet;
        keep(cudaGraphLaunch(plate_, lanes_[0]));
        keep(cudaStreamSynchronize(lanes_[0]));
        keep(cudaMemcpy(sheet.data(), dots_, sheet.size(), cudaMemcpyDeviceToHost));
        return sheet;
    }

private:
    void keep(cudaError_t err) {
        if (err == cudaSuccess) return;
        if (status_ == cudaSuccess) status_ = err;
        cudaGetLastError();
    }

    template <size_t I>
    void screen() {
        uint8_t* plane = dots_ + I * kDots;
        auto* kernel = screenPlane<Noise, InkAt<I>>;
        kernel<<<kDots / 256, 256, 0, lanes_[I]>>>(tone_, plane, kDots, grain_.next());  // HAZARD random
        keep(cudaGetLastError());
    }

    void fork() {
        if (kLanes == 1) return;
        keep(cudaEventRecord(events_[0], lanes_[0]));
        for (size_t lane = 1; lane < kLanes; ++lane) keep(cudaStreamWaitEvent(lanes_[lane], events_[0], 0));
    }

    void meet(size_t into, size_t from) {
        keep(cudaEventRecord(events_[from], lanes_[from]));
        keep(cudaStreamWaitEvent(lanes_[into], events_[from], 0));
    }

    // Lanes meet pairwise until everything has arrived in lane 0.
    void join() {
        for (size_t stride = kLanes / 2; stride > 0; stride /= 2)  // HAZARD dependency #a
            for (size_t lane = 0; lane < stride; ++lane) meet(lane, lane + stride);
    }

    template <size_t... I>
    void makePlate(std::index_sequence<I...>) {
        cudaGraph_t graph = nullptr;
        keep(cudaStreamBeginCapture(lanes_[0], cudaStreamCaptureModeThreadLocal));
        keep(cudaMemsetAsync(dots_, 0, kDots * kLanes, lanes_[0]));
        fork();
        (screen<I>(), ...);
        join();
        keep(cudaStreamEndCapture(lanes_[0], &graph));  // HAZARD dependency #a
        if (status_ == cudaSuccess) keep(cudaGraphInstantiate(&plate_, graph, 0));
        if (graph) cudaGraphDestroy(graph);
    }

    std::array<cudaStream_t, kLanes> lanes_{};
    std::array<cudaEvent_t, kLanes> events_{};
    GrainSource grain_;
    float* tone_ = nullptr;
    uint8_t* dots_ = nullptr;
    cudaGraphExec_t plate_ = nullptr;
    cudaError_t status_ = cudaSuccess;
};

}  // namespace stipple

// ---- proof client --------------------------------------------------------------------------------------------------

using namespace stipple;

struct Proof {
    int repeated = 0;    // sheets with the very same dots as the sheet before
    bool tonal = true;   // every plane has the coverage of the tone
    cudaError_t status = cudaSuccess;
};

template <class P>
static Proof proof(const char* name, int sheets) {
    P press(std::vector<float>(kDots, 0.3f));
    Proof result;
    std::vector<uint8_t> last;
    for (int s = 0; s < sheets && press.status() == cudaSuccess; ++s) {
        std::vector<uint8_t> sheet = press.print();
        for (size_t lane = 0; lane < P::kLanes; ++lane) {
            double covered = 0;
            for (int i = 0; i < kDots; ++i) covered += sheet[lane * kDots + i];
            result.tonal = result.tonal && std::fabs(covered / kDots - 0.3) < 0.03;
        }
        result.repeated += sheet == last;
        last = std::move(sheet);
    }
    result.status = press.status();
    std::printf("%-6s %s, repeated %d, coverage %s\n", name, cudaGetErrorName(result.status), result.repeated,
                result.tonal ? "fine" : "off");
    return result;
}

int main() {
    Proof mono = proof<Press<WangNoise, Black>>("mono", 3);
    Proof cmyk = proof<Press<MurmurNoise, Cyan, Magenta, Yellow, Black>>("cmyk", 3);
    Proof cmy = proof<Press<MurmurNoise, Cyan, Magenta, Yellow>>("cmy", 3);
    bool base = mono.status == cudaSuccess && cmyk.status == cudaSuccess && mono.tonal && cmyk.tonal;
    bool confirmed = base && mono.repeated == 2 && cmyk.repeated == 2 && cmy.status == cudaErrorStreamCaptureUnjoined;
    std::printf("%s\n", confirmed ? "LABEL CONFIRMED" : "LABEL WRONG");
    return 0;
}
