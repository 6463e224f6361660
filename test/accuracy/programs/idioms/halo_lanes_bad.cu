// Periodic diffusion step scheduled as tasks on lanes (one stream each), dependencies between lanes by events.
// The whole step is recorded once and launched for every time step.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

namespace sched {

using TaskId = int;

struct Task {
    std::string name;
    int lane;
    std::vector<TaskId> after;
    std::function<cudaError_t(cudaStream_t)> issue;
    cudaEvent_t done;
};

class LaneScheduler {
public:
    explicit LaneScheduler(int lanes) : lanes_(lanes) {
        for (cudaStream_t& s : lanes_) note(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
        note(cudaEventCreateWithFlags(&start_, cudaEventDisableTiming));
    }
    ~LaneScheduler() {
        for (Task& t : tasks_) cudaEventDestroy(t.done);
        cudaEventDestroy(start_);
        for (cudaStream_t s : lanes_) cudaStreamDestroy(s);
    }
    LaneScheduler(const LaneScheduler&) = delete;
    LaneScheduler& operator=(const LaneScheduler&) = delete;

    TaskId add(std::string name, int lane, std::vector<TaskId> after, std::function<cudaError_t(cudaStream_t)> issue) {
        Task t{std::move(name), lane, std::move(after), std::move(issue), nullptr};
        note(cudaEventCreateWithFlags(&t.done, cudaEventDisableTiming));
        tasks_.push_back(std::move(t));
        return static_cast<TaskId>(tasks_.size()) - 1;
    }

    // Records all tasks in the order in which they were added. Lane 0 is the lane the graph starts and ends on.
    cudaError_t record(cudaGraphExec_t* exec) {
        cudaGraph_t graph = nullptr;
        if (first_ != cudaSuccess) return first_;
        if (!note(cudaStreamBeginCapture(lanes_[0], cudaStreamCaptureModeThreadLocal))) return first_;
        fork();
        for (Task& task : tasks_) run(task);
        joinFinalTask();  // HAZARD dependency #join
        note(cudaStreamEndCapture(lanes_[0], &graph));  // HAZARD dependency #join
        if (first_ == cudaSuccess) note(cudaGraphInstantiate(exec, graph, 0));
        if (graph) cudaGraphDestroy(graph);
        return first_;
    }

    cudaStream_t mainLane() const { return lanes_[0]; }

private:
    bool note(cudaError_t e) {
        if (e != cudaSuccess && first_ == cudaSuccess) {
            first_ = e;
            std::printf("scheduler: %s\n", cudaGetErrorString(e));
        }
        return e == cudaSuccess;
    }

    void fork() {
        note(cudaEventRecord(start_, lanes_[0]));
        for (std::size_t i = 1; i < lanes_.size(); ++i) note(cudaStreamWaitEvent(lanes_[i], start_, 0));
    }

    void run(Task& task) {
        cudaStream_t lane = lanes_[task.lane];
        for (TaskId id : task.after)
            if (tasks_[id].lane != task.lane) note(cudaStreamWaitEvent(lane, tasks_[id].done, 0));
        note(task.issue(lane));
        note(cudaEventRecord(task.done, lane));
    }

    void joinFinalTask() {
        const Task& last = tasks_.back();
        if (last.lane != 0) note(cudaStreamWaitEvent(lanes_[0], last.done, 0));
    }

    std::vector<cudaStream_t> lanes_;
    std::vector<Task> tasks_;
    cudaEvent_t start_ = nullptr;
    cudaError_t first_ = cudaSuccess;
};

}  // namespace sched

struct Field {
    int n = 0;
    float *u = nullptr, *next = nullptr, *halo = nullptr, *log = nullptr;
    int* logged = nullptr;
};

__global__ void packKernel(const float* u, float* halo, int n) {
    halo[0] = u[n - 1];
    halo[1] = u[0];
}

__global__ void interiorKernel(const float* u, float* next, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
    if (i < n - 1) next[i] = 0.25f * u[i - 1] + 0.5f * u[i] + 0.25f * u[i + 1];
}

__global__ void edgeKernel(const float* u, const float* halo, float* next, int n) {
    next[0] = 0.25f * halo[0] + 0.5f * u[0] + 0.25f * u[1];
    next[n - 1] = 0.25f * u[n - 2] + 0.5f * u[n - 1] + 0.25f * halo[1];
}

__global__ void telemetryKernel(const float* halo, float* log, int* logged, int limit) {
    const int k = *logged;
    if (k < limit) log[k] = halo[0] + halo[1];
    *logged = k + 1;
}

int main() {
    using namespace sched;
    const int n = 1024, steps = 8;
    Field f;
    f.n = n;
    std::vector<float> u(n), next(n), result(n), log(steps), wantLog(steps);
    for (int i = 0; i < n; ++i) u[i] = static_cast<float>(i % 37);
    bool setup = cudaMalloc(&f.u, n * sizeof(float)) == cudaSuccess && cudaMalloc(&f.next, n * sizeof(float)) == cudaSuccess &&
                 cudaMalloc(&f.halo, 2 * sizeof(float)) == cudaSuccess && cudaMalloc(&f.log, steps * sizeof(float)) == cudaSuccess &&
                 cudaMalloc(&f.logged, sizeof(int)) == cudaSuccess && cudaMemset(f.logged, 0, sizeof(int)) == cudaSuccess &&
                 cudaMemcpy(f.u, u.data(), n * sizeof(float), cudaMemcpyHostToDevice) == cudaSuccess &&
                 cudaDeviceSynchronize() == cudaSuccess;
    cudaError_t status = setup ? cudaSuccess : cudaErrorUnknown;
    if (setup) {
        LaneScheduler lanes(3);
        TaskId pack = lanes.add("pack", 0, {}, [&](cudaStream_t s) {
            packKernel<<<1, 1, 0, s>>>(f.u, f.halo, f.n); return cudaGetLastError(); });
        TaskId interior = lanes.add("interior", 1, {}, [&](cudaStream_t s) {
            interiorKernel<<<(f.n + 127) / 128, 128, 0, s>>>(f.u, f.next, f.n); return cudaGetLastError(); });
        TaskId edges = lanes.add("edges", 0, {pack}, [&](cudaStream_t s) {
            edgeKernel<<<1, 1, 0, s>>>(f.u, f.halo, f.next, f.n); return cudaGetLastError(); });
        lanes.add("telemetry", 2, {pack}, [&](cudaStream_t s) {
            telemetryKernel<<<1, 1, 0, s>>>(f.halo, f.log, f.logged, steps);  // HAZARD dependency #join
            return cudaGetLastError(); });
        lanes.add("commit", 0, {interior, edges}, [&](cudaStream_t s) {
            return cudaMemcpyAsync(f.u, f.next, f.n * sizeof(float), cudaMemcpyDeviceToDevice, s); });

        cudaGraphExec_t exec = nullptr;
        status = lanes.record(&exec);
        for (int k = 0; k < steps && status == cudaSuccess; ++k) status = cudaGraphLaunch(exec, lanes.mainLane());
        if (status == cudaSuccess) status = cudaStreamSynchronize(lanes.mainLane());
        if (exec) cudaGraphExecDestroy(exec);
    }
    if (status == cudaSuccess) status = cudaMemcpy(result.data(), f.u, n * sizeof(float), cudaMemcpyDeviceToHost);
    if (status == cudaSuccess) status = cudaMemcpy(log.data(), f.log, steps * sizeof(float), cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int k = 0; k < steps; ++k) {
        wantLog[k] = u[n - 1] + u[0];
        for (int i = 0; i < n; ++i) next[i] = 0.25f * u[(i + n - 1) % n] + 0.5f * u[i] + 0.25f * u[(i + 1) % n];
        u = next;
        if (std::fabs(log[k] - wantLog[k]) > 1e-3f) ++wrong;
    }
    for (int i = 0; i < n; ++i)
        if (std::fabs(result[i] - u[i]) > 1e-3f) ++wrong;
    std::printf("status %s, wrong %d\n", cudaGetErrorString(status), wrong);
    const bool confirmed = setup && status == cudaErrorStreamCaptureUnjoined;
    cudaFree(f.u); cudaFree(f.next); cudaFree(f.halo); cudaFree(f.log); cudaFree(f.logged);
    std::puts(confirmed ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
