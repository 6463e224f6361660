/*
 * dsp_ddc - digital down converter (NCO mixer + boxcar decimator)
 *
 * C interface: opaque contexts, integer error codes, caller owns the sample buffers.
 */
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DSP_OK        0
#define DSP_ERR_ARG  (-1)
#define DSP_ERR_MEM  (-2)
#define DSP_ERR_CUDA (-3)

#define DSP_TABLE_BITS 10
#define DSP_TABLE_SIZE (1u << DSP_TABLE_BITS)
#define DSP_TABLE_MASK (DSP_TABLE_SIZE - 1u)

#define DSP_TRY(x) do { int rc_ = (x); if (rc_ != DSP_OK) return rc_; } while (0)
#define CU_TRY(x)  do { if ((x) != cudaSuccess) return DSP_ERR_CUDA; } while (0)

typedef struct dsp_nco dsp_nco_t;
typedef struct dsp_ddc dsp_ddc_t;
typedef struct dsp_rx  dsp_rx_t;

/* ---- numerically controlled oscillator -------------------------------- */

struct dsp_nco {
	uint32_t  phase;
	uint32_t  step;
	int32_t  *d_table;
	int32_t   table[DSP_TABLE_SIZE];
};

static int dsp_nco_create(dsp_nco_t **out, uint32_t step)
{
	dsp_nco_t *nco = (dsp_nco_t *)calloc(1, sizeof *nco);
	if (!nco)
		return DSP_ERR_MEM;
	nco->step = step & DSP_TABLE_MASK;
	for (uint32_t i = 0; i < DSP_TABLE_SIZE; i++)
		nco->table[i] = (int32_t)lround(127.0 * cos(6.283185307179586 * i / DSP_TABLE_SIZE));
	if (cudaMalloc((void **)&nco->d_table, sizeof nco->table) != cudaSuccess) {
		free(nco);
		return DSP_ERR_MEM;
	}
	CU_TRY(cudaMemcpy(nco->d_table, nco->table, sizeof nco->table, cudaMemcpyHostToDevice));
	CU_TRY(cudaDeviceSynchronize());
	*out = nco;
	return DSP_OK;
}

static void dsp_nco_destroy(dsp_nco_t *nco)
{
	if (!nco)
		return;
	cudaFree(nco->d_table);
	free(nco);
}

static void dsp_nco_advance(dsp_nco_t *nco, uint32_t samples)
{
	nco->phase = (nco->phase + samples * nco->step) & DSP_TABLE_MASK; // HAZARD frozen #phase
}

/* ---- kernels ------------------------------------------------------------ */

__global__ void k_mix(int32_t *mixed, const int32_t *in, const int32_t *table,
                      uint32_t phase, uint32_t step, uint32_t n)
{
	uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		mixed[i] = in[i] * table[(phase + i * step) & DSP_TABLE_MASK];
}

__global__ void k_decimate(int32_t *out, const int32_t *mixed, uint32_t decim, uint32_t n_out)
{
	uint32_t j = blockIdx.x * blockDim.x + threadIdx.x;
	if (j >= n_out)
		return;
	int32_t acc = 0;
	for (uint32_t k = 0; k < decim; k++)
		acc += mixed[j * decim + k];
	out[j] = acc;
}

/* ---- down converter ----------------------------------------------------- */

struct dsp_ddc {
	dsp_nco_t *nco;
	uint32_t   decim;
	uint32_t   max_block;
	int32_t   *d_mixed;
};

static int dsp_ddc_create(dsp_ddc_t **out, uint32_t step, uint32_t decim, uint32_t max_block)
{
	if (!out || !decim || max_block % decim)
		return DSP_ERR_ARG;
	dsp_ddc_t *ddc = (dsp_ddc_t *)calloc(1, sizeof *ddc);
	if (!ddc)
		return DSP_ERR_MEM;
	ddc->decim = decim;
	ddc->max_block = max_block;
	DSP_TRY(dsp_nco_create(&ddc->nco, step));
	CU_TRY(cudaMalloc((void **)&ddc->d_mixed, max_block * sizeof(int32_t)));
	*out = ddc;
	return DSP_OK;
}

static void dsp_ddc_destroy(dsp_ddc_t *ddc)
{
	if (!ddc)
		return;
	dsp_nco_destroy(ddc->nco);
	cudaFree(ddc->d_mixed);
	free(ddc);
}

static int dsp_ddc_process(dsp_ddc_t *ddc, int32_t *d_out, const int32_t *d_in, uint32_t n, cudaStream_t st)
{
	if (n > ddc->max_block)
		return DSP_ERR_ARG;
	const dsp_nco_t *nco = ddc->nco;
	k_mix<<<(n + 127) / 128, 128, 0, st>>>(ddc->d_mixed, d_in, nco->d_table, nco->phase, nco->step, n); // HAZARD frozen #phase
	k_decimate<<<(n / ddc->decim + 63) / 64, 64, 0, st>>>(d_out, ddc->d_mixed, ddc->decim, n / ddc->decim);
	CU_TRY(cudaGetLastError());
	return DSP_OK;
}

/* ---- receiver: staging buffers and the block engine ---------------------- */

struct dsp_rx {
	dsp_ddc_t      *ddc;
	uint32_t        block;
	cudaStream_t    stream;
	cudaGraphExec_t exec;
	int32_t        *h_in, *h_out; /* pinned */
	int32_t        *d_in, *d_out;
	uint64_t        blocks_done;
};

static int dsp_rx_create(dsp_rx_t **out, dsp_ddc_t *ddc, uint32_t block)
{
	dsp_rx_t *rx = (dsp_rx_t *)calloc(1, sizeof *rx);
	if (!rx)
		return DSP_ERR_MEM;
	rx->ddc = ddc;
	rx->block = block;
	CU_TRY(cudaStreamCreateWithFlags(&rx->stream, cudaStreamNonBlocking));
	CU_TRY(cudaMallocHost((void **)&rx->h_in, block * sizeof(int32_t)));
	CU_TRY(cudaMallocHost((void **)&rx->h_out, block * sizeof(int32_t)));
	CU_TRY(cudaMalloc((void **)&rx->d_in, block * sizeof(int32_t)));
	CU_TRY(cudaMalloc((void **)&rx->d_out, block * sizeof(int32_t)));
	*out = rx;
	return DSP_OK;
}

static void dsp_rx_destroy(dsp_rx_t *rx)
{
	if (!rx)
		return;
	if (rx->exec)
		cudaGraphExecDestroy(rx->exec);
	cudaFreeHost(rx->h_in);
	cudaFreeHost(rx->h_out);
	cudaFree(rx->d_in);
	cudaFree(rx->d_out);
	cudaStreamDestroy(rx->stream);
	free(rx);
}

static int rx_submit_block(dsp_rx_t *rx)
{
	const uint32_t n = rx->block;
	CU_TRY(cudaMemcpyAsync(rx->d_in, rx->h_in, n * sizeof(int32_t), cudaMemcpyHostToDevice, rx->stream));
	DSP_TRY(dsp_ddc_process(rx->ddc, rx->d_out, rx->d_in, n, rx->stream));
	CU_TRY(cudaMemcpyAsync(rx->h_out, rx->d_out, n / rx->ddc->decim * sizeof(int32_t),
	                       cudaMemcpyDeviceToHost, rx->stream));
	return DSP_OK;
}

static int rx_build(dsp_rx_t *rx)
{
	cudaGraph_t graph = NULL;
	CU_TRY(cudaStreamBeginCapture(rx->stream, cudaStreamCaptureModeThreadLocal));
	int rc = rx_submit_block(rx);
	cudaError_t end = cudaStreamEndCapture(rx->stream, &graph);
	if (rc == DSP_OK && end == cudaSuccess && cudaGraphInstantiate(&rx->exec, graph, 0) != cudaSuccess)
		rc = DSP_ERR_CUDA;
	if (graph)
		cudaGraphDestroy(graph);
	return end == cudaSuccess ? rc : DSP_ERR_CUDA;
}

static int dsp_rx_push(dsp_rx_t *rx, const int32_t *samples, int32_t *result)
{
	memcpy(rx->h_in, samples, rx->block * sizeof(int32_t));
	if (!rx->exec)
		DSP_TRY(rx_build(rx));
	CU_TRY(cudaGraphLaunch(rx->exec, rx->stream));
	CU_TRY(cudaStreamSynchronize(rx->stream));
	memcpy(result, rx->h_out, rx->block / rx->ddc->decim * sizeof(int32_t));
	dsp_nco_advance(rx->ddc->nco, rx->block);
	rx->blocks_done++;
	return DSP_OK;
}

/* ---- self test ------------------------------------------------------------ */

enum { BLOCK = 240, DECIM = 4, STEP = 37, NBLOCKS = 6 };

static int run(int *first_bad, int *later_bad)
{
	dsp_ddc_t *ddc = NULL;
	dsp_rx_t *rx = NULL;
	int32_t in[BLOCK], out[BLOCK / DECIM];
	uint32_t ref_phase = 0;

	DSP_TRY(dsp_ddc_create(&ddc, STEP, DECIM, 1024));
	DSP_TRY(dsp_rx_create(&rx, ddc, BLOCK));
	for (int b = 0; b < NBLOCKS; b++) {
		int bad = 0;
		for (int i = 0; i < BLOCK; i++)
			in[i] = (i * 13 + b * 71) % 101 - 50;
		DSP_TRY(dsp_rx_push(rx, in, out));
		for (int j = 0; j < BLOCK / DECIM; j++) {
			int32_t acc = 0;
			for (int k = 0; k < DECIM; k++, ref_phase += STEP)
				acc += in[j * DECIM + k] * ddc->nco->table[ref_phase & DSP_TABLE_MASK];
			bad += acc != out[j];
		}
		printf("block %d: %d of %d outputs differ\n", b, bad, BLOCK / DECIM);
		*(b == 0 ? first_bad : later_bad) += bad;
	}
	dsp_rx_destroy(rx);
	dsp_ddc_destroy(ddc);
	return DSP_OK;
}

int main(void)
{
	int first_bad = 0, later_bad = 0;
	int rc = run(&first_bad, &later_bad);
	if (rc != DSP_OK)
		fprintf(stderr, "dsp error %d (%s)\n", rc, cudaGetErrorString(cudaGetLastError()));
	puts(rc == DSP_OK && first_bad == 0 && later_bad > 0 ? "LABEL CONFIRMED" : "LABEL WRONG");
	return 0;
}
