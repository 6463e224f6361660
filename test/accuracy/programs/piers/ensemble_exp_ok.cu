// ensemble_exp.cu -- quick check if the two halves of the ensemble can share one GPU without slowing each other down
//
//   phase 1: members one after the other (numbers for the paper)
//   phase 2: members side by side
#include <cuda_runtime.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <vector>

using std::map;
using std::string;
using std::vector;

int errors = 0;
#define CU(call) do { cudaError_t rc__ = (call); if (rc__) { ++errors; fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorName(rc__)); } } while (0)

const int N = 2048;
const int NEWTON = 150000;   // far more than needed: stands for the real (slow) inner solver

struct Member {
    float scale;
    float bias;
    float shift;
};

const map<string, Member> members = {{"left", {1.5f, 0.25f, 2.0f}}, {"right", {-2.0f, 4.0f, 3.0f}}};

map<string, float*> buf;
map<string, cudaStream_t> st;
map<string, cudaGraphExec_t> G;
map<string, cudaEvent_t> done;
map<string, double> seconds;

__global__ void embed(const float* x, float* h, float scale, float bias, int n)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < n) h[i] = scale * x[i] + bias;
}

// sqrt(x + shift) by Newton's method
__global__ void solve(const float* x, float* root, float shift, int iters, int n)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i >= n) return;
    float a = x[i] + shift, y = a;
    for (int k = 0; k < iters; k++) y = 0.5f * (y + a / y);
    root[i] = y;
}

__global__ void head(const float* h, const float* root, float* out, int n)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < n) out[i] = h[i] * root[i];
}

__global__ void mean2(const float* a, const float* b, float* m, int n)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < n) m[i] = 0.5f * (a[i] + b[i]);
}

float* get(const string& name)
{
    auto it = buf.find(name);
    if (it != buf.end()) return it->second;
    float* p = nullptr;
    CU(cudaMalloc(&p, N * sizeof(float)));
    return buf[name] = p;
}

vector<float> make_x(int epoch)
{
    vector<float> x(N);
    for (int i = 0; i < N; i++) x[i] = 1.0f + 0.5f * std::sin(0.02f * i * (epoch + 1));
    return x;
}

float member_ref(const Member& m, float x) { return (m.scale * x + m.bias) * std::sqrt(x + m.shift); }

int main()
{
    for (auto& kv : members) CU(cudaStreamCreateWithFlags(&st[kv.first], cudaStreamNonBlocking));
    CU(cudaStreamCreateWithFlags(&st["io"], cudaStreamNonBlocking));
    for (auto& kv : st) CU(cudaEventCreateWithFlags(&done[kv.first], cudaEventDisableTiming));

    vector<vector<float>> epochs;
    for (int e = 0; e < 7; e++) epochs.push_back(make_x(e));

    // all buffers first, so that nothing is allocated later
    for (string name : {"x", "x.next", "mean"}) get(name);
    for (auto& kv : members) {
        get(kv.first + ".hidden");
        get(kv.first + ".root");
        get(kv.first + ".out");
    }

    auto forward = [&](const string& who, cudaStream_t s) {
        const Member& m = members.at(who);
        embed<<<N / 128, 128, 0, s>>>(get("x"), get(who + ".hidden"), m.scale, m.bias, N);
        solve<<<N / 128, 128, 0, s>>>(get("x"), get(who + ".root"), m.shift, NEWTON, N);
        head<<<N / 128, 128, 0, s>>>(get(who + ".hidden"), get(who + ".root"), get(who + ".out"), N);
        CU(cudaGetLastError());
    };

    auto build = [&](const string& who) {
        cudaGraph_t g = nullptr;
        CU(cudaStreamBeginCapture(st[who], cudaStreamCaptureModeThreadLocal));
        forward(who, st[who]);
        CU(cudaStreamEndCapture(st[who], &g));
        CU(cudaGraphInstantiate(&G[who], g, 0));
        CU(cudaGraphDestroy(g));
    };

    // the next input comes in while the members work on the present one
    auto prefetch = [&](int epoch) {
        CU(cudaMemcpyAsync(get("x.next"), epochs[epoch].data(), N * sizeof(float), cudaMemcpyHostToDevice, st["io"]));
    };

    auto advance = [&] {
        CU(cudaMemcpyAsync(get("x"), get("x.next"), N * sizeof(float), cudaMemcpyDeviceToDevice, st["io"]));
        CU(cudaEventRecord(done["io"], st["io"]));
        for (auto& kv : members) CU(cudaStreamWaitEvent(st[kv.first], done["io"], 0));
    };

    auto combine = [&] {
        for (auto& kv : members) {
            CU(cudaEventRecord(done[kv.first], st[kv.first]));
            CU(cudaStreamWaitEvent(st["io"], done[kv.first], 0));
        }
        mean2<<<N / 128, 128, 0, st["io"]>>>(get("left.out"), get("right.out"), get("mean"), N);
        CU(cudaGetLastError());
    };

    auto error_of = [&](const string& name, int epoch) {
        vector<float> y(N), &x = epochs[epoch];
        CU(cudaMemcpy(y.data(), get(name), N * sizeof(float), cudaMemcpyDeviceToHost));
        float worst = 0;
        for (int i = 0; i < N; i++) {
            float l = member_ref(members.at("left"), x[i]), r = member_ref(members.at("right"), x[i]);
            float want = name == "left.out" ? l : name == "right.out" ? r : 0.5f * (l + r);
            worst = std::fmax(worst, std::fabs(y[i] - want));
        }
        return worst;
    };

    auto timed = [&](const string& label, const std::function<void()>& f) {
        auto t0 = std::chrono::steady_clock::now();
        f();
        seconds[label] += std::chrono::duration<double>(std::chrono::steady_clock::now() - t0).count();
    };

    auto serial = [&] {
        for (auto& kv : members) {
            CU(cudaGraphLaunch(G[kv.first], st[kv.first]));
            CU(cudaStreamSynchronize(st[kv.first]));
        }
    };

    auto parallel = [&] {
        for (auto& kv : members) CU(cudaGraphLaunch(G[kv.first], st[kv.first]));
    };

    for (auto& kv : members) build(kv.first);

    bool all_ok = true;
    prefetch(0);
    advance();
    for (int epoch = 0; epoch < 6; epoch++) {
        const bool side_by_side = epoch >= 3;
        if (side_by_side) timed("parallel", parallel);
        else timed("serial", serial);
        prefetch(epoch + 1);
        combine();
        CU(cudaStreamSynchronize(st["io"]));

        float worst = 0;
        for (string name : {"left.out", "right.out", "mean"}) {
            float e = error_of(name, epoch);
            printf("epoch %d  %-9s  err %.3g\n", epoch, name.c_str(), e);
            worst = std::fmax(worst, e);
        }
        all_ok &= worst < 1e-3f;
        advance();
    }
    printf("serial %.4f s, parallel %.4f s\n", seconds["serial"], seconds["parallel"]);

    CU(cudaDeviceSynchronize());
    for (auto& kv : done) CU(cudaEventDestroy(kv.second));
    for (auto& kv : G) CU(cudaGraphExecDestroy(kv.second));
    for (auto& kv : buf) CU(cudaFree(kv.second));
    for (auto& kv : st) CU(cudaStreamDestroy(kv.second));

    all_ok = all_ok && errors == 0;
    printf("%s\n", all_ok ? "LABEL CONFIRMED" : "LABEL WRONG");
    return all_ok ? 0 : 1;
}
