/* Scan-cycle controller of a multi-zone heat-treatment furnace. Temperatures in 1/16 degree, power in permille. */
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define ZONES 192
#define SCANS 48

#define TRY(call)                                                                   \
    do {                                                                            \
        cudaError_t rc_ = (call);                                                   \
        if (rc_ != cudaSuccess) {                                                   \
            fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(rc_)); \
            return rc_;                                                             \
        }                                                                           \
    } while (0)

typedef enum { ST_IDLE, ST_RAMP, ST_SOAK, ST_QUENCH, ST_COUNT } plc_state;

typedef struct {
    plc_state state;
    int scans_in_state;
    cudaStream_t stream;
    cudaGraphExec_t scan_exec;
    int32_t *h_temp, *h_power;   /* pinned process image */
    int32_t *d_temp, *d_power;
    int32_t *d_setpoint;
} furnace;

typedef cudaError_t (*state_launch_fn)(furnace *f);
typedef plc_state (*state_next_fn)(const furnace *f, int32_t mean_temp);

typedef struct {
    const char *name;
    state_launch_fn launch;
    state_next_fn next;
} state_desc;

__host__ __device__ static int32_t clamp_power(int32_t p) { return p < -1000 ? -1000 : (p > 1000 ? 1000 : p); }
__host__ __device__ static int32_t ramp_law(int32_t t, int32_t sp) { return clamp_power((sp - t) / 4 + 200); }
__host__ __device__ static int32_t soak_law(int32_t t, int32_t sp) { return clamp_power((sp - t) / 8 + 60); }
__host__ __device__ static int32_t quench_law(int32_t t) { return clamp_power(-t / 16); }

__global__ void k_idle(int32_t *power) { power[threadIdx.x] = 0; }
__global__ void k_ramp(const int32_t *temp, const int32_t *sp, int32_t *power) {
    int z = threadIdx.x;
    power[z] = ramp_law(temp[z], sp[z]);
}
__global__ void k_soak(const int32_t *temp, const int32_t *sp, int32_t *power) {
    int z = threadIdx.x;
    power[z] = soak_law(temp[z], sp[z]);
}
__global__ void k_quench(const int32_t *temp, int32_t *power) { power[threadIdx.x] = quench_law(temp[threadIdx.x]); }

static cudaError_t launch_idle(furnace *f) {
    k_idle<<<1, ZONES, 0, f->stream>>>(f->d_power);
    return cudaGetLastError();
}
static cudaError_t launch_ramp(furnace *f) {
    k_ramp<<<1, ZONES, 0, f->stream>>>(f->d_temp, f->d_setpoint, f->d_power);
    return cudaGetLastError();
}
static cudaError_t launch_soak(furnace *f) {
    k_soak<<<1, ZONES, 0, f->stream>>>(f->d_temp, f->d_setpoint, f->d_power);
    return cudaGetLastError();
}
static cudaError_t launch_quench(furnace *f) {
    k_quench<<<1, ZONES, 0, f->stream>>>(f->d_temp, f->d_power);
    return cudaGetLastError();
}

static plc_state next_idle(const furnace *f, int32_t) { return f->scans_in_state >= 3 ? ST_RAMP : ST_IDLE; }
static plc_state next_ramp(const furnace *f, int32_t mean) {
    return mean > 3000 || f->scans_in_state >= 16 ? ST_SOAK : ST_RAMP;
}
static plc_state next_soak(const furnace *f, int32_t) { return f->scans_in_state >= 10 ? ST_QUENCH : ST_SOAK; }
static plc_state next_quench(const furnace *, int32_t mean) { return mean < 500 ? ST_IDLE : ST_QUENCH; }

static const state_desc STATES[ST_COUNT] = {
    {"IDLE", launch_idle, next_idle},
    {"RAMP", launch_ramp, next_ramp},
    {"SOAK", launch_soak, next_soak},
    {"QUENCH", launch_quench, next_quench},
};

static int32_t setpoint_of(int zone) { return 3200 + (zone % 7) * 40; }

static cudaError_t furnace_init(furnace *f) {
    int32_t sp[ZONES];
    memset(f, 0, sizeof *f);
    for (int z = 0; z < ZONES; ++z) sp[z] = setpoint_of(z);
    TRY(cudaStreamCreate(&f->stream));
    TRY(cudaMallocHost(&f->h_temp, sizeof sp));
    TRY(cudaMallocHost(&f->h_power, sizeof sp));
    TRY(cudaMalloc(&f->d_temp, sizeof sp));
    TRY(cudaMalloc(&f->d_power, sizeof sp));
    TRY(cudaMalloc(&f->d_setpoint, sizeof sp));
    TRY(cudaMemcpy(f->d_setpoint, sp, sizeof sp, cudaMemcpyHostToDevice));
    for (int z = 0; z < ZONES; ++z) f->h_temp[z] = 320 + z;
    f->state = ST_IDLE;
    return cudaSuccess;
}

static void furnace_free(furnace *f) {
    if (f->scan_exec) cudaGraphExecDestroy(f->scan_exec);
    cudaFree(f->d_setpoint);
    cudaFree(f->d_power);
    cudaFree(f->d_temp);
    cudaFreeHost(f->h_power);
    cudaFreeHost(f->h_temp);
    if (f->stream) cudaStreamDestroy(f->stream);
}

static cudaError_t scan_body(furnace *f) {
    TRY(cudaMemcpyAsync(f->d_temp, f->h_temp, ZONES * sizeof(int32_t), cudaMemcpyHostToDevice, f->stream));
    TRY(STATES[f->state].launch(f)); // HAZARD host_logic #state
    return cudaMemcpyAsync(f->h_power, f->d_power, ZONES * sizeof(int32_t), cudaMemcpyDeviceToHost, f->stream);
}

static cudaError_t build_scan(furnace *f, cudaGraphExec_t *exec) {
    cudaGraph_t graph = NULL;
    TRY(cudaStreamBeginCapture(f->stream, cudaStreamCaptureModeThreadLocal));
    cudaError_t body = scan_body(f);
    cudaError_t end = cudaStreamEndCapture(f->stream, &graph);
    if (body == cudaSuccess && end == cudaSuccess) body = cudaGraphInstantiate(exec, graph, 0);
    if (graph) cudaGraphDestroy(graph);
    return body != cudaSuccess ? body : end;
}

static void plant_step(int32_t *temp, const int32_t *power) {
    for (int z = 0; z < ZONES; ++z) temp[z] += power[z] / 4 - (temp[z] - 320) / 64;
}

static int32_t mean_of(const int32_t *v) {
    int64_t sum = 0;
    for (int z = 0; z < ZONES; ++z) sum += v[z];
    return (int32_t)(sum / ZONES);
}

static cudaError_t run_scan(furnace *f) {
    TRY(cudaGraphLaunch(f->scan_exec, f->stream));
    TRY(cudaStreamSynchronize(f->stream));
    plant_step(f->h_temp, f->h_power);
    plc_state next = STATES[f->state].next(f, mean_of(f->h_temp));
    f->scans_in_state = next == f->state ? f->scans_in_state + 1 : 0;
    f->state = next; // HAZARD host_logic #state
    return cudaSuccess;
}

/* The same control program in plain C, for commissioning checks. */
typedef struct {
    furnace logic;
    int32_t temp[ZONES], power[ZONES];
} simulator;

static void simulator_scan(simulator *s) {
    for (int z = 0; z < ZONES; ++z) {
        switch (s->logic.state) {
            case ST_RAMP: s->power[z] = ramp_law(s->temp[z], setpoint_of(z)); break;
            case ST_SOAK: s->power[z] = soak_law(s->temp[z], setpoint_of(z)); break;
            case ST_QUENCH: s->power[z] = quench_law(s->temp[z]); break;
            default: s->power[z] = 0; break;
        }
    }
    plant_step(s->temp, s->power);
    plc_state next = STATES[s->logic.state].next(&s->logic, mean_of(s->temp));
    s->logic.scans_in_state = next == s->logic.state ? s->logic.scans_in_state + 1 : 0;
    s->logic.state = next;
}

static cudaError_t commission(furnace *f, int *matching, int *visited) {
    static simulator sim;
    memset(&sim, 0, sizeof sim);
    memcpy(sim.temp, f->h_temp, sizeof sim.temp);
    *matching = 0;
    *visited = 0;
    TRY(build_scan(f, &f->scan_exec));
    for (int scan = 0; scan < SCANS; ++scan) {
        *visited |= 1 << sim.logic.state;
        TRY(run_scan(f));
        simulator_scan(&sim);
        if (memcmp(sim.temp, f->h_temp, sizeof sim.temp) == 0 && memcmp(sim.power, f->h_power, sizeof sim.power) == 0)
            ++*matching;
    }
    return cudaSuccess;
}

int main(void) {
    furnace f;
    int matching = 0, visited = 0;
    cudaError_t rc = furnace_init(&f);
    if (rc == cudaSuccess) rc = commission(&f, &matching, &visited);
    furnace_free(&f);
    printf("status %d, %d of %d scans match, reference visited states 0x%x\n", (int)rc, matching, SCANS, visited);
    int observed = rc == cudaSuccess && visited == 0xf && matching >= 1 && matching < SCANS / 2;
    puts(observed ? "LABEL CONFIRMED" : "LABEL WRONG");
    return !observed;
}
