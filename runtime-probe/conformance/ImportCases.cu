//===- ImportCases.cu - Objects of other processes and APIs ---------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CUDA does not open IPC handles of its own process, so a child exports them:
// this program, started again with --export-ipc. It writes the handle, in its
// binary form, to its output and lives until its input is closed. Both are one
// socket here, because the descriptor of a pool cannot pass through a pipe.
//
//===----------------------------------------------------------------------===//

#include "Scene.h"

#include <cstring>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace cudagraph::conformance {

int exportIpc(const char *What);

namespace {

/// The message of the child.
union Handle {
  cudaIpcMemHandle_t Memory;
  cudaIpcEventHandle_t Event;
  cudaMemPoolPtrExportData Pointer; ///< comes with a descriptor of the pool
};
static_assert(sizeof(Handle) == CUDA_IPC_HANDLE_SIZE);

/// The child, stored in Scene::Q.
struct Exporter {
  pid_t Child = -1;
  int Socket = -1;
  int Descriptor = -1;
  Handle Sent{};
};

/// A message for \p H, with room for a descriptor.
struct Message {
  explicit Message(Handle &H) : Part{&H, sizeof(H)} {
    Header.msg_iov = &Part;
    Header.msg_iovlen = 1;
    Header.msg_control = Control;
    Header.msg_controllen = sizeof(Control);
  }
  iovec Part;
  msghdr Header{};
  alignas(cmsghdr) char Control[CMSG_SPACE(sizeof(int))] = {};
};

} // namespace

static bool sendPool(int Socket, Handle &H, int Descriptor) {
  Message M(H);
  cmsghdr *C = CMSG_FIRSTHDR(&M.Header);
  C->cmsg_level = SOL_SOCKET;
  C->cmsg_type = SCM_RIGHTS;
  C->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(C), &Descriptor, sizeof(int));
  return sendmsg(Socket, &M.Header, 0) == sizeof(H);
}

static bool receive(Exporter &E) {
  Message M(E.Sent);
  if (recvmsg(E.Socket, &M.Header, MSG_CMSG_CLOEXEC) != sizeof(Handle))
    return false;
  if (cmsghdr *C = CMSG_FIRSTHDR(&M.Header))
    std::memcpy(&E.Descriptor, CMSG_DATA(C), sizeof(int));
  return true;
}

static Exporter *exporter(Scene &S) { return static_cast<Exporter *>(S.Q); }

/// Starts the child that exports \p What.
static int startExporter(Scene &S, const char *What) {
  auto *E = new Exporter;
  S.Q = E;
  int Ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, Ends))
    return cudaErrorOperatingSystem;
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
  return receive(*E) ? 0 : cudaErrorOperatingSystem;
}

static int stopExporter(Scene &S) {
  Exporter *E = exporter(S);
  close(E->Socket);
  if (E->Descriptor >= 0)
    close(E->Descriptor);
  if (E->Child > 0)
    waitpid(E->Child, nullptr, 0);
  delete E;
  return 0;
}

/// The child: exports "memory", an "event", or a "pool" until its standard
/// input is closed. main() returns the result.
int exportIpc(const char *What) {
  Handle H{};
  int Descriptor = -1, E = 0;
  auto Try = [&](int Code) { E = E ? E : Code; };
  void *Memory = nullptr;
  if (!std::strcmp(What, "memory")) {
    Try(cudaMalloc(&Memory, Scene::Bytes));
    Try(cudaIpcGetMemHandle(&H.Memory, Memory));
  } else if (!std::strcmp(What, "event")) {
    cudaEvent_t Event = nullptr;
    Try(cudaEventCreateWithFlags(&Event, cudaEventDisableTiming |
                                             cudaEventInterprocess));
    Try(cudaIpcGetEventHandle(&H.Event, Event));
  } else if (!std::strcmp(What, "pool")) {
    cudaMemPool_t Pool = nullptr;
    cudaMemPoolProps P{};
    P.allocType = cudaMemAllocationTypePinned;
    P.handleTypes = cudaMemHandleTypePosixFileDescriptor;
    P.location = {cudaMemLocationTypeDevice, 0};
    Try(cudaMemPoolCreate(&Pool, &P));
    Try(cudaMemPoolExportToShareableHandle(
        &Descriptor, Pool, cudaMemHandleTypePosixFileDescriptor, 0));
    Try(cudaMallocFromPoolAsync(&Memory, Scene::Bytes, Pool,
                                cudaStreamPerThread));
    Try(cudaStreamSynchronize(cudaStreamPerThread));
    Try(cudaMemPoolExportPointer(&H.Pointer, Memory));
  } else {
    return 2;
  }
  bool Sent = !E && (Descriptor < 0 ? write(1, &H, sizeof(H)) == sizeof(H)
                                    : sendPool(1, H, Descriptor));
  if (!Sent)
    return 1;
  char Byte;
  while (read(0, &Byte, 1) > 0) {
  }
  return 0;
}

static void addIpc(Cases &C) {
  C.add("cudaIpcOpenMemHandle", "",
        [](Scene &S) {
          return cudaIpcOpenMemHandle(&S.P, exporter(S)->Sent.Memory,
                                      cudaIpcMemLazyEnablePeerAccess);
        })
      .before([](Scene &S) { return startExporter(S, "memory"); })
      .after([](Scene &S) {
        if (S.P)
          cudaIpcCloseMemHandle(S.P);
        return stopExporter(S);
      });
  C.add("cudaIpcCloseMemHandle", "",
        [](Scene &S) { return cudaIpcCloseMemHandle(S.P); })
      .before([](Scene &S) {
        int E = startExporter(S, "memory");
        return E ? E
                 : cudaIpcOpenMemHandle(&S.P, exporter(S)->Sent.Memory,
                                        cudaIpcMemLazyEnablePeerAccess);
      })
      .after(stopExporter);
  C.add("cudaIpcOpenEventHandle", "",
        [](Scene &S) {
          return cudaIpcOpenEventHandle(&S.NewEvent, exporter(S)->Sent.Event);
        })
      .before([](Scene &S) { return startExporter(S, "event"); })
      .after([](Scene &S) {
        if (S.NewEvent)
          cudaEventDestroy(S.NewEvent);
        return stopExporter(S);
      });
}

/// The child's pool in Scene::Pool.
static int importPool(Scene &S) {
  int E = startExporter(S, "pool");
  auto Descriptor = static_cast<intptr_t>(exporter(S)->Descriptor);
  return E ? E
           : cudaMemPoolImportFromShareableHandle(
                 &S.Pool, reinterpret_cast<void *>(Descriptor),
                 cudaMemHandleTypePosixFileDescriptor, 0);
}
static int dropPool(Scene &S) {
  if (S.P)
    cudaFree(S.P);
  if (S.Pool)
    cudaMemPoolDestroy(S.Pool);
  return stopExporter(S);
}

static void addPools(Cases &C) {
  C.add("cudaMemPoolImportFromShareableHandle", "",
        [](Scene &S) {
          auto Descriptor = static_cast<intptr_t>(exporter(S)->Descriptor);
          return cudaMemPoolImportFromShareableHandle(
              &S.Pool, reinterpret_cast<void *>(Descriptor),
              cudaMemHandleTypePosixFileDescriptor, 0);
        })
      .before([](Scene &S) { return startExporter(S, "pool"); })
      .after(dropPool);
  C.add("cudaMemPoolImportPointer", "",
        [](Scene &S) {
          return cudaMemPoolImportPointer(&S.P, S.Pool,
                                          &exporter(S)->Sent.Pointer);
        })
      .before(importPool)
      .after(dropPool);
}

void addImportCases(Cases &C) {
  addIpc(C);
  addPools(C);
}

} // namespace cudagraph::conformance
