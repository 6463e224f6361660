//===- ThreadOwn.h - Data of a thread that outlives its objects -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread_local object of the program may call CUDA in its destructor, after
// the thread_local objects of the probe have been destroyed. The destructor of
// a pthread key runs after all of their destructors.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_PROBE_THREADOWN_H
#define CUDAGRAPH_PROBE_THREADOWN_H

#include <pthread.h>

namespace cudagraph::probe {

template <typename T> class ThreadOwn {
public:
  /// The object of the calling thread.
  static T &get() {
    if (!Mine) {
      Mine = new T();
      // Without a key, the object is never deleted.
      static const Key Ends;
      if (Ends.Exists)
        pthread_setspecific(Ends.Id, Mine);
    }
    return *Mine;
  }

private:
  struct Key {
    pthread_key_t Id{};
    bool Exists = !pthread_key_create(&Id, [](void *Object) {
      Mine = nullptr;
      delete static_cast<T *>(Object);
    });
  };
  static inline thread_local T *Mine = nullptr;
};

} // namespace cudagraph::probe

#endif // CUDAGRAPH_PROBE_THREADOWN_H
