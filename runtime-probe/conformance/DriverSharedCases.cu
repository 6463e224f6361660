//===- DriverSharedCases.cu - Shared memory, pools, and events ------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// IPC handles must come from another process: this program is started again and
// sends them through a socket; the child lives until the socket is closed.
// External memory is driver memory that is exported as a file descriptor.
//
//===----------------------------------------------------------------------===//

#include "Scene.h"
#include <cstdint>
#include <cstring>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace cudagraph::conformance {

static constexpr size_t Granule = 2 << 20;
static constexpr auto File = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;

static CUdeviceptr address(void *P) { return reinterpret_cast<CUdeviceptr>(P); }
static CUdeviceptr *pointer(Scene &S) {
  return reinterpret_cast<CUdeviceptr *>(&S.P);
}

namespace {
/// The messages of the other process, one at a time; see exportIpc() in
/// ImportCases.cu.
union Message {
  CUipcMemHandle Memory;
  CUipcEventHandle Event;
  CUmemPoolPtrExportData Pointer;
};
static_assert(sizeof(Message) == CU_IPC_HANDLE_SIZE);

/// Another process that shares an object, and the descriptor of its pool.
struct Exporter {
  pid_t Child = -1;
  int Socket = -1;
  int Descriptor = -1;
  Message Sent{};
};
} // namespace
static Exporter &exporter(Scene &S) { return *static_cast<Exporter *>(S.Q); }

static int receive(Exporter &E) {
  alignas(cmsghdr) char Control[CMSG_SPACE(sizeof(int))] = {};
  iovec Part{&E.Sent, sizeof(E.Sent)};
  msghdr Header{};
  Header.msg_iov = &Part;
  Header.msg_iovlen = 1;
  Header.msg_control = Control;
  Header.msg_controllen = sizeof(Control);
  if (recvmsg(E.Socket, &Header, MSG_CMSG_CLOEXEC) != sizeof(E.Sent))
    return CUDA_ERROR_OPERATING_SYSTEM;
  if (cmsghdr *C = CMSG_FIRSTHDR(&Header))
    std::memcpy(&E.Descriptor, CMSG_DATA(C), sizeof(int));
  return 0;
}

/// An exporter in Scene::Q.
static int startExporter(Scene &S, const char *What) {
  auto *E = new Exporter;
  S.Q = E;
  int Ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, Ends))
    return CUDA_ERROR_OPERATING_SYSTEM;
  E->Socket = Ends[0];
  timeval Limit{20, 0};
  setsockopt(E->Socket, SOL_SOCKET, SO_RCVTIMEO, &Limit, sizeof(Limit));
  E->Child = fork();
  if (E->Child == 0) {
    dup2(Ends[1], 0);
    dup2(Ends[1], 1);
    execl("/proc/self/exe", "capture_matrix", "--export-ipc", What, nullptr);
    _exit(127);
  }
  close(Ends[1]);
  return receive(*E);
}
static int stopExporter(Scene &S) {
  Exporter &E = exporter(S);
  for (int Each : {E.Socket, E.Descriptor})
    if (Each >= 0)
      close(Each);
  if (E.Child > 0)
    waitpid(E.Child, nullptr, 0);
  delete &E;
  return 0;
}

static void addIpc(Cases &C) {
  C.add("cuIpcGetMemHandle", "", [](Scene &S) {
    CUipcMemHandle Handle;
    return cuIpcGetMemHandle(&Handle, address(S.Device));
  });
  C.add("cuIpcGetEventHandle", "",
        [](Scene &S) {
          CUipcEventHandle Handle;
          return cuIpcGetEventHandle(&Handle, S.NewEvent);
        })
      .before([](Scene &S) {
        return cuEventCreate(&S.NewEvent,
                             CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING);
      })
      .after([](Scene &S) { return cuEventDestroy(S.NewEvent); });
  auto Open = [](Scene &S) {
    return cuIpcOpenMemHandle(pointer(S), exporter(S).Sent.Memory,
                              CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS);
  };
  auto Close = [](Scene &S) { return cuIpcCloseMemHandle(*pointer(S)); };
  auto Export = [](Scene &S) { return startExporter(S, "memory"); };
  C.add("cuIpcOpenMemHandle", "", Open).before(Export).after([=](Scene &S) {
    if (S.P)
      Close(S);
    return stopExporter(S);
  });
  C.add("cuIpcCloseMemHandle", "", Close)
      .before([=](Scene &S) -> int {
        int E = Export(S);
        return E ? E : Open(S);
      })
      .after(stopExporter);
  C.add("cuIpcOpenEventHandle", "",
        [](Scene &S) {
          return cuIpcOpenEventHandle(&S.NewEvent, exporter(S).Sent.Event);
        })
      .before([](Scene &S) { return startExporter(S, "event"); })
      .after([](Scene &S) {
        if (S.NewEvent)
          cuEventDestroy(S.NewEvent);
        return stopExporter(S);
      });
}

static void addPools(Cases &C) {
  auto Import = [](Scene &S) {
    auto Descriptor = static_cast<intptr_t>(exporter(S).Descriptor);
    return cuMemPoolImportFromShareableHandle(
        &S.Pool, reinterpret_cast<void *>(Descriptor), File, 0);
  };
  auto Drop = [](Scene &S) {
    if (S.P)
      cuMemFree(*pointer(S));
    if (S.Pool)
      cuMemPoolDestroy(S.Pool);
    return stopExporter(S);
  };
  C.add("cuMemPoolImportFromShareableHandle", "", Import)
      .before([](Scene &S) { return startExporter(S, "pool"); })
      .after(Drop);
  C.add("cuMemPoolImportPointer", "",
        [](Scene &S) {
          return cuMemPoolImportPointer(pointer(S), S.Pool,
                                        &exporter(S).Sent.Pointer);
        })
      .before([=](Scene &S) -> int {
        int E = startExporter(S, "pool");
        return E ? E : Import(S);
      })
      .after(Drop);
}

static CUexternalMemory external(Scene &S) {
  return static_cast<CUexternalMemory>(S.Q);
}

/// Memory exported as a file descriptor in Scene::I.
static int makeFile(Scene &S) {
  CUmemAllocationProp P{};
  P.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  P.requestedHandleTypes = File;
  P.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  CUmemGenericAllocationHandle Memory = 0;
  int E = cuMemCreate(&Memory, Granule, &P, 0);
  E = E ? E : cuMemExportToShareableHandle(&S.I, Memory, File, 0);
  if (Memory)
    cuMemRelease(Memory); // the descriptor keeps it alive
  return E;
}
/// The same, imported to Scene::Q, which takes the descriptor.
static int importMemory(Scene &S) {
  int E = makeFile(S);
  CUDA_EXTERNAL_MEMORY_HANDLE_DESC D{};
  D.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;
  D.handle.fd = S.I;
  D.size = Granule;
  return E ? E
           : cuImportExternalMemory(reinterpret_cast<CUexternalMemory *>(&S.Q),
                                    &D);
}
static int dropMemory(Scene &S) {
  if (S.Q)
    return cuDestroyExternalMemory(external(S));
  return S.I > 0 ? close(S.I) : 0;
}

static void addExternal(Cases &C) {
  C.add("cuImportExternalMemory", "",
        [](Scene &S) {
          CUDA_EXTERNAL_MEMORY_HANDLE_DESC D{};
          D.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;
          D.handle.fd = S.I;
          D.size = Granule;
          return cuImportExternalMemory(
              reinterpret_cast<CUexternalMemory *>(&S.Q), &D);
        })
      .before([](Scene &S) {
        int E = importMemory(S);
        E = E ? E : dropMemory(S);
        S.Q = nullptr;
        return E ? E : makeFile(S);
      })
      .after(dropMemory);
  C.add("cuDestroyExternalMemory", "", [](Scene &S) {
     return cuDestroyExternalMemory(external(S));
   }).before(importMemory);
  auto Map = [](Scene &S) {
    CUDA_EXTERNAL_MEMORY_BUFFER_DESC D{};
    D.size = Granule;
    return cuExternalMemoryGetMappedBuffer(pointer(S), external(S), &D);
  };
  C.add("cuExternalMemoryGetMappedBuffer", "", Map)
      .before([=](Scene &S) -> int {
        int E = importMemory(S);
        E = E ? E : Map(S);
        E = E ? E : cuMemFree(*pointer(S));
        S.P = nullptr;
        return E;
      })
      .after([](Scene &S) {
        if (S.P)
          cuMemFree(*pointer(S));
        return dropMemory(S);
      });
  auto MapLevels = [](Scene &S) {
    CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC D{};
    D.arrayDesc.Width = D.arrayDesc.Height = 64;
    D.arrayDesc.Format = CU_AD_FORMAT_FLOAT;
    D.arrayDesc.NumChannels = 1;
    D.numLevels = 1;
    return cuExternalMemoryGetMappedMipmappedArray(
        reinterpret_cast<CUmipmappedArray *>(&S.P), external(S), &D);
  };
  auto FreeLevels = [](Scene &S) {
    int E = cuMipmappedArrayDestroy(static_cast<CUmipmappedArray>(S.P));
    S.P = nullptr;
    return E;
  };
  C.add("cuExternalMemoryGetMappedMipmappedArray", "", MapLevels)
      .before([=](Scene &S) -> int {
        int E = importMemory(S);
        E = E ? E : MapLevels(S);
        return E ? E : FreeLevels(S);
      })
      .after([=](Scene &S) {
        if (S.P)
          FreeLevels(S);
        return dropMemory(S);
      });
}

void addDriverSharedCases(Cases &C) {
  addIpc(C);
  addPools(C);
  addExternal(C);
}

} // namespace cudagraph::conformance
