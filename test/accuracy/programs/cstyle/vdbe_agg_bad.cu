/*
** A very small column virtual machine. A prepared statement is a program of
** VdbeOps; the first step turns it into an exec and later steps relaunch that.
*/
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef long long i64;
typedef unsigned int u32;
typedef unsigned char u8;

#define SQL_OK      0
#define SQL_ERROR   1
#define SQL_RANGE  25

enum { OP_Halt, OP_Limit, OP_Column, OP_If, OP_MulConst, OP_AggSum, OP_MAX };

typedef struct VdbeOp VdbeOp;
typedef struct VdbeFrame VdbeFrame;
typedef struct Vdbe Vdbe;

struct VdbeOp {
  u8 opcode;
  int p1;
  int p2;
  union { i64 i; const i64 *pCol; } p4;
};

struct VdbeFrame {
  int pc;      /* next instruction */
  int nRow;    /* rows that later instructions look at */
};

struct Vdbe {
  const VdbeOp *aOp;
  int nOp;
  i64 aVar[8];               /* ?1 .. ?8 */
  u32 expmask;               /* variables whose value shapes the exec */
  unsigned expired:1;        /* exec must be rebuilt before it is run */
  i64 *pReg;                 /* device: working column */
  i64 *pAcc;                 /* device: accumulator */
  cudaStream_t stream;
  cudaGraphExec_t exec;
};

__global__ void columnKernel(const i64 *pCol, i64 *pReg, int n){
  int i = blockIdx.x*blockDim.x + threadIdx.x;
  if( i<n ) pReg[i] = pCol[i];
}
__global__ void mulKernel(i64 *pReg, int n, i64 k){
  int i = blockIdx.x*blockDim.x + threadIdx.x;
  if( i<n ) pReg[i] *= k;
}
__global__ void sumKernel(const i64 *pReg, int n, i64 *pAcc){
  i64 s = 0;
  for(int i=0; i<n; i++) s += pReg[i];
  *pAcc = s;
}

static int launchRc(void){
  return cudaGetLastError()==cudaSuccess ? SQL_OK : SQL_ERROR;
}

static int opHalt(Vdbe *p, const VdbeOp *pOp, VdbeFrame *pFrame){
  (void)pOp;
  pFrame->pc = p->nOp;
  return SQL_OK;
}
static int opLimit(Vdbe *p, const VdbeOp *pOp, VdbeFrame *pFrame){
  pFrame->nRow = (int)p->aVar[pOp->p1];
  return SQL_OK;
}
static int opColumn(Vdbe *p, const VdbeOp *pOp, VdbeFrame *pFrame){
  columnKernel<<<(pFrame->nRow+63)/64, 64, 0, p->stream>>>(pOp->p4.pCol, p->pReg, pFrame->nRow);
  return launchRc();
}
static int opIf(Vdbe *p, const VdbeOp *pOp, VdbeFrame *pFrame){
  if( p->aVar[pOp->p1] ) pFrame->pc = pOp->p2; // HAZARD host_logic
  return SQL_OK;
}
static int opMulConst(Vdbe *p, const VdbeOp *pOp, VdbeFrame *pFrame){
  mulKernel<<<(pFrame->nRow+63)/64, 64, 0, p->stream>>>(p->pReg, pFrame->nRow, pOp->p4.i);
  return launchRc();
}
static int opAggSum(Vdbe *p, const VdbeOp *pOp, VdbeFrame *pFrame){
  (void)pOp;
  sumKernel<<<1, 1, 0, p->stream>>>(p->pReg, pFrame->nRow, p->pAcc);
  return launchRc();
}

static int (*const aHandler[OP_MAX])(Vdbe*, const VdbeOp*, VdbeFrame*) = {
  opHalt, opLimit, opColumn, opIf, opMulConst, opAggSum
};

static int vdbeCompile(Vdbe *p){
  VdbeFrame frame = {0, 0};
  cudaGraph_t g = 0;
  cudaError_t e;
  int rc = SQL_OK;

  if( cudaStreamBeginCapture(p->stream, cudaStreamCaptureModeGlobal)!=cudaSuccess ) return SQL_ERROR;
  while( rc==SQL_OK && frame.pc<p->nOp ){
    const VdbeOp *pOp = &p->aOp[frame.pc++];
    rc = aHandler[pOp->opcode](p, pOp, &frame);
  }
  e = cudaStreamEndCapture(p->stream, &g);
  if( rc==SQL_OK && e!=cudaSuccess ) rc = SQL_ERROR;
  if( rc==SQL_OK ){
    if( p->exec ) cudaGraphExecDestroy(p->exec);
    p->exec = 0;
    if( cudaGraphInstantiate(&p->exec, g, 0)!=cudaSuccess ) rc = SQL_ERROR;
  }
  if( g ) cudaGraphDestroy(g);
  if( rc==SQL_OK ) p->expired = 0;
  return rc;
}

static int vdbePrepare(Vdbe *p, const VdbeOp *aOp, int nOp, int nMaxRow){
  memset(p, 0, sizeof(*p));
  p->aOp = aOp;
  p->nOp = nOp;
  p->expired = 1;
  for(int i=0; i<nOp; i++){
    if( aOp[i].opcode==OP_Limit ) p->expmask |= 1u<<aOp[i].p1;
  }
  if( cudaStreamCreateWithFlags(&p->stream, cudaStreamNonBlocking)!=cudaSuccess
   || cudaMalloc(&p->pReg, nMaxRow*sizeof(i64))!=cudaSuccess
   || cudaMalloc(&p->pAcc, sizeof(i64))!=cudaSuccess ){
    return SQL_ERROR;
  }
  return SQL_OK;
}

static int vdbeBindInt64(Vdbe *p, int i, i64 v){
  if( i<0 || i>=8 ) return SQL_RANGE;
  if( p->aVar[i]!=v && (p->expmask & (1u<<i))!=0 ) p->expired = 1;
  p->aVar[i] = v;
  return SQL_OK;
}

static int vdbeStep(Vdbe *p, i64 *pResult){
  if( p->expired && vdbeCompile(p)!=SQL_OK ) return SQL_ERROR;
  if( cudaGraphLaunch(p->exec, p->stream)!=cudaSuccess
   || cudaMemcpyAsync(pResult, p->pAcc, sizeof(i64), cudaMemcpyDeviceToHost, p->stream)!=cudaSuccess
   || cudaStreamSynchronize(p->stream)!=cudaSuccess ){
    return SQL_ERROR;
  }
  return SQL_OK;
}

static void vdbeFinalize(Vdbe *p){
  if( p->exec ) cudaGraphExecDestroy(p->exec);
  cudaFree(p->pReg);
  cudaFree(p->pAcc);
  if( p->stream ) cudaStreamDestroy(p->stream);
}

/* SELECT sum(CASE WHEN ?2 THEN qty ELSE qty*100 END) FROM fills LIMIT ?1 */
int main(void){
  static i64 aQty[200];
  i64 *pQty = 0;
  i64 r1 = 0, r2 = 0, r3 = 0;
  Vdbe v;

  for(int i=0; i<200; i++) aQty[i] = 1;
  if( cudaMalloc(&pQty, sizeof(aQty))!=cudaSuccess
   || cudaMemcpy(pQty, aQty, sizeof(aQty), cudaMemcpyHostToDevice)!=cudaSuccess
   || cudaDeviceSynchronize()!=cudaSuccess ){
    puts("LABEL UNOBSERVED");
    return 0;
  }
  VdbeOp aOp[6] = {};
  aOp[0].opcode = OP_Limit;    aOp[0].p1 = 0;
  aOp[1].opcode = OP_Column;   aOp[1].p4.pCol = pQty;
  aOp[2].opcode = OP_If;       aOp[2].p1 = 1;  aOp[2].p2 = 4;
  aOp[3].opcode = OP_MulConst; aOp[3].p4.i = 100;
  aOp[4].opcode = OP_AggSum;
  aOp[5].opcode = OP_Halt;

  int rc = vdbePrepare(&v, aOp, 6, 200);
  vdbeBindInt64(&v, 0, 50);
  vdbeBindInt64(&v, 1, 1);
  if( rc==SQL_OK ) rc = vdbeStep(&v, &r1);
  vdbeBindInt64(&v, 1, 0);
  if( rc==SQL_OK ) rc = vdbeStep(&v, &r2);
  vdbeBindInt64(&v, 1, 1);
  vdbeBindInt64(&v, 0, 120);
  if( rc==SQL_OK ) rc = vdbeStep(&v, &r3);
  vdbeFinalize(&v);
  cudaFree(pQty);
  puts( rc==SQL_OK && r1==50 && r2==50 && r3==120 ? "LABEL CONFIRMED" : "LABEL REFUTED");
  return 0;
}
