//===- CatalogueTest.cpp - The catalogue ----------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names, lookup, outcomes, users' files with every possible error, and
// properties that all embedded entries share.
//
//===----------------------------------------------------------------------===//

#include "../../checks/catalogue/Catalogue.h"
#include <algorithm>
#include <cstdio>
#include <gtest/gtest.h>
#include <set>
#include <thread>

using namespace cudagraph::catalogue;

namespace {

constexpr Mode AllModes[] = {Mode::Global, Mode::ThreadLocal, Mode::Relaxed};
constexpr StreamRelation AllRelations[] = {
    StreamRelation::Origin, StreamRelation::Joined,    StreamRelation::Other,
    StreamRelation::Legacy, StreamRelation::PerThread, StreamRelation::None};
constexpr StreamKind AllKinds[] = {StreamKind::Blocking,
                                   StreamKind::NonBlocking};

constexpr Cell Captured = {Cell::Captured, 0};
constexpr Cell Escapes = {Cell::Escapes, 0};
constexpr Cell Succeeds = {Cell::Succeeds, 0};
Cell error(int Code) { return {Cell::Error, Code}; }

const Entry &entry(const char *Name) {
  static const Entry None;
  const Entry *E = Catalogue::builtin().lookup(Name);
  EXPECT_NE(E, nullptr) << Name;
  return E ? *E : None;
}

/// The message of add() for \p Text, which must not be accepted.
std::string rejection(const std::string &Text, bool RequireReason = false) {
  Catalogue C;
  std::string Message = C.add(Text, "f.json", RequireReason);
  EXPECT_NE(Message, "");
  EXPECT_TRUE(C.entries().empty()) << "on error nothing is added";
  return Message;
}

/// A file with one entry, whose members besides name and evidence are \p Rest.
std::string fileWith(const std::string &Rest) {
  return R"({"library": "l", "entries": [{"name": "f", )" + Rest +
         R"(, "evidence": [{"kind": "standard", "source": "s"}]}]})";
}

/// A file with one entry, whose outcome has only the row \p Row.
std::string fileWithRow(const std::string &Row) {
  return fileWith(R"("effect": "launch", "outcome": {"rows": [)" + Row + "]}");
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

TEST(CanonicalName, StripsVersionAndStreamSuffixes) {
  EXPECT_EQ(canonicalName("cuMemcpyHtoDAsync_v2_ptsz"), "cuMemcpyHtoDAsync");
  EXPECT_EQ(canonicalName("cuMemAlloc_v2"), "cuMemAlloc");
  EXPECT_EQ(canonicalName("cuCtxCreate_v4"), "cuCtxCreate");
  EXPECT_EQ(canonicalName("cudaStreamGetCaptureInfo_v3"),
            "cudaStreamGetCaptureInfo");
  EXPECT_EQ(canonicalName("cudaMemcpy_ptds"), "cudaMemcpy");
  EXPECT_EQ(canonicalName("cudaLaunchKernel_ptsz"), "cudaLaunchKernel");
}

TEST(CanonicalName, StripsCublasSuffixes) {
  EXPECT_EQ(canonicalName("cublasSetStream_v2"), "cublasSetStream");
  EXPECT_EQ(canonicalName("cublasSaxpy_v2_64"), "cublasSaxpy");
  EXPECT_EQ(canonicalName("cublasGemmEx_64"), "cublasGemmEx");
}

TEST(CanonicalName, LeavesOtherNamesAlone) {
  for (const char *Name :
       {"cudaMalloc", "cuMemcpy", "my_function_v2", "cudart_helper_v2",
        "cu_copy_v2", "cudnnRNNBackwardData_v8", "cuda::launch_v2", "cuda",
        "cu", "_v2", "", "cudaMalloc_v", "cudaMalloc_v22", "cudaMalloc_v1",
        "cudaCopy_64", "at::Tensor::item"})
    EXPECT_EQ(canonicalName(Name), Name);
}

TEST(CanonicalName, KnowsThePerThreadSuffix) {
  EXPECT_TRUE(hasPerThreadSuffix("cudaMemcpy_ptds"));
  EXPECT_TRUE(hasPerThreadSuffix("cudaMemcpyAsync_ptsz"));
  EXPECT_TRUE(hasPerThreadSuffix("cuMemcpyHtoDAsync_v2_ptsz"));
  EXPECT_FALSE(hasPerThreadSuffix("cuMemcpyHtoDAsync_v2"));
  EXPECT_FALSE(hasPerThreadSuffix("cudaMemcpy"));
  EXPECT_FALSE(hasPerThreadSuffix("my_ptsz"));
}

TEST(Errors, HaveNamesAndMeanings) {
  EXPECT_EQ(errorName(900), "cudaErrorStreamCaptureUnsupported");
  EXPECT_EQ(errorName(906), "cudaErrorStreamCaptureImplicit");
  EXPECT_EQ(errorName(907), "cudaErrorCapturedEvent");
  EXPECT_EQ(errorName(908), "cudaErrorStreamCaptureWrongThread");
  for (int Code = 900; Code <= 908; ++Code) {
    EXPECT_FALSE(errorName(Code).empty()) << Code;
    EXPECT_FALSE(errorMeaning(Code).empty()) << Code;
  }
  // Other codes that CUDA returns if a capture is used incorrectly.
  EXPECT_EQ(errorName(1), "cudaErrorInvalidValue");
  EXPECT_EQ(errorName(400), "cudaErrorInvalidResourceHandle");
  EXPECT_EQ(errorName(401), "cudaErrorIllegalState");
  EXPECT_EQ(errorName(801), "cudaErrorNotSupported");
  for (int Code : {-1, 0, 2, 399, 402, 899, 909})
    EXPECT_EQ(errorName(Code), "") << Code;
  for (int Code : {-1, 0, 1, 401, 899, 909})
    EXPECT_EQ(errorMeaning(Code), "") << Code;
}

TEST(Effects, SpellingsAreUniqueAndParse) {
  std::set<std::string_view> Seen;
#define EFFECT(NAME, SPELLING, FLAGS, SUMMARY)                                 \
  EXPECT_EQ(spelling(Effect::NAME), SPELLING);                                 \
  EXPECT_EQ(summary(Effect::NAME), SUMMARY);                                   \
  EXPECT_EQ(parseEffect(SPELLING), Effect::NAME);                              \
  EXPECT_TRUE(Seen.insert(SPELLING).second) << SPELLING;
#include "../../checks/catalogue/Effects.def"
  EXPECT_EQ(parseEffect("no-such-effect"), std::nullopt);
  EXPECT_EQ(parseEffect(""), std::nullopt);
}

TEST(Effects, FlagsFitTogether) {
  for (const Entry *Each : Catalogue::builtin().entries()) {
    Effect E = Each->Does;
    EXPECT_TRUE(!becomesNode(E) || isForGraph(E)) << spelling(E);
    EXPECT_TRUE(!isTransfer(E) || (isDeviceWork(E) && isSized(E)))
        << spelling(E);
    EXPECT_FALSE(isHostEffect(E) && (becomesNode(E) || isDeviceWork(E)))
        << spelling(E);
  }
  EXPECT_TRUE(becomesNode(Effect::AllocAsync));
  EXPECT_TRUE(managesDeviceMemory(Effect::AllocAsync));
  EXPECT_FALSE(isDeviceWork(Effect::AllocAsync));
  EXPECT_FALSE(becomesNode(Effect::GraphLaunch));
  EXPECT_TRUE(isForGraph(Effect::GraphLaunch));
  EXPECT_TRUE(boundsCapture(Effect::CaptureEnd));
  EXPECT_FALSE(boundsCapture(Effect::ModeExchange));
  EXPECT_TRUE(freesMemory(Effect::FreeHost));
  EXPECT_TRUE(isHostEffect(Effect::RandomState));
}

//===----------------------------------------------------------------------===//
// The embedded data
//===----------------------------------------------------------------------===//

TEST(Builtin, IsSortedAndUnique) {
  std::vector<const Entry *> Entries = Catalogue::builtin().entries();
  ASSERT_GT(Entries.size(), 1000U);
  for (size_t I = 1; I != Entries.size(); ++I)
    EXPECT_LT(Entries[I - 1]->Name, Entries[I]->Name);
}

TEST(Builtin, EveryEntryIsFoundByItsName) {
  for (const Entry *E : Catalogue::builtin().entries()) {
    EXPECT_EQ(Catalogue::builtin().lookup(E->Name), E);
    EXPECT_EQ(canonicalName(E->Name), E->Name);
  }
}

TEST(Builtin, EveryEntryHasEvidence) {
  for (const Entry *E : Catalogue::builtin().entries()) {
    ASSERT_FALSE(E->Sources.empty()) << E->Name;
    for (const Evidence &S : E->Sources) {
      EXPECT_FALSE(S.Source.empty()) << E->Name;
      EXPECT_NE(S.Kind, "user") << E->Name;
    }
  }
}

TEST(Names, OfFunctionsOfLibtorchLeadToTheOperator) {
  EXPECT_EQ(operatorName("at::nonzero"), "aten::nonzero");
  EXPECT_EQ(operatorName("at::nonzero_out"), "aten::nonzero");
  EXPECT_EQ(operatorName("at::Tensor::add_"), "aten::add_");
  EXPECT_EQ(operatorName("at::symint::view"), "aten::view");
  EXPECT_EQ(operatorName("torch::linalg::svd"), "aten::linalg_svd");
  EXPECT_EQ(operatorName("torch::stable::Tensor::sum"), "aten::sum");
  EXPECT_EQ(operatorName("at::cuda::getCurrentCUDAStream"), "");
  EXPECT_EQ(operatorName("std::nonzero"), "");
}

TEST(Builtin, EveryPositionIsInRange) {
  for (const Entry *E : Catalogue::builtin().entries())
    for (const auto &[Role, Position] : E->Args) {
      EXPECT_GE(Position, Entry::ImplicitObject) << E->Name << ' ' << Role;
      EXPECT_LT(Position, 32) << E->Name << ' ' << Role;
    }
}

TEST(Builtin, EveryEntrySaysWhatTheCallDoes) {
  for (const Entry *E : Catalogue::builtin().entries()) {
    ASSERT_FALSE(E->Action.empty()) << E->Name;
    EXPECT_NE(E->Action.back(), '.') << E->Name;
    EXPECT_TRUE(E->Advice.empty() || E->Advice.back() != '.') << E->Name;
  }
}

TEST(Builtin, NeutralEntriesHaveNoOutcome) {
  for (const Entry *E : Catalogue::builtin().entries())
    EXPECT_TRUE(E->Does != Effect::Neutral || E->Outcomes.empty()) << E->Name;
}

TEST(Builtin, CanBeAskedByManyThreads) {
  std::vector<std::thread> Threads;
  std::vector<const Entry *> Found(8);
  for (const Entry *&F : Found)
    Threads.emplace_back(
        [&F] { F = Catalogue::builtin().lookup("cudaMallocPitch"); });
  for (std::thread &T : Threads)
    T.join();
  for (const Entry *F : Found)
    EXPECT_EQ(F, Found.front());
  ASSERT_NE(Found.front(), nullptr);
}

TEST(Builtin, UnknownNamesHaveNoEntry) {
  for (const char *Name : {"", "no_such_function", "cudaNoSuchFunction", "zzz"})
    EXPECT_EQ(Catalogue::builtin().lookup(Name), nullptr) << Name;
}

TEST(Builtin, FindsSuffixedNames) {
  EXPECT_EQ(entry("cuMemAlloc_v2").Name, "cuMemAlloc");
  EXPECT_EQ(entry("cudaMemcpyAsync_ptsz").Name, "cudaMemcpyAsync");
}

TEST(Builtin, KnowsTheRoles) {
  EXPECT_EQ(entry("cudaStreamBeginCapture").arg("stream"), 0);
  EXPECT_EQ(entry("cudaStreamBeginCapture").arg("mode"), 1);
  EXPECT_EQ(entry("cudaStreamBeginCaptureToGraph").arg("mode"), 5);
  EXPECT_EQ(entry("cudaStreamEndCapture").arg("out"), 1);
  EXPECT_EQ(entry("cudaStreamIsCapturing").arg("status"), 1);
  EXPECT_EQ(entry("cudaMemcpyAsync").arg("kind"), 3);
  EXPECT_EQ(entry("cudaMemcpyAsync").arg("stream"), 4);
  EXPECT_EQ(entry("cudaLaunchKernel").arg("stream"), 5);
  EXPECT_EQ(entry("cuLaunchKernel").arg("stream"), 8);
  EXPECT_EQ(entry("cudaMalloc").arg("stream"), std::nullopt);
  EXPECT_EQ(entry("cuMemcpyDtoHAsync").Direction, "d2h");
  EXPECT_EQ(entry("at::cuda::CUDAGraph::capture_begin").arg("mode"), 1);
}

TEST(Builtin, FindsAnArgumentThatMoved) {
  const Entry &E = entry("cudaMemPrefetchAsync");
  EXPECT_EQ(E.arg("stream"), 4);
  EXPECT_EQ(E.arg("stream", 5), 4);
  EXPECT_EQ(E.arg("stream", 4), 3) << "before CUDA 13";
}

TEST(Entries, HaveNoArgumentBeyondTheCall) {
  const Entry &E = entry("c10::cuda::CUDAEvent::record");
  EXPECT_EQ(E.arg("stream", 1), 0);
  EXPECT_EQ(E.arg("stream", 0), std::nullopt);
  EXPECT_EQ(E.arg("event", 0), Entry::ImplicitObject);
}

//===----------------------------------------------------------------------===//
// Outcomes
//===----------------------------------------------------------------------===//

TEST(Outcome, OfSynchronisationFollowsTheStream) {
  const Entry &E = entry("cudaStreamSynchronize");
  for (StreamKind K : AllKinds) {
    for (Mode M : AllModes)
      EXPECT_EQ(E.outcome(StreamRelation::Origin, K, M), error(900));
    EXPECT_EQ(E.outcome(StreamRelation::Other, K, Mode::Global), error(900));
    EXPECT_EQ(E.outcome(StreamRelation::Other, K, Mode::ThreadLocal),
              error(900));
    EXPECT_EQ(E.outcome(StreamRelation::Other, K, Mode::Relaxed), Succeeds);
  }
}

TEST(Outcome, OfLegacyWorkFollowsTheCapturingStream) {
  for (const char *Name : {"cudaMemcpy", "cudaMemset"})
    for (Mode M : AllModes) {
      const Entry &E = entry(Name);
      EXPECT_EQ(E.outcome(StreamRelation::None, StreamKind::Blocking, M),
                error(906));
      EXPECT_EQ(E.outcome(StreamRelation::None, StreamKind::NonBlocking, M),
                Escapes);
    }
}

TEST(Outcome, OfALaunchFollowsBoth) {
  const Entry &E = entry("<<<>>>");
  for (Mode M : AllModes)
    for (StreamKind K : AllKinds) {
      EXPECT_EQ(E.outcome(StreamRelation::Origin, K, M), Captured);
      EXPECT_EQ(E.outcome(StreamRelation::Joined, K, M), Captured);
      EXPECT_EQ(E.outcome(StreamRelation::Other, K, M), Escapes);
    }
  EXPECT_EQ(
      E.outcome(StreamRelation::Legacy, StreamKind::Blocking, Mode::Global),
      error(906));
  EXPECT_EQ(
      E.outcome(StreamRelation::Legacy, StreamKind::NonBlocking, Mode::Global),
      Escapes);
}

TEST(Outcome, OfAnEventCallFollowsTheEvent) {
  const Entry &E = entry("cudaEventQuery");
  EXPECT_EQ(
      E.outcome(StreamRelation::Origin, StreamKind::Blocking, Mode::Relaxed),
      error(907));
  EXPECT_EQ(
      E.outcome(StreamRelation::Other, StreamKind::Blocking, Mode::Relaxed),
      Succeeds);
}

TEST(Outcome, IsUnknownWithoutARow) {
  const Entry &E = entry("cudaGetDevice");
  for (StreamRelation S : AllRelations)
    EXPECT_EQ(E.outcome(S, StreamKind::Blocking, Mode::Global), std::nullopt);
}

TEST(Outcome, IsDecidedByTheFirstMatchingRow) {
  Catalogue C;
  ASSERT_EQ(C.add(fileWithRow(R"({"stream": "origin", "modes": 900},
                                 {"capturing": "blocking",
                                  "modes": [1, 2, "succeeds"]},
                                 {"global": 3, "thread_local": "captured",
                                  "relaxed": "escapes"})"),
                  "f.json", false),
            "");
  const Entry *E = C.lookup("f");
  ASSERT_NE(E, nullptr);
  auto At = [E](StreamRelation S, StreamKind K, Mode M) {
    return E->outcome(S, K, M);
  };
  EXPECT_EQ(At(StreamRelation::Origin, StreamKind::Blocking, Mode::Relaxed),
            error(900));
  EXPECT_EQ(At(StreamRelation::None, StreamKind::Blocking, Mode::ThreadLocal),
            error(2));
  EXPECT_EQ(At(StreamRelation::None, StreamKind::Blocking, Mode::Relaxed),
            Succeeds);
  EXPECT_EQ(At(StreamRelation::Joined, StreamKind::NonBlocking, Mode::Global),
            error(3));
  EXPECT_EQ(
      At(StreamRelation::Joined, StreamKind::NonBlocking, Mode::ThreadLocal),
      Captured);
  EXPECT_EQ(At(StreamRelation::Joined, StreamKind::NonBlocking, Mode::Relaxed),
            Escapes);
}

//===----------------------------------------------------------------------===//
// Users' files
//===----------------------------------------------------------------------===//

TEST(UserEntries, WinOverTheEmbeddedOnes) {
  Catalogue C = Catalogue::builtin();
  size_t Before = C.entries().size();
  ASSERT_EQ(C.add(R"({"library": "mine", "entries": [
              {"name": "cudaMalloc", "effect": "neutral",
               "reason": "intercepted by our allocator"},
              {"name": "mine::wait", "effect": "sync-stream",
               "args": {"stream": 0, "handle": "this"}, "last": "stream",
               "outcome": "sync-stream", "reason": "waits"}]})",
                  "f.json", true),
            "");
  EXPECT_EQ(C.entries().size(), Before + 1);
  ASSERT_NE(C.lookup("cudaMalloc"), nullptr);
  EXPECT_EQ(C.lookup("cudaMalloc")->Does, Effect::Neutral);
  EXPECT_EQ(C.lookup("cudaMalloc")->Reason, "intercepted by our allocator");
  EXPECT_EQ(C.lookup("cudaMalloc")->Library, "mine");
  EXPECT_EQ(C.lookup("cudaMalloc")->Sources.front().Kind, "user");
  ASSERT_NE(C.lookup("mine::wait"), nullptr);
  EXPECT_EQ(C.lookup("mine::wait")->arg("handle"), Entry::ImplicitObject);
  EXPECT_EQ(C.lookup("mine::wait")
                ->outcome(StreamRelation::Origin, StreamKind::Blocking,
                          Mode::Relaxed),
            error(900));
  EXPECT_EQ(Catalogue::builtin().lookup("mine::wait"), nullptr);
  EXPECT_EQ(entry("cudaMalloc").Does, Effect::AllocDevice);
}

TEST(UserEntries, MayDefineProfiles) {
  Catalogue C;
  ASSERT_EQ(C.add(R"({"library": "l",
      "profiles": {"p": {"rows": [{"modes": 900}],
                         "evidence": [{"kind": "measured", "source": "m"}]}},
      "entries": [{"name": "f", "effect": "launch", "outcome": "p",
                   "evidence": [{"kind": "user", "source": "u"}]}]})",
                  "f.json", false),
            "");
  ASSERT_NE(C.lookup("f"), nullptr);
  ASSERT_EQ(C.lookup("f")->Sources.size(), 2U);
  EXPECT_EQ(C.lookup("f")->Sources[1].Source, "m");
}

TEST(UserEntries, MustGiveAReason) {
  EXPECT_EQ(rejection(fileWith(R"("effect": "launch")"), true),
            "f.json: /entries/0: the field 'reason' is missing; state why 'f' "
            "needs an entry");
}

TEST(UserEntries, AreAddedAllOrNone) {
  EXPECT_EQ(rejection(R"({"library": "l", "entries": [
              {"name": "good", "effect": "launch",
               "evidence": [{"kind": "user", "source": "u"}]},
              {"name": "bad"}]})"),
            "f.json: /entries/1: the field 'effect' is missing; each entry "
            "needs a name and an effect");
}

//===----------------------------------------------------------------------===//
// Names with roles, and traits
//===----------------------------------------------------------------------===//

/// A file with one group of names, whose members besides the reason are \p
/// Rest.
std::string fileWithGroup(const std::string &Rest) {
  return R"({"library": "l", "names": [{"reason": "r", )" + Rest + "}]}";
}

TEST(Patterns, StarsStandForCharacters) {
  EXPECT_TRUE(matches("ab", "ab"));
  EXPECT_FALSE(matches("ab", "abc"));
  EXPECT_TRUE(matches("a*c", "abbc"));
  EXPECT_TRUE(matches("a*", "a"));
  EXPECT_FALSE(matches("a*", "a::b")) << "one star stops at colons";
  EXPECT_TRUE(matches("a**", "a::b"));
  EXPECT_TRUE(matches("**::b", "a::c::b"));
  EXPECT_TRUE(matches("**::b", "b")) << "any namespace, or none";
  EXPECT_FALSE(matches("**::b", "ab"));
  EXPECT_TRUE(matches("a::**::b", "a::c::b"));
  EXPECT_FALSE(matches("a::**::b", "a::b"));
  std::string_view Part;
  EXPECT_TRUE(matches("init_*", "init_module", &Part));
  EXPECT_EQ(Part, "module");
}

TEST(NamesWithRoles, AreEmbedded) {
  const Catalogue &C = Catalogue::builtin();
  EXPECT_TRUE(
      C.roles(NameKind::Type, "rmm::device_buffer").has(Role::DeviceOwner));
  EXPECT_FALSE(C.roles(NameKind::Type, "rmm::device_buffer").has(Role::View));
  EXPECT_TRUE(C.is(Role::StatusResult, "cublasStatus_t"));
  EXPECT_FALSE(C.is(Role::StatusResult, "cudaMemcpyKind"));
  EXPECT_TRUE(C.is(Role::CaptureGuard, "a::IsCapturing")) << "case is ignored";
  EXPECT_EQ(C.as(Role::VersionedFunction, "ncclBroadcast"),
            "NCCL_VERSION_CODE");
  EXPECT_EQ(C.part(Role::PythonModule, "pybind11_init_m"), "m");
  EXPECT_TRUE(C.isValue(Role::HostRepeats, 142));
  EXPECT_FALSE(C.isValue(Role::HostRepeats, 161));
  EXPECT_FALSE(C.isValue(Role::HostRepeats, std::nullopt));
  EXPECT_EQ(C.values(Role::CudaDevice), std::vector<int64_t>{1});
}

TEST(NamesWithRoles, MayDependOnTemplateArguments) {
  const Catalogue &C = Catalogue::builtin();
  auto As = [&](const char *Spelling) {
    return C.as(Role::Alias, "thrust::detail::vector_base", Spelling);
  };
  EXPECT_EQ(As("vector_base<int, thrust::device_allocator<int>>"),
            "thrust::device_vector");
  EXPECT_EQ(As("vector_base<int, std::allocator<int>>"), "thrust::host_vector");
  auto IsReference = [&](const char *Spelling) {
    return C
        .roles(NameKind::Type, "thrust::reference",
               [&] { return std::string(Spelling); })
        .has(Role::DeviceReference);
  };
  EXPECT_TRUE(IsReference("reference<int, thrust::device_ptr<int>>"));
  EXPECT_FALSE(IsReference("reference<int, int *>"));
}

TEST(NamesWithRoles, OfUsersAreAdded) {
  Catalogue C = Catalogue::builtin();
  EXPECT_EQ(C.namesHash(), 0U);
  EXPECT_EQ(
      C.add(fileWithGroup(R"("role": "device-owner", "names": ["e::*Buffer"])"),
            "f.json", true),
      "");
  EXPECT_NE(C.namesHash(), 0U);
  EXPECT_TRUE(C.is(Role::DeviceOwner, "e::SmallBuffer"));
  EXPECT_TRUE(C.is(Role::DeviceOwner, "rmm::device_buffer"));
  EXPECT_FALSE(Catalogue::builtin().is(Role::DeviceOwner, "e::SmallBuffer"));
  EXPECT_EQ(C.add(fileWithGroup(
                      R"("role": "host-repeats", "values": {"e::Twister": 7})"),
                  "f.json", true),
            "");
  EXPECT_TRUE(C.isValue(Role::HostRepeats, 7));
  EXPECT_TRUE(C.is(Role::DeviceOwner, "e::SmallBuffer")) << "as before";
}

TEST(NamesWithRoles, HaveSpellingsAndSummaries) {
  std::set<std::string_view> Seen;
  for (size_t I = 0; I != NumRoles; ++I) {
    EXPECT_TRUE(Seen.insert(spelling(static_cast<Role>(I))).second);
    EXPECT_FALSE(summary(static_cast<Role>(I)).empty());
    EXPECT_FALSE(Catalogue::builtin().names(static_cast<Role>(I)).empty() &&
                 static_cast<Role>(I) != Role::Container)
        << spelling(static_cast<Role>(I)) << " is nothing's";
  }
}

TEST(EntryTraits, OfAFileAreThoseOfItsEntries) {
  EXPECT_TRUE(entry("std::call_once").has(Trait::Host));
  EXPECT_TRUE(entry("std::call_once").has(Trait::Once));
  EXPECT_FALSE(entry("std::mutex::lock").has(Trait::Releases));
  EXPECT_FALSE(entry("cudaMalloc").has(Trait::Host));
  Catalogue C;
  EXPECT_EQ(C.add(R"({"library": "l", "traits": ["host"], "entries": [
                    {"name": "f", "effect": "neutral", "reason": "r",
                     "traits": ["warns"]}]})",
                  "f.json", true),
            "");
  EXPECT_TRUE(C.lookup("f")->has(Trait::Host));
  EXPECT_TRUE(C.lookup("f")->has(Trait::Warns));
}

TEST(UserErrors, Groups) {
  EXPECT_EQ(rejection(R"({"library": "l", "names": {}})"),
            "f.json: /names: this is an object; write an array of groups of "
            "names");
  EXPECT_EQ(
      rejection(fileWithGroup(R"("role": "device-onwer", "names": ["a"])")),
      "f.json: /names/0/role: unknown role 'device-onwer'; did you mean "
      "'device-owner'?");
  EXPECT_EQ(rejection(fileWithGroup(R"("names": ["a"])")),
            "f.json: /names/0: the field 'role' is missing; state the meaning "
            "of the names");
  EXPECT_EQ(rejection(fileWithGroup(R"("role": "view")")),
            "f.json: /names/0: the field 'names' is missing; list the names "
            "with role 'view'");
  EXPECT_EQ(rejection(fileWithGroup(R"("role": "host-device")")),
            "f.json: /names/0: the field 'values' is missing; list the numbers "
            "of the names with role 'host-device'");
  EXPECT_EQ(
      rejection(fileWithGroup(R"("role": "view", "names": ["a"], "as": "b")")),
      "f.json: /names/0: role 'view' has no 'as'; remove it");
  EXPECT_EQ(rejection(fileWithGroup(R"("role": "alias", "names": ["a"])")),
            "f.json: /names/0: the field 'as' is missing; role 'alias' "
            "gives its names a different name");
  EXPECT_EQ(rejection(fileWithGroup(
                R"("role": "host-device", "values": {"a": "b"})")),
            "f.json: /names/0/values/a: this is the string 'b'; write the "
            "number of the enumerator");
  EXPECT_EQ(
      rejection(fileWithGroup(R"("role": "view", "names": ["a", "a"])")),
      "f.json: /names/0/names/1: 'a' appears here twice; keep one of the two");
  EXPECT_EQ(
      rejection(fileWithGroup(R"("role": "view", "names": ["*a*b*c*d"])")),
      "f.json: /names/0/names/0: '*a*b*c*d' has too many wildcards; use at "
      "most 3 "
      "stars");
  EXPECT_EQ(
      rejection(fileWithGroup(R"("role": "construction", "names": ["Init*"])")),
      "f.json: /names/0/names/0: case is ignored in names with role "
      "'construction'; write lowercase letters");
  EXPECT_EQ(rejection(R"({"library": "l", "names": [
                        {"role": "view", "names": ["a"]}]})",
                      true),
            "f.json: /names/0: the field 'reason' is missing; state why these "
            "names have role 'view'");
  EXPECT_EQ(rejection(R"({"library": "l", "names": [
                        {"role": "view", "names": ["a"]}]})"),
            "f.json: /names/0: the field 'evidence' is missing; state the "
            "source of the facts about these names");
  EXPECT_EQ(rejection(fileWith(R"("effect": "launch", "traits": ["one"])")),
            "f.json: /entries/0/traits/0: unknown trait 'one'; did you mean "
            "'once'?");
}

TEST(UserErrors, BrokenJsonHasLineAndColumn) {
  EXPECT_EQ(rejection("{\n  \"library\": }"),
            "f.json:2:14: syntax error while parsing value - unexpected '}'; "
            "expected '[', '{', or a literal");
  EXPECT_EQ(rejection(""),
            "f.json:1:1: syntax error while parsing value - unexpected end of "
            "input; expected '[', '{', or a literal");
  EXPECT_EQ(rejection("{}x").substr(0, 11), "f.json:1:3:");
  EXPECT_EQ(rejection("{\"library\": \"\xff\"}").substr(0, 12), "f.json:1:14:");
}

TEST(UserErrors, RepeatedFields) {
  EXPECT_EQ(rejection(R"({"library": "l", "entries": [{}, {"args": {"stream": 0,
                          "stream": 1}}]})"),
            "f.json: /entries/1/args: the field 'stream' appears twice; keep "
            "one of the two");
  EXPECT_EQ(rejection(R"({"library": "l", "library": "m"})"),
            "f.json: /: the field 'library' appears twice; keep one of the "
            "two");
}

TEST(UserErrors, TopLevel) {
  EXPECT_EQ(rejection("[]"),
            "f.json: /: this is an empty array; write an object");
  EXPECT_EQ(rejection("{}"), "f.json: /: the field 'library' is missing; name "
                             "the library to which the entries belong");
  EXPECT_EQ(rejection(R"({"library": "l", "entry": []})"),
            "f.json: /: unknown field 'entry'; use one of: $schema, entries, "
            "library, names, outcomes, profiles, since, traits");
  EXPECT_EQ(rejection(R"({"library": "l", "entriess": []})"),
            "f.json: /: unknown field 'entriess'; did you mean 'entries'?");
  EXPECT_EQ(rejection(R"({"library": 1})"),
            "f.json: /library: this is the number 1; write a string");
  EXPECT_EQ(rejection(R"({"library": "l", "entries": {}})"),
            "f.json: /entries: this is an object; write an array of entries");
  EXPECT_EQ(rejection(R"({"library": "l", "profiles": []})"),
            "f.json: /profiles: this is an empty array; write an object that "
            "maps names to profiles");
  EXPECT_EQ(rejection(R"({"library": "l", "since": {"value": 2}})"),
            "f.json: /since: the field 'text' is missing; specify the first "
            "version that supports captures: 'value' in the format of the "
            "library's header, and 'text' in words");
  EXPECT_EQ(
      rejection(R"({"library": "l", "since": {"value": 0, "text": "t"}})"),
      "f.json: /since/value: this is the number 0; write the number of a "
      "version");
}

TEST(UserErrors, Names) {
  auto File = [](const char *Name) {
    return std::string(R"({"library": "l", "entries": [{"name": )") + Name +
           R"(, "effect": "launch"}]})";
  };
  EXPECT_EQ(rejection(File("\"cuMemAlloc_v2\"")),
            "f.json: /entries/0/name: 'cuMemAlloc_v2' carries a version or "
            "stream suffix; write 'cuMemAlloc'");
  EXPECT_EQ(rejection(File("\"\"")), "f.json: /entries/0/name: the string is "
                                     "empty; fill it in or remove the field");
  EXPECT_EQ(rejection(File("null")),
            "f.json: /entries/0/name: this is null; write a string");
  EXPECT_EQ(rejection(File("\"a\\nb\"")),
            "f.json: /entries/0/name: the string contains a control character; "
            "write one line of text");
  EXPECT_EQ(rejection(R"({"library": "l", "entries": [{"effect": "launch"}]})"),
            "f.json: /entries/0: the field 'name' is missing; each entry needs "
            "a name and an effect");
}

TEST(UserErrors, DuplicateNames) {
  EXPECT_EQ(rejection(R"({"library": "l", "entries": [
              {"name": "f", "effect": "launch",
               "evidence": [{"kind": "user", "source": "u"}]},
              {"name": "f", "effect": "launch",
               "evidence": [{"kind": "user", "source": "u"}]}]})"),
            "f.json: /entries/1: 'f' already has an entry, /entries/0; keep "
            "one of the two");
}

TEST(UserErrors, Words) {
  EXPECT_EQ(rejection(fileWith(R"("effect": "sync-steam")")),
            "f.json: /entries/0/effect: unknown effect 'sync-steam'; did you "
            "mean 'sync-stream'?");
  EXPECT_EQ(rejection(fileWith(R"("effect": ["launch"])")),
            "f.json: /entries/0/effect: this is an array; write a string");
  EXPECT_EQ(rejection(fileWith(R"("effect": "launch", "efect": 1)")),
            "f.json: /entries/0: unknown field 'efect'; did you mean "
            "'effect'?");
  EXPECT_EQ(rejection(fileWith(R"("effect": "launch", "direction": "up")")),
            "f.json: /entries/0/direction: unknown direction 'up'; use one of: "
            "d2d, d2h, h2d");
  EXPECT_EQ(rejection(fileWith(R"("effect": "launch", "returns": "state")")),
            "f.json: /entries/0/returns: unknown result 'state'; did you mean "
            "'status'?");
  EXPECT_EQ(rejection(fileWith(R"("effect": "launch", "action": true)")),
            "f.json: /entries/0/action: this is a boolean; write a string");
  EXPECT_EQ(
      rejection(fileWith(R"("effect": "launch", "action": "runs [on stream")")),
      "f.json: /entries/0/action: '[' and ']' are not balanced; write them "
      "around the words that mention the stream or the event, as in \"copies "
      "memory [on stream]\"");
  EXPECT_EQ(
      rejection(fileWithGroup(
          R"("role": "host-repeats", "values": {"a": 1}, "action": "a [b]")")),
      "f.json: /names/0/action: '[b]' mentions neither a stream nor an event; "
      "write it without brackets");
}

TEST(UserErrors, Arguments) {
  auto File = [](const std::string &Args) {
    return fileWith(R"("effect": "launch", "args": )" + Args);
  };
  EXPECT_EQ(rejection(File("[]")),
            "f.json: /entries/0/args: this is an empty array; write an object "
            "that maps roles to positions");
  EXPECT_EQ(rejection(File(R"({"sream": 0})")),
            "f.json: /entries/0/args: unknown role 'sream'; did you mean "
            "'stream'?");
  for (const char *Bad : {"32", "-2", "1.5", "99999999999"})
    EXPECT_EQ(
        rejection(File(std::string(R"({"stream": )") + Bad + "}")),
        std::string("f.json: /entries/0/args/stream: this is the number ") +
            Bad + "; write a position from 0 to 31, or \"this\"");
  EXPECT_EQ(rejection(File(R"({"stream": "that"})")),
            "f.json: /entries/0/args/stream: this is the string 'that'; write "
            "a position from 0 to 31, or \"this\"");
  EXPECT_EQ(rejection(File(R"({"stream": 0}, "last": "event")")),
            "f.json: /entries/0/last: 'event' has no position in 'args'; name "
            "a role that 'args' lists");
}

TEST(UserErrors, Outcomes) {
  auto File = [](const std::string &Outcome) {
    return fileWith(R"("effect": "launch", "outcome": )" + Outcome);
  };
  EXPECT_EQ(rejection(File("900")),
            "f.json: /entries/0/outcome: this is the number 900; write the "
            "name of a profile or an object with 'rows' or 'like'");
  EXPECT_EQ(rejection(File(R"("stream-wrok")")),
            "f.json: /entries/0/outcome: unknown profile 'stream-wrok'; did "
            "you mean 'stream-work'?");
  EXPECT_EQ(rejection(File("{}")),
            "f.json: /entries/0/outcome: write at least one row in 'rows', or "
            "the name of an entry with the same outcomes in 'like'");
  EXPECT_EQ(rejection(File(R"({"rows": []})")),
            "f.json: /entries/0/outcome/rows: this is an empty array; write an "
            "array of at least one row");
  EXPECT_EQ(rejection(File(R"({"row": []})")),
            "f.json: /entries/0/outcome: unknown field 'row'; did you mean "
            "'rows'?");
}

TEST(UserErrors, Rows) {
  const std::string At = "f.json: /entries/0/outcome/rows/0";
  EXPECT_EQ(rejection(fileWithRow("1")),
            At + ": this is the number 1; write an object");
  EXPECT_EQ(rejection(fileWithRow(R"({"modes": 900, "stream": "origins"})")),
            At + "/stream: unknown stream 'origins'; did you mean 'origin'?");
  EXPECT_EQ(rejection(fileWithRow(R"({"modes": 900, "stream": []})")),
            At + "/stream: this is an empty array; write a stream or an array "
                 "of streams, or remove the field");
  EXPECT_EQ(rejection(fileWithRow(R"({"modes": 900, "stream": [1]})")),
            At + "/stream/0: this is the number 1; write a string");
  EXPECT_EQ(rejection(fileWithRow(R"({"modes": 900, "capturing": "bocking"})")),
            At + "/capturing: unknown kind of stream 'bocking'; did you mean "
                 "'blocking'?");
  EXPECT_EQ(rejection(fileWithRow("{}")),
            At + ": the field 'global' is missing; specify the result in each "
                 "mode, or 'modes' for all modes");
  EXPECT_EQ(rejection(fileWithRow(R"({"global": 900, "thread_local": 900})")),
            At + ": the field 'relaxed' is missing; specify the result in each "
                 "mode, or 'modes' for all modes");
  EXPECT_EQ(
      rejection(fileWithRow(R"({"modes": 900, "global": 900})")),
      At + ": both 'modes' and 'global' are specified; keep one of the two");
  EXPECT_EQ(rejection(fileWithRow(R"({"modes": [900, 900]})")),
            At + "/modes: there are 2 results; specify three: global, "
                 "thread-local, and relaxed");
}

TEST(UserErrors, Cells) {
  const std::string Remedy =
      "; write an error code from 1 to 9999, \"CODE active\" if the capture "
      "continues, \"captured\", \"escapes\", or \"succeeds\"";
  const std::string At = "f.json: /entries/0/outcome/rows/0/modes";
  EXPECT_EQ(rejection(fileWithRow(R"({"modes": 0})")),
            At + ": this is the number 0" + Remedy);
  EXPECT_EQ(rejection(fileWithRow(R"({"modes": "fails"})")),
            At + ": this is the string 'fails'" + Remedy);
  EXPECT_EQ(rejection(fileWithRow(R"({"modes": [900, 900, null]})")),
            At + "/2: this is null" + Remedy);
  EXPECT_EQ(rejection(fileWithRow(R"({"global": 900, "thread_local": 900,
                                     "relaxed": 10000})")),
            "f.json: /entries/0/outcome/rows/0/relaxed: this is the number "
            "10000" +
                Remedy);
}

TEST(UserErrors, EvidenceAndProfiles) {
  auto File = [](const std::string &Evidence) {
    return R"({"library": "l", "entries": [{"name": "f", "effect": "launch")" +
           Evidence + "}]}";
  };
  EXPECT_EQ(rejection(File("")),
            "f.json: /entries/0: the field 'evidence' is missing; state the "
            "source of the facts about 'f'");
  EXPECT_EQ(rejection(File(R"(, "evidence": [])")),
            "f.json: /entries/0/evidence: this is an empty array; write an "
            "array of at least one piece of evidence");
  EXPECT_EQ(rejection(File(R"(, "evidence": [{"kind": "measured"}])")),
            "f.json: /entries/0/evidence/0: the field 'source' is missing; "
            "evidence has a kind and a source");
  EXPECT_EQ(
      rejection(File(R"(, "evidence": [{"kind": "mesured", "source": "s"}])")),
      "f.json: /entries/0/evidence/0/kind: unknown evidence 'mesured'; did you "
      "mean 'measured'?");
  EXPECT_EQ(rejection(R"({"library": "l", "profiles": {"a/b": {}}})"),
            "f.json: /profiles/a~1b: the field 'rows' is missing; list at "
            "least one row");
  EXPECT_EQ(rejection(R"({"library": "l", "profiles": {"p": {"row": 1}}})"),
            "f.json: /profiles/p: unknown field 'row'; did you mean 'rows'?");
}

TEST(UserErrors, UnreadableFiles) {
  Catalogue C;
  EXPECT_EQ(C.addFile("/no/such/file.json"),
            "/no/such/file.json: cannot read the catalogue: No such file or "
            "directory; name a readable JSON file");
  EXPECT_EQ(C.addFile("/"), "/: cannot read the catalogue: Is a directory; "
                            "name a readable JSON file");
}

TEST(UserErrors, HostileInputIsRejectedBriefly) {
  EXPECT_LT(rejection(std::string(200000, '[')).size(), 200U);
  EXPECT_LT(
      rejection(fileWith(R"("effect": ")" + std::string(1 << 20, 'x') + '"'))
          .size(),
      2000U);
}

TEST(UserFiles, AreReadFromDisk) {
  std::string Path = testing::TempDir() + "/catalogue-test.json";
  std::FILE *Out = std::fopen(Path.c_str(), "w");
  ASSERT_NE(Out, nullptr);
  std::fputs(R"({"library": "l", "entries": [
      {"name": "f", "effect": "launch", "reason": "r"}]})",
             Out);
  std::fclose(Out);
  Catalogue C;
  EXPECT_EQ(C.addFile(Path), "");
  EXPECT_NE(C.lookup("f"), nullptr);
  std::remove(Path.c_str());
}

} // namespace
