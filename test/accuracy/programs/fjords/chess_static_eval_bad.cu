/*
 * Static evaluation of chess positions in batches, for the tuner of an engine.
 *
 * Positions are bitboards (white pieces 0..5, black pieces 6..11; order P N B R Q K). Each term of the evaluation fills
 * one row of the term matrix, the blend kernel sums the rows with the tuner's weights. A batch is one graph launch.
 */
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BATCH 64
#define ROUNDS 20000

typedef struct { uint64_t bb[12]; } position;
enum { TERM_MATERIAL, TERM_KNIGHTS, TERM_PAWNS, N_TERMS };
enum { LANE_MAIN, LANE_SIDE };

typedef struct {
    cudaStream_t lane[2];
    cudaEvent_t fork, side_done, tail;
    position *d_pos, *h_pos;
    int *d_terms;   /* [term][position] */
    int *d_score, *h_score, *h_terms;
} evaluator;

typedef struct {
    cudaGraph_t graph;
    cudaGraphExec_t exec;
} job;

static cudaError_t g_status;
#define CK(call)                                                                              \
    do {                                                                                      \
        g_status = (call);                                                                    \
        if (g_status != cudaSuccess) {                                                        \
            fprintf(stderr, "%s:%d %s\n", __func__, __LINE__, cudaGetErrorName(g_status));    \
            goto out;                                                                         \
        }                                                                                     \
    } while (0)

/* --------------------------------------------------------------------------------------------------- evaluation */

#define FILE_A 0x0101010101010101ull
#define FILE_H 0x8080808080808080ull
#define FILE_AB (FILE_A | FILE_A << 1)
#define FILE_GH (FILE_H | FILE_H >> 1)

__host__ __device__ static inline int popcount64(uint64_t x)
{
#ifdef __CUDA_ARCH__
    return __popcll(x);
#else
    return __builtin_popcountll(x);
#endif
}

__host__ __device__ static inline uint64_t knight_attacks(uint64_t n)
{
    return (n & ~FILE_H) << 17 | (n & ~FILE_A) << 15 | (n & ~FILE_GH) << 10 | (n & ~FILE_AB) << 6 |
           (n & ~FILE_A) >> 17 | (n & ~FILE_H) >> 15 | (n & ~FILE_AB) >> 10 | (n & ~FILE_GH) >> 6;
}

__host__ __device__ static int eval_material(const position *p)
{
    const int value[6] = {100, 320, 330, 500, 900, 0};
    int v = 0;
    for (int k = 0; k < 6; ++k) v += value[k] * (popcount64(p->bb[k]) - popcount64(p->bb[k + 6]));
    return v;
}

/* Average reach of the knights over sampled pawn shields. */
__host__ __device__ static int eval_knights(const position *p, int rounds)
{
    uint64_t s = 0x9e3779b97f4a7c15ull ^ p->bb[0] ^ p->bb[6] << 1;
    int w = 0, b = 0;
    for (int r = 0; r < rounds; ++r) {
        s ^= s << 13;
        s ^= s >> 7;
        s ^= s << 17;
        w += popcount64(knight_attacks(p->bb[1]) & s);
        b += popcount64(knight_attacks(p->bb[7]) & ~s);
    }
    return (w - b) * 8 / rounds;
}

__host__ __device__ static int eval_pawns(const position *p)
{
    int v = 0;
    for (int f = 0; f < 8; ++f) {
        int w = popcount64(p->bb[0] & FILE_A << f), b = popcount64(p->bb[6] & FILE_A << f);
        v -= w > 1 ? 15 * (w - 1) : 0;
        v += b > 1 ? 15 * (b - 1) : 0;
    }
    return v;
}

__global__ void k_material(const position *p, int *row) { row[threadIdx.x] = eval_material(p + threadIdx.x); }
__global__ void k_knights(const position *p, int *row, int rounds) { row[threadIdx.x] = eval_knights(p + threadIdx.x, rounds); }
__global__ void k_pawns(const position *p, int *row) { row[threadIdx.x] = eval_pawns(p + threadIdx.x); }

__global__ void k_blend(const int *terms, int *score, int n_terms)
{
    int v = 0;
    for (int t = 0; t < n_terms; ++t) v += terms[t * BATCH + threadIdx.x];
    score[threadIdx.x] = v;
}

static void launch_material(evaluator *e, cudaStream_t s) { k_material<<<1, BATCH, 0, s>>>(e->d_pos, e->d_terms + TERM_MATERIAL * BATCH); }
static void launch_knights(evaluator *e, cudaStream_t s) { k_knights<<<1, BATCH, 0, s>>>(e->d_pos, e->d_terms + TERM_KNIGHTS * BATCH, ROUNDS); }
static void launch_pawns(evaluator *e, cudaStream_t s) { k_pawns<<<1, BATCH, 0, s>>>(e->d_pos, e->d_terms + TERM_PAWNS * BATCH); }

static const struct {
    int lane;
    void (*launch)(evaluator *, cudaStream_t);
} TERMS[N_TERMS] = {
    {LANE_MAIN, launch_material},
    {LANE_SIDE, launch_knights},
    {LANE_SIDE, launch_pawns},
};

/* --------------------------------------------------------------------------------------------------------- jobs */

/* Ends a recording that could not be completed. */
static int abandon(evaluator *e)
{
    cudaStreamCaptureStatus state = cudaStreamCaptureStatusNone;
    cudaGraph_t partial = NULL;
    if (cudaStreamIsCapturing(e->lane[LANE_MAIN], &state) == cudaSuccess && state != cudaStreamCaptureStatusNone)
        cudaStreamEndCapture(e->lane[LANE_MAIN], &partial);
    if (partial) cudaGraphDestroy(partial);
    return -1;
}

static int record_scores(evaluator *e, job *j)
{
    cudaStream_t main_lane = e->lane[LANE_MAIN], side = e->lane[LANE_SIDE];

    CK(cudaStreamBeginCapture(main_lane, cudaStreamCaptureModeThreadLocal));
    CK(cudaMemcpyAsync(e->d_pos, e->h_pos, sizeof(position) * BATCH, cudaMemcpyHostToDevice, main_lane));
    CK(cudaEventRecord(e->fork, main_lane));
    CK(cudaStreamWaitEvent(side, e->fork, 0));
    CK(cudaEventRecord(e->side_done, side)); // HAZARD dependency #a
    for (int t = 0; t < N_TERMS; ++t) TERMS[t].launch(e, e->lane[TERMS[t].lane]);
    CK(cudaStreamWaitEvent(main_lane, e->side_done, 0)); // HAZARD dependency #a
    k_blend<<<1, BATCH, 0, main_lane>>>(e->d_terms, e->d_score, N_TERMS);
    CK(cudaMemcpyAsync(e->h_score, e->d_score, sizeof(int) * BATCH, cudaMemcpyDeviceToHost, main_lane));
    CK(cudaEventRecord(e->tail, side));
    CK(cudaStreamWaitEvent(main_lane, e->tail, 0));
    CK(cudaStreamEndCapture(main_lane, &j->graph));
    CK(cudaGraphInstantiate(&j->exec, j->graph, 0));
    return 0;
out:
    return abandon(e);
}

/* The trace job gives the tuner the term matrix itself. */
static int record_trace(evaluator *e, job *j)
{
    cudaStream_t main_lane = e->lane[LANE_MAIN], side = e->lane[LANE_SIDE];
    const size_t row = sizeof(int) * BATCH;

    CK(cudaStreamBeginCapture(main_lane, cudaStreamCaptureModeThreadLocal));
    CK(cudaMemcpyAsync(e->d_pos, e->h_pos, sizeof(position) * BATCH, cudaMemcpyHostToDevice, main_lane));
    CK(cudaEventRecord(e->fork, main_lane));
    CK(cudaStreamWaitEvent(side, e->fork, 0));
    for (int t = 0; t < N_TERMS; ++t) {
        cudaStream_t s = e->lane[TERMS[t].lane];
        TERMS[t].launch(e, s);
        CK(cudaMemcpyAsync(e->h_terms + t * BATCH, e->d_terms + t * BATCH, row, cudaMemcpyDeviceToHost, s)); // HAZARD dependency #b
    }
    CK(cudaStreamEndCapture(main_lane, &j->graph)); // HAZARD dependency #b
    CK(cudaGraphInstantiate(&j->exec, j->graph, 0));
    return 0;
out:
    return abandon(e);
}

static int run_job(evaluator *e, job *j, const position *batch)
{
    memcpy(e->h_pos, batch, sizeof(position) * BATCH);
    CK(cudaGraphLaunch(j->exec, e->lane[LANE_MAIN]));
    CK(cudaStreamSynchronize(e->lane[LANE_MAIN]));
    return 0;
out:
    return -1;
}

static int evaluator_open(evaluator *e)
{
    memset(e, 0, sizeof *e);
    for (int i = 0; i < 2; ++i) CK(cudaStreamCreateWithFlags(&e->lane[i], cudaStreamNonBlocking));
    CK(cudaEventCreateWithFlags(&e->fork, cudaEventDisableTiming));
    CK(cudaEventCreateWithFlags(&e->side_done, cudaEventDisableTiming));
    CK(cudaEventCreateWithFlags(&e->tail, cudaEventDisableTiming));
    CK(cudaMalloc(&e->d_pos, sizeof(position) * BATCH));
    CK(cudaMalloc(&e->d_terms, sizeof(int) * BATCH * N_TERMS));
    CK(cudaMalloc(&e->d_score, sizeof(int) * BATCH));
    CK(cudaMallocHost(&e->h_pos, sizeof(position) * BATCH));
    CK(cudaMallocHost(&e->h_score, sizeof(int) * BATCH));
    CK(cudaMallocHost(&e->h_terms, sizeof(int) * BATCH * N_TERMS));
    CK(cudaMemset(e->d_terms, 0, sizeof(int) * BATCH * N_TERMS));
    CK(cudaDeviceSynchronize());
    return 0;
out:
    return -1;
}

/* ------------------------------------------------------------------------------------------------------- driver */

static void make_batch(position *p, int seed)
{
    uint64_t s = 88172645463325252ull + (uint64_t)seed * 7919;
    for (int i = 0; i < BATCH; ++i)
        for (int k = 0; k < 12; ++k) {
            uint64_t m = ~0ull;
            for (int r = 0; r < (k % 6 == 0 ? 3 : 5); ++r) {
                s ^= s << 13;
                s ^= s >> 7;
                s ^= s << 17;
                m &= s;
            }
            p[i].bb[k] = m;
        }
}

static int side_terms(const position *p) { return eval_knights(p, ROUNDS) + eval_pawns(p); }

int main(void)
{
    evaluator e;
    job scores = {0}, trace = {0};
    static position batch[3][BATCH];
    int full = 0, lagging = 0, rc_trace = 0, shown = 0;
    cudaError_t trace_status = cudaSuccess;

    for (int b = 0; b < 3; ++b) make_batch(batch[b], b);
    if (evaluator_open(&e) || record_scores(&e, &scores)) goto report;
    for (int b = 0; b < 3; ++b) {
        int same = 1, behind = 1;
        if (run_job(&e, &scores, batch[b])) goto report;
        for (int i = 0; i < BATCH; ++i) {
            int material = eval_material(&batch[b][i]);
            same &= e.h_score[i] == material + side_terms(&batch[b][i]);
            behind &= e.h_score[i] == material + (b ? side_terms(&batch[b - 1][i]) : 0);
        }
        full += same;
        lagging += behind;
    }
    rc_trace = record_trace(&e, &trace);
    trace_status = g_status;
    printf("batches with full scores: %d, batches one behind: %d, trace: %d (%s)\n", full, lagging, rc_trace,
           cudaGetErrorName(trace_status));
    shown = full == 0 && lagging == 3 && rc_trace != 0 && trace_status == cudaErrorStreamCaptureUnjoined;
report:
    puts(shown ? "LABEL CONFIRMED" : "LABEL WRONG");
    return shown ? 0 : 1;
}
