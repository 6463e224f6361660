//===- Gl.h - OpenGL without a display --------------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// EGL provides a context on the GPU itself. It is loaded at run time, and the
// required parts of EGL and OpenGL are declared here, so that the build needs
// no additional packages.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_CONFORMANCE_GL_H
#define CUDAGRAPH_CONFORMANCE_GL_H

#include <cstdint>
#include <dlfcn.h>
#include <initializer_list>

namespace cudagraph::conformance {

/// An OpenGL context on CUDA's device 0, created once in a process.
class Gl {
public:
  static const Gl &get() {
    static const Gl Only;
    return Only;
  }

  void (*GenBuffers)(int, unsigned *);
  void (*BindBuffer)(unsigned, unsigned);
  void (*BufferData)(unsigned, intptr_t, const void *, unsigned);
  void (*DeleteBuffers)(int, const unsigned *);
  void (*GenTextures)(int, unsigned *);
  void (*BindTexture)(unsigned, unsigned);
  void (*TexStorage2D)(unsigned, int, unsigned, int, int);
  void (*DeleteTextures)(int, const unsigned *);
  unsigned (*GetError)();

  bool enter() const {
    return Context && MakeCurrent(Display, nullptr, nullptr, Context);
  }
  void leave() const {
    if (Context)
      ReleaseThread();
  }

private:
  Gl();
  template <typename F> bool find(F &Function, const char *Name) {
    Function = reinterpret_cast<F>(dlsym(Library, Name));
    if (!Function && GetProcAddress)
      Function = reinterpret_cast<F>(GetProcAddress(Name));
    return Function;
  }
  bool findAll();
  bool open(void *Device);

  void *Library = nullptr;
  void *Display = nullptr;
  void *Context = nullptr;
  void *(*GetProcAddress)(const char *) = nullptr;
  unsigned (*Initialize)(void *, int *, int *);
  unsigned (*BindApi)(unsigned);
  unsigned (*ChooseConfig)(void *, const int *, void **, int, int *);
  void *(*CreateContext)(void *, void *, void *, const int *);
  unsigned (*MakeCurrent)(void *, void *, void *, void *);
  unsigned (*ReleaseThread)();
  unsigned (*QueryDevices)(int, void **, int *);
  unsigned (*QueryDevice)(void *, int, intptr_t *);
  void *(*GetPlatformDisplay)(unsigned, void *, const int *);
};

inline bool Gl::findAll() {
  Library = dlopen("libEGL.so.1", RTLD_NOW);
  return Library && find(GetProcAddress, "eglGetProcAddress") &&
         find(Initialize, "eglInitialize") && find(BindApi, "eglBindAPI") &&
         find(ChooseConfig, "eglChooseConfig") &&
         find(CreateContext, "eglCreateContext") &&
         find(MakeCurrent, "eglMakeCurrent") &&
         find(ReleaseThread, "eglReleaseThread") &&
         find(QueryDevices, "eglQueryDevicesEXT") &&
         find(QueryDevice, "eglQueryDeviceAttribEXT") &&
         find(GetPlatformDisplay, "eglGetPlatformDisplayEXT") &&
         find(GenBuffers, "glGenBuffers") && find(BindBuffer, "glBindBuffer") &&
         find(BufferData, "glBufferData") &&
         find(DeleteBuffers, "glDeleteBuffers") &&
         find(GenTextures, "glGenTextures") &&
         find(BindTexture, "glBindTexture") &&
         find(TexStorage2D, "glTexStorage2D") &&
         find(DeleteTextures, "glDeleteTextures") &&
         find(GetError, "glGetError");
}

inline bool Gl::open(void *Device) {
  constexpr unsigned PlatformDevice = 0x313F, OpenGl = 0x30A2;
  // EGL_SURFACE_TYPE: pixel buffers, EGL_RENDERABLE_TYPE: OpenGL
  const int Wanted[] = {0x3033, 0x1, 0x3040, 0x8, 0x3038};
  int Major, Minor, Count = 0;
  void *Config = nullptr;
  Display = GetPlatformDisplay(PlatformDevice, Device, nullptr);
  if (!Display || !Initialize(Display, &Major, &Minor) || !BindApi(OpenGl) ||
      !ChooseConfig(Display, Wanted, &Config, 1, &Count) || !Count)
    return false;
  Context = CreateContext(Display, Config, nullptr, nullptr);
  return Context;
}

inline Gl::Gl() {
  constexpr int CudaDevice = 0x323A; // the attribute that is CUDA's number
  void *Devices[64];
  int Count = 0;
  if (!findAll() || !QueryDevices(64, Devices, &Count))
    return;
  // Any CUDA device is accepted if number 0 is not available.
  for (bool First : {true, false})
    for (int I = 0; I < Count; ++I) {
      intptr_t Number = -1;
      if (QueryDevice(Devices[I], CudaDevice, &Number) &&
          (Number == 0) == First && open(Devices[I]))
        return;
    }
}

/// While this object exists, the context is current in this thread, which may
/// differ from the thread that prepared the case.
struct Current {
  Current() : Done(Gl::get().enter()) {}
  ~Current() { Gl::get().leave(); }
  const bool Done;
};

} // namespace cudagraph::conformance

#endif // CUDAGRAPH_CONFORMANCE_GL_H
