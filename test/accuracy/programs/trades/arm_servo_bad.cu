// Six-axis arm servo loop. The inner position loop of every joint runs on the GPU at a fixed
// tick; gains come from a static bank table and can be switched by the supervisor at any time.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstring>

#define N_JOINTS 6
#define N_BANKS 3
#define TICKS_PER_PHASE 5

enum ServoRc { RC_OK = 0, RC_CUDA = -1, RC_BANK = -2 };

struct JointSpec { float inertia; float damping; float torque_limit; };
struct Gains { float kp; float kd; };

static const JointSpec kJoints[N_JOINTS] = {
    {0.80f, 0.20f, 40.f}, {0.75f, 0.22f, 40.f}, {0.50f, 0.15f, 25.f},
    {0.20f, 0.08f, 10.f}, {0.15f, 0.05f, 8.f},  {0.10f, 0.04f, 5.f}};

static const Gains kBanks[N_BANKS] = {{8.f, 0.6f}, {20.f, 1.2f}, {3.f, 0.3f}};
static const float kTickDt = 0.002f;

#define SV(x)                                                                        \
    do {                                                                             \
        cudaError_t e_ = (x);                                                        \
        if (e_ != cudaSuccess) {                                                     \
            printf("servo: %s line %d: %s\n", #x, __LINE__, cudaGetErrorString(e_)); \
            return RC_CUDA;                                                          \
        }                                                                            \
    } while (0)

__host__ __device__ inline void pd_step(float target, Gains g, JointSpec j, float dt, float* pos, float* vel)
{
    float tq = g.kp * (target - *pos) - g.kd * *vel;
    tq = fminf(fmaxf(tq, -j.torque_limit), j.torque_limit);
    *vel += dt * (tq - j.damping * *vel) / j.inertia;
    *pos += dt * *vel;
}

__global__ void servo_kernel(const float* target, const JointSpec* spec, Gains g, float dt, float* pos, float* vel)
{
    int j = threadIdx.x;
    if (j < N_JOINTS) pd_step(target[j], g, spec[j], dt, &pos[j], &vel[j]);
}

class ServoLoop {
public:
    int init();
    int build();
    int selectBank(int bank);
    int tick(const float* target);
    int readPose(float* pos);
    void shutdown();

private:
    cudaStream_t stream_ = nullptr;
    cudaGraph_t graph_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
    float *d_target_ = nullptr, *d_pos_ = nullptr, *d_vel_ = nullptr;
    JointSpec* d_spec_ = nullptr;
    float* h_target_ = nullptr;  // pinned, refilled every tick
    float* h_pos_ = nullptr;     // pinned
    Gains gains_ = kBanks[0];
};

int ServoLoop::init()
{
    SV(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    SV(cudaMalloc(&d_target_, sizeof(float) * N_JOINTS));
    SV(cudaMalloc(&d_pos_, sizeof(float) * N_JOINTS));
    SV(cudaMalloc(&d_vel_, sizeof(float) * N_JOINTS));
    SV(cudaMalloc(&d_spec_, sizeof(kJoints)));
    SV(cudaMallocHost(&h_target_, sizeof(float) * N_JOINTS));
    SV(cudaMallocHost(&h_pos_, sizeof(float) * N_JOINTS));
    SV(cudaMemsetAsync(d_pos_, 0, sizeof(float) * N_JOINTS, stream_));
    SV(cudaMemsetAsync(d_vel_, 0, sizeof(float) * N_JOINTS, stream_));
    SV(cudaMemcpyAsync(d_spec_, kJoints, sizeof(kJoints), cudaMemcpyHostToDevice, stream_));
    SV(cudaStreamSynchronize(stream_));
    return RC_OK;
}

int ServoLoop::selectBank(int bank)
{
    if (bank < 0 || bank >= N_BANKS) return RC_BANK;
    gains_ = kBanks[bank];
    return RC_OK;
}

int ServoLoop::build()
{
    SV(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    cudaMemcpyAsync(d_target_, h_target_, sizeof(float) * N_JOINTS, cudaMemcpyHostToDevice, stream_);
    servo_kernel<<<1, 32, 0, stream_>>>(d_target_, d_spec_, gains_, kTickDt, d_pos_, d_vel_);  // HAZARD frozen
    cudaMemcpyAsync(h_pos_, d_pos_, sizeof(float) * N_JOINTS, cudaMemcpyDeviceToHost, stream_);
    SV(cudaStreamEndCapture(stream_, &graph_));
    SV(cudaGraphInstantiate(&exec_, graph_, 0));
    return RC_OK;
}

int ServoLoop::tick(const float* target)
{
    memcpy(h_target_, target, sizeof(float) * N_JOINTS);
    SV(cudaGraphLaunch(exec_, stream_));
    SV(cudaStreamSynchronize(stream_));
    return RC_OK;
}

int ServoLoop::readPose(float* pos)
{
    memcpy(pos, h_pos_, sizeof(float) * N_JOINTS);
    return RC_OK;
}

void ServoLoop::shutdown()
{
    if (exec_) cudaGraphExecDestroy(exec_);
    if (graph_) cudaGraphDestroy(graph_);
    cudaFree(d_target_);
    cudaFree(d_pos_);
    cudaFree(d_vel_);
    cudaFree(d_spec_);
    cudaFreeHost(h_target_);
    cudaFreeHost(h_pos_);
    if (stream_) cudaStreamDestroy(stream_);
}

int main()
{
    static ServoLoop loop;
    static float ref_pos[N_JOINTS], ref_vel[N_JOINTS], target[N_JOINTS], pose[N_JOINTS];
    static const int phases[3] = {0, 1, 2};
    int rc = loop.init();
    if (rc == RC_OK) rc = loop.build();

    int bad_ticks = 0, ticks = 0;
    for (int p = 0; p < 3 && rc == RC_OK; ++p) {
        rc = loop.selectBank(phases[p]);
        for (int t = 0; t < TICKS_PER_PHASE && rc == RC_OK; ++t, ++ticks) {
            for (int j = 0; j < N_JOINTS; ++j) target[j] = 0.3f * (j + 1) + 0.05f * ticks;
            rc = loop.tick(target);
            loop.readPose(pose);
            bool wrong = false;
            for (int j = 0; j < N_JOINTS; ++j) {
                pd_step(target[j], kBanks[phases[p]], kJoints[j], kTickDt, &ref_pos[j], &ref_vel[j]);
                if (fabsf(pose[j] - ref_pos[j]) > 1e-7f + 1e-3f * fabsf(ref_pos[j])) wrong = true;
            }
            if (wrong) ++bad_ticks;
        }
    }
    loop.shutdown();
    printf("rc=%d ticks=%d wrong=%d\n", rc, ticks, bad_ticks);
    printf(rc == RC_OK && bad_ticks > 0 ? "LABEL CONFIRMED\n" : "LABEL UNOBSERVED\n");
    return 0;
}
