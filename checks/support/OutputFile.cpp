//===- OutputFile.cpp - Writes files completely or not at all -------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This file does not use llvm::sys::fs::TempFile or llvm::writeToOutput: both
// replace each '%' in the path, and the latter does not detect a failed write
// of the last bytes.
//
//===----------------------------------------------------------------------===//

#include "OutputFile.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/sysmacros.h>
#endif

using namespace llvm;

namespace cudagraph::support {
namespace {

Error systemError(int Errno) {
  return createStringError(std::error_code(Errno, std::generic_category()),
                           sys::StrError(Errno));
}

/// The destination of the bytes for a path.
struct Target {
  std::string Path;    ///< without a symbolic link at its end
  int Descriptor = -1; ///< the target of /dev/stdout and similar paths
  bool Exists = false;
  struct stat Status = {};

  bool isDirect() const {
    return Descriptor >= 0 || (Exists && !S_ISREG(Status.st_mode));
  }
};

/// True if \p To is the memory device \p Minor: 3 is /dev/null.
bool isDevice(const Target &To, unsigned Minor) {
#ifdef __linux__
  return To.Exists && S_ISCHR(To.Status.st_mode) &&
         To.Status.st_rdev == makedev(1, Minor);
#else
  return false;
#endif
}

/// The descriptor that \p Path names. Opening the path instead would truncate
/// the file.
int descriptorOf(StringRef Path) {
  if (Path == "/dev/stdin" || Path == "/dev/stdout" || Path == "/dev/stderr")
    return Path.ends_with("in") ? 0 : Path.ends_with("out") ? 1 : 2;
  int Number = -1;
  if ((Path.consume_front("/dev/fd/") ||
       Path.consume_front("/proc/self/fd/")) &&
      !Path.getAsInteger(10, Number) && Number >= 0)
    return Number;
  return -1;
}

/// Follows the links at the end of \p Path, even to a file that does not exist.
Expected<Target> resolve(const std::string &Path) {
  constexpr unsigned MaxLinks = 40;
  Target Result;
  Result.Path = Path;
  for (unsigned Links = 0;; ++Links) {
    Result.Descriptor = descriptorOf(Result.Path);
    if (Result.Descriptor >= 0) {
      if (fstat(Result.Descriptor, &Result.Status))
        return systemError(errno);
      Result.Exists = true;
      return Result;
    }
    if (lstat(Result.Path.c_str(), &Result.Status)) {
      if (errno != ENOENT)
        return systemError(errno);
      return Result;
    }
    if (!S_ISLNK(Result.Status.st_mode))
      break;
    if (Links == MaxLinks)
      return systemError(ELOOP);
    char Buffer[4096];
    ssize_t Length = readlink(Result.Path.c_str(), Buffer, sizeof Buffer);
    if (Length < 0)
      return systemError(errno);
    SmallString<256> Next(StringRef(Buffer, static_cast<size_t>(Length)));
    if (!sys::path::is_absolute(Next)) {
      Next = sys::path::parent_path(Result.Path);
      sys::path::append(Next, StringRef(Buffer, static_cast<size_t>(Length)));
    }
    Result.Path = Next.str().str();
  }
  Result.Exists = true;
  if (S_ISDIR(Result.Status.st_mode))
    return createStringError("it is a directory; name a file");
  return Result;
}

/// A file next to its target, which is removed at the end unless it has been
/// renamed to the target. If the system supports it, the file has no name until
/// then, so that not even SIGKILL leaves it behind.
class Temporary {
public:
  static Expected<Temporary> create(const Target &To, bool Named) {
    Temporary Result(To);
    if (int Errno = Named ? Result.openNamed() : Result.openUnnamed())
      return systemError(Errno);
    return Result;
  }
  Temporary(Temporary &&Other)
      : To(Other.To), Path(std::exchange(Other.Path, "")),
        Descriptor(std::exchange(Other.Descriptor, -1)) {}
  ~Temporary() {
    if (Descriptor >= 0)
      close(Descriptor);
    if (Path.empty())
      return;
    unlink(Path.c_str());
    sys::DontRemoveFileOnSignal(Path);
  }

  int descriptor() const { return Descriptor; }

  /// Renames the file to the target.
  Error keep() {
    if (To.Exists) {
      // The owner is kept if the system permits it. Setting the owner clears
      // mode bits, so the mode is set afterwards.
      (void)!fchown(Descriptor, To.Status.st_uid, To.Status.st_gid);
      (void)!fchmod(Descriptor, To.Status.st_mode & 07777);
    }
    if (Path.empty()) {
      if (!To.Exists && !linkTo(To.Path))
        return Error::success();
      if (int Errno = withFreeName([&] { return linkTo(Path); }))
        return systemError(Errno);
    }
    if (rename(Path.c_str(), To.Path.c_str()))
      return systemError(errno);
    sys::DontRemoveFileOnSignal(std::exchange(Path, ""));
    return Error::success();
  }

private:
  explicit Temporary(const Target &To) : To(To) {}

  const Target &To;
  std::string Path; ///< empty while it has no name
  int Descriptor = -1;

  int openUnnamed() {
#ifdef O_TMPFILE
    StringRef Directory = sys::path::parent_path(To.Path);
    Descriptor = open(Directory.empty() ? "." : Directory.str().c_str(),
                      O_RDWR | O_TMPFILE | O_CLOEXEC, 0666);
    return Descriptor < 0 ? errno : 0;
#else
    return EOPNOTSUPP;
#endif
  }
  int openNamed() {
    return withFreeName([&] {
      Descriptor =
          open(Path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      return Descriptor < 0 ? errno : 0;
    });
  }
  int linkTo(const std::string &Name) {
    std::string Own = "/proc/self/fd/" + std::to_string(Descriptor);
    return linkat(AT_FDCWD, Own.c_str(), AT_FDCWD, Name.c_str(),
                  AT_SYMLINK_FOLLOW)
               ? errno
               : 0;
  }

  /// Calls \p Make, which returns an errno value, with a Path that does not
  /// exist.
  int withFreeName(function_ref<int()> Make) {
    constexpr size_t Longest = 200; // of the 255 bytes that a name may have
    StringRef Stem = sys::path::filename(To.Path).take_front(Longest);
    int Errno = EEXIST;
    for (unsigned Try = 0; Try < 100 && Errno == EEXIST; ++Try) {
      SmallString<256> Name(sys::path::parent_path(To.Path));
      sys::path::append(Name, Stem + "-" +
                                  utohexstr(sys::Process::GetRandomNumber(),
                                            /*LowerCase=*/true) +
                                  ".tmp");
      Path = Name.str().str();
      // Register the file first, because a signal may arrive as soon as it
      // exists.
      sys::RemoveFileOnSignal(Path);
      Errno = Make();
      if (Errno)
        sys::DontRemoveFileOnSignal(std::exchange(Path, ""));
    }
    return Errno;
  }
};

/// Writes to an open file and detects a failed write of the last bytes.
template <typename Stream>
Error print(int Descriptor, function_ref<void(Stream &)> Print) {
  Stream Out(Descriptor, /*shouldClose=*/false);
  Print(Out);
  Out.flush();
  if (!Out.has_error())
    return Error::success();
  std::error_code EC = Out.error();
  Out.clear_error(); // otherwise its destructor ends the process
  return createStringError(EC, EC.message());
}

Error printDirectly(const Target &To, int Flags,
                    function_ref<void(raw_ostream &)> Print) {
  int Descriptor = To.Descriptor >= 0
                       ? fcntl(To.Descriptor, F_DUPFD_CLOEXEC, 3)
                       : open(To.Path.c_str(), O_WRONLY | O_CLOEXEC | Flags);
  if (Descriptor < 0)
    return systemError(errno);
  Error E = print<raw_fd_ostream>(Descriptor, Print);
  if (close(Descriptor) && !E)
    return systemError(errno);
  return E;
}

/// True if \p Errno means that a file cannot be created or renamed next to the
/// target. The target itself may be writable, for example if a container mounts
/// a single file.
bool onlyInPlace(int Errno) {
  return Errno == EACCES || Errno == EPERM || Errno == EROFS ||
         Errno == EBUSY || Errno == EXDEV;
}

/// Replaces \p To, unless \p Print returns false. If no file next to it can be
/// created or renamed, \p Why receives the reason.
Error replace(const Target &To, function_ref<bool(raw_fd_stream &)> Print,
              std::error_code &Why) {
  for (bool Named : {false, true}) {
    Expected<Temporary> File = Temporary::create(To, Named);
    if (!File) {
      Why = errorToErrorCode(File.takeError());
      continue;
    }
    bool Keep = false;
    auto Run = [&](raw_fd_stream &Out) { Keep = Print(Out); };
    if (Error E = print<raw_fd_stream>(File->descriptor(), Run))
      return E;
    Why = Keep ? errorToErrorCode(File->keep()) : std::error_code();
    if (!Why)
      break;
  }
  return Error::success();
}

Error checkExisting(const Target &To) {
  // Root can write to a read-only file, but its permissions are intentional.
  if (access(To.Path.c_str(), W_OK) || !(To.Status.st_mode & 0222))
    return createStringError(
        sys::StrError(errno == EROFS ? EROFS : EACCES) +
        "; the file is read-only: make it writable, or name another file");
  return Error::success();
}

} // namespace

Error checkOutput(const std::string &Path) {
  Expected<Target> To = resolve(Path);
  if (!To)
    return To.takeError();
  if (To->Descriptor >= 0) {
    int Flags = fcntl(To->Descriptor, F_GETFL);
    return Flags >= 0 && (Flags & O_ACCMODE) != O_RDONLY ? Error::success()
                                                         : systemError(EBADF);
  }
  if (isDevice(*To, 7)) // /dev/full
    return systemError(ENOSPC);
  if (To->isDirect())
    return access(To->Path.c_str(), W_OK) ? systemError(errno)
                                          : Error::success();
  if (To->Exists)
    if (Error E = checkExisting(*To))
      return E;
  StringRef Parent = sys::path::parent_path(To->Path);
  std::string Directory = Parent.empty() ? "." : Parent.str();
  if (access(Directory.c_str(), W_OK | X_OK)) {
    if (To->Exists && onlyInPlace(errno))
      return Error::success();
    const int Errno = errno;
    return createStringError(sys::StrError(Errno) +
                             (Errno == ENOENT
                                  ? "; create the directory first"
                                  : "; name a file in a writable directory"));
  }
  struct statvfs Disk;
  if (!statvfs(Directory.c_str(), &Disk) && Disk.f_blocks &&
      !(geteuid() ? Disk.f_bavail : Disk.f_bfree))
    return createStringError(
        sys::StrError(ENOSPC) +
        "; remove other files there, or name a file on another disk");
  return Error::success();
}

Error writeOutput(const std::string &Path,
                  function_ref<void(raw_ostream &)> Print) {
  Expected<Target> To = resolve(Path);
  if (!To)
    return To.takeError();
  if (To->isDirect())
    return printDirectly(*To, 0, Print);
  if (To->Exists)
    if (Error E = checkExisting(*To))
      return E;
  std::error_code Why;
  auto Always = [&](raw_fd_stream &Out) {
    Print(Out);
    return true;
  };
  Error Failed = replace(*To, Always, Why);
  if (Failed || !Why)
    return Failed;
  if (To->Exists && onlyInPlace(Why.value()))
    return printDirectly(*To, O_TRUNC, Print);
  return createStringError(Why, Why.message());
}

Error writeOutputIf(const std::string &Path,
                    function_ref<bool(raw_fd_stream &)> Print) {
  Expected<Target> To = resolve(Path);
  if (!To)
    return To.takeError();
  std::error_code Why;
  if (Error E = replace(*To, Print, Why))
    return E;
  return Why ? createStringError(Why, Why.message()) : Error::success();
}

Error writeOutput(const std::string &Path, StringRef Bytes) {
  return writeOutput(Path, [&](raw_ostream &Out) { Out << Bytes; });
}

FileIdentity identityOf(const std::string &Path) {
  FileIdentity Result;
  Expected<Target> To = resolve(Path.empty() ? "/dev/stdout" : Path);
  if (!To) {
    consumeError(To.takeError());
    Result.Place = Path;
    return Result;
  }
  if (To->Exists) {
    Result.Inode.emplace(To->Status.st_dev, To->Status.st_ino);
    Result.Replaced = !To->isDirect();
    Result.IsNull = isDevice(*To, 3);
  }
  SmallString<256> Directory(sys::path::parent_path(To->Path)), Real;
  (void)sys::fs::make_absolute(Directory);
  if (!sys::fs::real_path(Directory, Real))
    Directory = Real;
  sys::path::append(Directory, sys::path::filename(To->Path));
  Result.Place = Directory.str().str();
  return Result;
}

} // namespace cudagraph::support
