//===- DnnBackendCases.cu - cuDNN: the graph API's backend ----------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One convolution, for which the heuristics propose engines; the plan is
// created from the first usable engine, as cudnn-frontend does.
//
//===----------------------------------------------------------------------===//

#include "Library.h"

#if defined(CUDAGRAPH_WITHOUT_LIBRARIES) || !defined(CUDAGRAPH_WITH_CUDNN)
void cudagraph::conformance::addDnnBackendCases(Cases &) {}
#else

#include <cudnn.h>

namespace cudagraph::conformance {

namespace {
using Descriptor = cudnnBackendDescriptor_t;

constexpr int Proposals = 8;

struct Plan {
  Descriptor X = nullptr, W = nullptr, Y = nullptr;
  Descriptor Convolution = nullptr, Operation = nullptr, Graph = nullptr;
  Descriptor Heuristics = nullptr, Configurations[Proposals] = {};
  Descriptor Chosen = nullptr; ///< one of Configurations
  Descriptor Execution = nullptr, Variants = nullptr;
  Descriptor New = nullptr; ///< the object that the case creates
  int64_t Count = 0, Bytes = 0;
  void *Space = nullptr;
};
} // namespace

static Plan &plan(Scene &S) { return kept<Plan>(S); }

static int set(Descriptor D, cudnnBackendAttributeName_t Name,
               cudnnBackendAttributeType_t Type, int64_t Count,
               const void *Values) {
  return cudnnBackendSetAttribute(D, Name, Type, Count, Values);
}

static int makeTensor(Descriptor &New, int64_t Id, int64_t K, int64_t C,
                      int64_t Side, bool Finalize = true) {
  int64_t Sizes[] = {K, C, Side, Side}, Alignment = 16;
  int64_t Strides[] = {C * Side * Side, Side * Side, Side, 1};
  cudnnDataType_t Type = CUDNN_DATA_FLOAT;
  int E = cudnnBackendCreateDescriptor(CUDNN_BACKEND_TENSOR_DESCRIPTOR, &New);
  auto Try = [&](int Code) { E = E ? E : Code; };
  Try(set(New, CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &Type));
  Try(set(New, CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, 4, Sizes));
  Try(set(New, CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, 4, Strides));
  Try(set(New, CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, 1, &Id));
  Try(set(New, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, 1,
          &Alignment));
  if (Finalize)
    Try(cudnnBackendFinalize(New));
  return E;
}

static int makeOperation(Plan &P) {
  int64_t Ones[] = {1, 1}, Two = 2;
  cudnnDataType_t Type = CUDNN_DATA_FLOAT;
  cudnnConvolutionMode_t Mode = CUDNN_CROSS_CORRELATION;
  float One = 1, Zero = 0;
  int E = 0;
  auto Try = [&](int Code) { E = E ? E : Code; };
  Try(makeTensor(P.X, 1, 1, 4, 8));
  Try(makeTensor(P.W, 2, 4, 4, 3));
  Try(makeTensor(P.Y, 3, 1, 4, 8));
  Descriptor &D = P.Convolution;
  Try(cudnnBackendCreateDescriptor(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR, &D));
  Try(set(D, CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, CUDNN_TYPE_INT64, 1, &Two));
  Try(set(D, CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &Type));
  Try(set(D, CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE, 1,
          &Mode));
  for (auto Name :
       {CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS,
        CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, CUDNN_ATTR_CONVOLUTION_DILATIONS,
        CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES})
    Try(set(D, Name, CUDNN_TYPE_INT64, 2, Ones));
  Try(cudnnBackendFinalize(D));
  Descriptor &O = P.Operation;
  Try(cudnnBackendCreateDescriptor(
      CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR, &O));
  Try(set(O, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
          CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &P.X));
  Try(set(O, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
          CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &P.W));
  Try(set(O, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y,
          CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &P.Y));
  Try(set(O, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
          CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &D));
  Try(set(O, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA, CUDNN_TYPE_FLOAT,
          1, &One));
  Try(set(O, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA, CUDNN_TYPE_FLOAT, 1,
          &Zero));
  Try(cudnnBackendFinalize(O));
  return E;
}

static int newGraph(Scene &S, Descriptor &New) {
  int E = cudnnBackendCreateDescriptor(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR,
                                       &New);
  E = E ? E
        : set(New, CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR,
              1, &plan(S).Operation);
  return E ? E
           : set(New, CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, 1,
                 &slot<cudnnHandle_t>(S));
}

static int newHeuristics(Scene &S, Descriptor &New) {
  cudnnBackendHeurMode_t Mode = CUDNN_HEUR_MODE_A;
  int E =
      cudnnBackendCreateDescriptor(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR, &New);
  E = E ? E
        : set(New, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH,
              CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &plan(S).Graph);
  return E ? E
           : set(New, CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, 1,
                 &Mode);
}

static int newExecution(Scene &S, Descriptor Configuration, Descriptor &New) {
  int E = cudnnBackendCreateDescriptor(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR,
                                       &New);
  E = E ? E
        : set(New, CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, 1,
              &slot<cudnnHandle_t>(S));
  return E ? E
           : set(New, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG,
                 CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &Configuration);
}

static int newVariants(Scene &S, Descriptor &New) {
  Plan &P = plan(S);
  int64_t Ids[] = {1, 2, 3};
  void *Addresses[] = {S.Device, S.Device + 2048, S.Device2};
  int E =
      cudnnBackendCreateDescriptor(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR, &New);
  auto Try = [&](int Code) { E = E ? E : Code; };
  Try(set(New, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, 3, Ids));
  Try(set(New, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, 3,
          Addresses));
  Try(set(New, CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, 1,
          &P.Space));
  return E;
}

static int create(Scene &S) {
  auto *New = new Plan;
  S.Q = New;
  int E = cudnnCreate(&slot<cudnnHandle_t>(S));
  auto Try = [&](int Code) { E = E ? E : Code; };
  Try(makeOperation(*New));
  Try(newGraph(S, New->Graph));
  Try(cudnnBackendFinalize(New->Graph));
  Try(newHeuristics(S, New->Heuristics));
  Try(cudnnBackendFinalize(New->Heuristics));
  for (Descriptor &Each : New->Configurations)
    Try(cudnnBackendCreateDescriptor(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR,
                                     &Each));
  Try(cudnnBackendGetAttribute(New->Heuristics, CUDNN_ATTR_ENGINEHEUR_RESULTS,
                               CUDNN_TYPE_BACKEND_DESCRIPTOR, Proposals,
                               &New->Count, New->Configurations));
  for (int64_t I = 0; !E && !New->Chosen && I < New->Count; ++I) {
    Try(newExecution(S, New->Configurations[I], New->Execution));
    if (!E && cudnnBackendFinalize(New->Execution) == CUDNN_STATUS_SUCCESS)
      New->Chosen = New->Configurations[I];
  }
  Try(!New->Chosen);
  Try(cudnnBackendGetAttribute(New->Execution,
                               CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE,
                               CUDNN_TYPE_INT64, 1, nullptr, &New->Bytes));
  Try(cudaMalloc(&New->Space, New->Bytes + 1));
  Try(newVariants(S, New->Variants));
  Try(cudnnBackendFinalize(New->Variants));
  return E;
}
static int setStream(Scene &S) {
  return cudnnSetStream(slot<cudnnHandle_t>(S), S.Stream);
}
static int destroy(Scene &S) {
  Plan &P = plan(S);
  for (Descriptor Each : {P.New, P.Variants, P.Execution, P.Heuristics, P.Graph,
                          P.Operation, P.Convolution, P.X, P.W, P.Y})
    if (Each)
      cudnnBackendDestroyDescriptor(Each);
  for (Descriptor Each : P.Configurations)
    if (Each)
      cudnnBackendDestroyDescriptor(Each);
  cudaFree(P.Space);
  delete &P;
  return emptied(S, cudnnDestroy(slot<cudnnHandle_t>(S)));
}

static void addDescriptors(Cases &C) {
  library(C, "cudnnBackendCreateDescriptor", "tensor", [](Scene &S) {
    return cudnnBackendCreateDescriptor(CUDNN_BACKEND_TENSOR_DESCRIPTOR,
                                        &slot<Descriptor>(S));
  }).after([](Scene &S) {
    return cudnnBackendDestroyDescriptor(slot<Descriptor>(S));
  });
  library(C, "cudnnBackendDestroyDescriptor", "tensor", [](Scene &S) {
    return cudnnBackendDestroyDescriptor(slot<Descriptor>(S));
  }).before([](Scene &S) {
    return makeTensor(slot<Descriptor>(S), 1, 1, 4, 8);
  });
  library(C, "cudnnBackendSetAttribute", "tensor",
          [](Scene &S) {
            int64_t Id = 5;
            return cudnnBackendSetAttribute(slot<Descriptor>(S),
                                            CUDNN_ATTR_TENSOR_UNIQUE_ID,
                                            CUDNN_TYPE_INT64, 1, &Id);
          })
      .before([](Scene &S) {
        return makeTensor(slot<Descriptor>(S), 1, 1, 4, 8, false);
      })
      .after([](Scene &S) {
        return cudnnBackendDestroyDescriptor(slot<Descriptor>(S));
      });
  library(C, "cudnnBackendGetAttribute", "results of the heuristics",
          [](Scene &S) {
            Plan &P = plan(S);
            return cudnnBackendGetAttribute(
                P.Heuristics, CUDNN_ATTR_ENGINEHEUR_RESULTS,
                CUDNN_TYPE_BACKEND_DESCRIPTOR, Proposals, &P.Count,
                P.Configurations);
          })
      .before(create)
      .after(destroy);
}

static void addFinalizations(Cases &C) {
  library(C, "cudnnBackendFinalize", "tensor",
          [](Scene &S) { return cudnnBackendFinalize(slot<Descriptor>(S)); })
      .before([](Scene &S) {
        return makeTensor(slot<Descriptor>(S), 1, 1, 4, 8, false);
      })
      .after([](Scene &S) {
        return cudnnBackendDestroyDescriptor(slot<Descriptor>(S));
      });
  library(C, "cudnnBackendFinalize", "operation graph",
          [](Scene &S) { return cudnnBackendFinalize(plan(S).New); })
      .before(chain(create, [](Scene &S) { return newGraph(S, plan(S).New); }))
      .after(destroy);
  library(C, "cudnnBackendFinalize", "heuristics",
          [](Scene &S) { return cudnnBackendFinalize(plan(S).New); })
      .before(
          chain(create, [](Scene &S) { return newHeuristics(S, plan(S).New); }))
      .after(destroy);
  library(C, "cudnnBackendFinalize", "execution plan",
          [](Scene &S) { return cudnnBackendFinalize(plan(S).New); })
      .before(chain(create,
                    [](Scene &S) {
                      return newExecution(S, plan(S).Chosen, plan(S).New);
                    }))
      .after(destroy);
  library(C, "cudnnBackendFinalize", "variant pack",
          [](Scene &S) { return cudnnBackendFinalize(plan(S).New); })
      .before(
          chain(create, [](Scene &S) { return newVariants(S, plan(S).New); }))
      .after(destroy);
}

void addDnnBackendCases(Cases &C) {
  addDescriptors(C);
  addFinalizations(C);
  Action Execute = [](Scene &S) {
    Plan &P = plan(S);
    return cudnnBackendExecute(slot<cudnnHandle_t>(S), P.Execution, P.Variants);
  };
  Action Ready = chain(create, setStream);
  library(C, "cudnnBackendExecute", "", Execute)
      .on(mainRelations())
      .before(chain(Ready, Execute))
      .after(destroy);
  library(C, "cudnnBackendExecute", "no stream set", Execute)
      .on({Relation::Legacy})
      .before(chain(create, Execute))
      .after(destroy);
  library(C, "cudnnBackendExecute", "first use of the handle", Execute)
      .on({Relation::Origin})
      .before(Ready)
      .fresh();
}

} // namespace cudagraph::conformance

#endif // CUDAGRAPH_WITHOUT_LIBRARIES
