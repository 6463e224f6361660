//===- InputFile.cpp - User files -----------------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InputFile.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace cudagraph::support {
namespace {

InputError systemError(int Errno) { return {Errno, std::strerror(Errno), ""}; }

/// Returns the reason why a file of this kind is not read, or nothing.
InputError checkKind(mode_t Mode) {
  if (S_ISREG(Mode))
    return {};
  if (S_ISDIR(Mode))
    return {EISDIR, std::strerror(EISDIR), "name a file"};
  if (S_ISFIFO(Mode))
    return {0, "it is a pipe, not a regular file",
            "write its contents to a file, and name that file"};
  return {0,
          S_ISSOCK(Mode) ? "it is a socket, not a regular file"
                         : "it is a device, not a regular file",
          "name a regular file"};
}

/// Reads \p Descriptor to its end. A file may grow while it is read, and the
/// size of files in /proc is unknown.
InputError readAll(int Descriptor, Bound Most, std::string &Text) {
  char Buffer[1 << 16];
  while (true) {
    ssize_t Got = read(Descriptor, Buffer, sizeof Buffer);
    if (Got < 0 && errno == EINTR)
      continue;
    if (Got < 0)
      return systemError(errno);
    if (Got == 0)
      return {};
    if (InputError E = checkSize(Text.size() + static_cast<size_t>(Got), Most))
      return E;
    Text.append(Buffer, static_cast<size_t>(Got));
  }
}

} // namespace

InputError checkSize(uint64_t Size, Bound Most) {
  if (Size <= static_cast<uint64_t>(Most))
    return {};
  return {0,
          "it has more than " +
              std::to_string(static_cast<uint64_t>(Most) >> 20) +
              " MiB, the limit for a file of this kind",
          "name a smaller file"};
}

InputError openInput(const std::string &Path, Bound Most, int &Descriptor) {
  // Opening a device may have an effect, so the type is checked first. It is
  // checked again afterwards, because the name may then refer to a different
  // file.
  struct stat Status;
  if (stat(Path.c_str(), &Status))
    return systemError(errno);
  if (InputError E = checkKind(Status.st_mode))
    return E;
  do
    Descriptor =
        open(Path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  while (Descriptor < 0 && errno == EINTR);
  if (Descriptor < 0)
    return systemError(errno);
  InputError E = fstat(Descriptor, &Status) ? systemError(errno)
                                            : checkKind(Status.st_mode);
  if (!E)
    E = checkSize(static_cast<uint64_t>(Status.st_size), Most);
  if (E)
    close(Descriptor);
  return E;
}

InputError readInput(const std::string &Path, Bound Most, std::string &Text) {
  Text.clear();
  int Descriptor = -1;
  if (InputError E = openInput(Path, Most, Descriptor))
    return E;
  struct stat Status;
  if (!fstat(Descriptor, &Status) && Status.st_size > 0)
    Text.reserve(static_cast<size_t>(Status.st_size));
  InputError E = readAll(Descriptor, Most, Text);
  close(Descriptor);
  return E;
}

InputError readStandardInput(Bound Most, std::string &Text) {
  Text.clear();
  return readAll(STDIN_FILENO, Most, Text);
}

} // namespace cudagraph::support
