//===- ModelTest.cpp - Each model separately ------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests the effect of one call on one state, subject by subject, without
// parsing or a walk: see ModelFixture.h.
//
//===----------------------------------------------------------------------===//

#include "ModelFixture.h"

using namespace cudagraph;
using catalogue::StreamKind;
using catalogue::StreamRelation;

namespace {

using unit::ModelTest;
using Captures = ModelTest;
using StreamsAndEvents = ModelTest;
using ThreadsBeside = ModelTest;
using Libraries = ModelTest;
using HostEffects = ModelTest;
using RetainedByNodes = ModelTest;
using Lifetimes = ModelTest;
using Graphs = ModelTest;
using TensorsOfOperators = ModelTest;
using Outcomes = ModelTest;
using HostNodes = ModelTest;

//===----------------------------------------------------------------------===//
// Captures
//===----------------------------------------------------------------------===//

TEST_F(Captures, BeginAndEndOnTheirStream) {
  ValueId A = stream(1);
  CaptureId C = begin(A);
  EXPECT_EQ(W.Result.Captures[C].Origin, A);
  EXPECT_EQ(W.Result.Captures[C].Mode, catalogue::Mode::Global);
  LocId Graph = variable(3);
  call("cudaStreamEndCapture", {A, addressOf(Graph)});
  EXPECT_TRUE(S.Active.empty());
  EXPECT_EQ(D[held(Graph)].Kind, ValueKind::Graph);
  EXPECT_EQ(D[held(Graph)].A, C);
}

TEST_F(Captures, DoNotEndOnAnotherStream) {
  begin(stream(1));
  call("cudaStreamEndCapture", {stream(2), addressOf(variable(3))});
  EXPECT_EQ(S.Active.size(), 1u);
}

TEST_F(Captures, AreRefusedOnTheLegacyStream) {
  call("cudaStreamBeginCapture", {D.integer(0), D.integer(0)});
  EXPECT_TRUE(S.Active.empty());
  ASSERT_EQ(W.Result.Captures.size(), 1u);
  EXPECT_TRUE(W.Result.Captures[0].Refused);
  EXPECT_EQ(facts(FactKind::ApiCall).size(), 1u);
}

TEST_F(Captures, GoWithTheirStream) {
  ValueId A = stream(1);
  begin(A);
  call("cudaStreamDestroy", {A});
  EXPECT_TRUE(S.Active.empty());
}

TEST_F(Captures, AnswerWhetherAStreamCaptures) {
  LocId Status = variable(3);
  ValueId A = stream(1);
  call("cudaStreamIsCapturing", {A, addressOf(Status)});
  EXPECT_EQ(D.asInt(held(Status)), 0);
  begin(A);
  call("cudaStreamIsCapturing", {A, addressOf(Status)});
  EXPECT_EQ(D.asInt(held(Status)), 1);
  call("cudaStreamIsCapturing", {stream(2), addressOf(Status)});
  EXPECT_EQ(D.asInt(held(Status)), 0);
}

TEST_F(Captures, ExchangeTheModeOfTheThread) {
  LocId Mode = variable(3);
  S.Mem.set(Mode, D.integer(2));
  call("cudaThreadExchangeStreamCaptureMode", {addressOf(Mode)});
  EXPECT_EQ(S.ThreadMode, 2);
  EXPECT_EQ(D.asInt(held(Mode)), 0);
}

//===----------------------------------------------------------------------===//
// Streams and events
//===----------------------------------------------------------------------===//

TEST_F(StreamsAndEvents, AreMadeWithTheirKind) {
  LocId A = variable(3), B = variable(4);
  call("cudaStreamCreate", {addressOf(A)});
  call("cudaStreamCreateWithFlags", {addressOf(B), D.integer(1)});
  EXPECT_EQ(Models.Use.Streams.kindOf(S, held(A)), StreamKind::Blocking);
  EXPECT_EQ(Models.Use.Streams.kindOf(S, held(B)), StreamKind::NonBlocking);
  EXPECT_NE(held(A), held(B));
}

TEST_F(StreamsAndEvents, ForkAndJoin) {
  ValueId A = stream(1), B = stream(2);
  LocId Event = variable(3);
  call("cudaEventCreate", {addressOf(Event)});
  CaptureId C = begin(A);
  EXPECT_FALSE(Models.Use.Streams.memberOf(S, B, false));
  call("cudaEventRecord", {held(Event), A});
  call("cudaStreamWaitEvent", {B, held(Event), D.integer(0)});
  std::optional<Member> In = Models.Use.Streams.memberOf(S, B, false);
  ASSERT_TRUE(In);
  EXPECT_EQ(In->Capture, C);
  EXPECT_FALSE(In->Maybe);
  // The capture must wait for work on B.
  call("cudaMemsetAsync", {D.opaque(9), D.integer(0), D.integer(4), B});
  call("cudaStreamEndCapture", {A, addressOf(variable(4))});
  EXPECT_EQ(facts(FactKind::Unjoined).size(), 1u);
}

TEST_F(StreamsAndEvents, LeaveNothingBehindWhenJoined) {
  ValueId A = stream(1), B = stream(2);
  LocId Event = variable(3);
  call("cudaEventCreate", {addressOf(Event)});
  begin(A);
  call("cudaEventRecord", {held(Event), A});
  call("cudaStreamWaitEvent", {B, held(Event), D.integer(0)});
  call("cudaMemsetAsync", {D.opaque(9), D.integer(0), D.integer(4), B});
  call("cudaEventRecord", {held(Event), B});
  call("cudaStreamWaitEvent", {A, held(Event), D.integer(0)});
  call("cudaStreamEndCapture", {A, addressOf(variable(4))});
  EXPECT_TRUE(facts(FactKind::Unjoined).empty());
}

TEST_F(StreamsAndEvents, OfAWaitForAnEventThatNobodyRecorded) {
  ValueId A = stream(1);
  LocId Event = variable(3);
  call("cudaEventCreate", {addressOf(Event)});
  begin(A);
  call("cudaStreamWaitEvent", {A, held(Event), D.integer(0)});
  EXPECT_EQ(facts(FactKind::NoRecord).size(), 1u);
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

TEST_F(ThreadsBeside, AreWalkedAsAnotherThread) {
  ValueId Body = D.value(ValueKind::Function, F.Function);
  LocId Thread = variable(3);
  begin(stream(1));
  call("std::thread::thread", {Body}, addressOf(Thread));
  EXPECT_EQ(Invoked, std::vector<ValueId>{Body});
  EXPECT_TRUE(S.Threads.contains(addressOf(Thread)));
  call("std::thread::join", {}, addressOf(Thread));
  EXPECT_TRUE(S.Threads.empty());
}

TEST_F(ThreadsBeside, ThatRunAreMetByABegin) {
  ValueId Body = D.value(ValueKind::Function, F.Function);
  call("std::thread::thread", {Body}, addressOf(variable(3)));
  EXPECT_TRUE(Invoked.empty());
  begin(stream(1));
  EXPECT_EQ(Invoked, std::vector<ValueId>{Body});
}

//===----------------------------------------------------------------------===//
// Libraries
//===----------------------------------------------------------------------===//

TEST_F(Libraries, WorkOnTheStreamOfTheirHandle) {
  LocId Handle = variable(3);
  ValueId A = stream(1);
  call("cublasCreate", {addressOf(Handle)});
  LocId Of = D.slotOf(Slot::LibraryStream, D.pointee(held(Handle)));
  EXPECT_EQ(D.asInt(held(Of)), 0);
  call("cublasSetStream", {held(Handle), A});
  EXPECT_EQ(held(Of), A);
}

TEST_F(Libraries, RememberWhereScalarsAre) {
  LocId Handle = variable(3);
  call("cublasCreate", {addressOf(Handle)});
  call("cublasSetPointerMode", {held(Handle), D.integer(1)});
  EXPECT_EQ(D.asInt(held(D.slotOf(Slot::PointerMode, D.pointee(held(Handle))))),
            1);
}

//===----------------------------------------------------------------------===//
// The host
//===----------------------------------------------------------------------===//

TEST_F(HostEffects, MatterWhileAStreamCaptures) {
  call("printf", {D.opaque(1)});
  EXPECT_TRUE(facts(FactKind::ApiCall).empty());
  begin(stream(1));
  call("printf", {D.opaque(1)});
  EXPECT_EQ(facts(FactKind::ApiCall).size(), 1u);
}

TEST_F(HostEffects, DoNotMatterBehindAFailure) {
  begin(stream(1));
  S.Failing = true;
  call("printf", {D.opaque(1)});
  EXPECT_TRUE(facts(FactKind::ApiCall).empty());
}

TEST_F(HostEffects, OfStateThatOutlivesTheRegion) {
  begin(stream(1));
  Op O;
  O.Kind = OpKind::Modify;
  O.Range.Begin = 99;
  LocId Global = D.loc(LocKind::Global, 0, None, None, "counter");
  Models.Host.noteWrite(F, O, S, variable(5), D.opaque(2)); // a local variable
  EXPECT_TRUE(facts(FactKind::HostWrite).empty());
  Models.Host.noteWrite(F, O, S, Global, D.opaque(2));
  ASSERT_EQ(facts(FactKind::HostWrite).size(), 1u);
  EXPECT_EQ(facts(FactKind::HostWrite)[0]->subject(), "counter");
}

//===----------------------------------------------------------------------===//
// Nodes and lifetimes
//===----------------------------------------------------------------------===//

TEST_F(RetainedByNodes, AreTheEndsOfACopy) {
  ValueId A = stream(1);
  begin(A);
  LocId Host = variable(5);
  call("cudaMemcpyAsync",
       {D.opaque(1), addressOf(Host), D.integer(16), D.integer(1), A});
  ASSERT_FALSE(Models.Nodes.Arguments.empty());
  EXPECT_TRUE(Models.Nodes.In.contains(Host));
  bool Source = llvm::any_of(Models.Nodes.Arguments, [&](const Retained &K) {
    return K.Use.As == RetainedAs::Source && K.Root == Host &&
           K.Use.Bytes == 16;
  });
  EXPECT_TRUE(Source);
}

TEST_F(RetainedByNodes, AreNotThoseOfWorkOutside) {
  begin(stream(1));
  call("cudaMemcpyAsync", {D.opaque(1), addressOf(variable(5)), D.integer(16),
                           D.integer(1), stream(2)});
  EXPECT_TRUE(Models.Nodes.Arguments.empty());
}

TEST_F(Lifetimes, ThatEndBeforeTheGraph) {
  ValueId A = stream(1), Memory = D.value(ValueKind::Memory, 50);
  begin(A);
  call("cudaMemsetAsync", {Memory, D.integer(0), D.integer(4), A});
  LocId Graph = variable(3), Exec = variable(4);
  call("cudaStreamEndCapture", {A, addressOf(Graph)});
  call("cudaGraphInstantiate", {addressOf(Exec), held(Graph), D.integer(0)});
  EXPECT_EQ(D[held(Exec)].Kind, ValueKind::Exec);
  call("cudaFree", {Memory});
  EXPECT_TRUE(facts(FactKind::Dangles).empty());
  call("cudaGraphLaunch", {held(Exec), A});
  ASSERT_EQ(facts(FactKind::Dangles).size(), 1u);
  EXPECT_EQ(facts(FactKind::Dangles)[0]->Weakest, Evidence::EveryPath);
}

TEST_F(Lifetimes, ReadBackFromTheDevice) {
  LocId Count = variable(5);
  call("cudaMemcpy",
       {addressOf(Count), D.opaque(1), D.integer(4), D.integer(2)});
  EXPECT_EQ(D[held(Count)].Kind, ValueKind::DeviceRead);
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

TEST_F(Graphs, KeepWhatChangesBeforeTheirLaunch) {
  ValueId A = stream(1);
  LocId Size = variable(5), Graph = variable(3), Exec = variable(4);
  S.Mem.set(Size, D.opaque(70));
  begin(A);
  Op O;
  O.Kind = OpKind::Call;
  O.Range.Begin = 77;
  Retained K;
  K.At = Models.Use.Facts.at(F, O, S, S.Active.back());
  K.Capture = S.Active.back();
  K.Place = Size;
  Retained::Input &From = K.Inputs.emplace_back();
  From.Place = Size;
  Models.Nodes.InputRoots.insert(Size);
  Models.Nodes.Arguments.push_back(K);
  call("cudaStreamEndCapture", {A, addressOf(Graph)});
  call("cudaGraphInstantiate", {addressOf(Exec), held(Graph), D.integer(0)});
  call("cudaGraphLaunch", {held(Exec), A});
  // A value that the analysis has lost is not a different value.
  S.Mem.set(Size, D.opaque(71));
  call("cudaGraphLaunch", {held(Exec), A});
  Models.Changes.conclude();
  EXPECT_TRUE(facts(FactKind::VaryingUse).empty());
  Models.Changes.written(F, O, S, Size, D.opaque(71), D.opaque(72));
  S.Mem.set(Size, D.opaque(72));
  call("cudaGraphLaunch", {held(Exec), A});
  Models.Changes.conclude();
  ASSERT_EQ(facts(FactKind::VaryingUse).size(), 1u);
  EXPECT_EQ(facts(FactKind::VaryingUse)[0]->as<FactKind::VaryingUse>()->Why,
            Variation::Changed);
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

TEST_F(TensorsOfOperators, AreWhereConditionsSay) {
  ValueId T = D.opaque(5);
  EXPECT_EQ(Models.Use.Tensors.of(S, T), 0u);
  assume(D, S, D.value(ValueKind::Op, 0, T, None, "is on device"), true);
  EXPECT_EQ(Models.Use.Tensors.of(S, T), traits::OnDevice);
}

TEST_F(TensorsOfOperators, WaitOnTheDeviceOnly) {
  begin(stream(1));
  ValueId T = D.opaque(5);
  State Host = S;
  assume(D, S, D.value(ValueKind::Op, 0, T, None, "is on device"), true);
  Call C = make("aten::item", {}, T);
  Models.applyOperator(C, S, {});
  EXPECT_EQ(facts(FactKind::ApiCall).size(), 1u);
  assume(D, Host, D.value(ValueKind::Op, 0, T, None, "is on device"), false);
  Call OfHost = make("aten::item", {}, T);
  Models.applyOperator(OfHost, Host, {});
  EXPECT_EQ(facts(FactKind::ApiCall).size(), 1u);
}

//===----------------------------------------------------------------------===//
// Outcomes
//===----------------------------------------------------------------------===//

TEST_F(Outcomes, OfAWaitBreakTheCapture) {
  CaptureId C = begin(stream(1));
  call("cudaStreamSynchronize", {stream(1)});
  ASSERT_EQ(facts(FactKind::ApiCall).size(), 1u);
  const Fact &Refused = *facts(FactKind::ApiCall)[0];
  EXPECT_EQ(Refused.sure(), Confidence::Certain);
  ASSERT_EQ(Refused.situations().size(), 1u);
  EXPECT_EQ(Refused.situations()[0].Relation, StreamRelation::Origin);
  EXPECT_TRUE(S.Broken.contains(C));
}

TEST_F(Outcomes, OfAStreamThatMayBeAnother) {
  begin(stream(1));
  ValueId Either = D.value(ValueKind::Phi, 1, variable(6));
  D.addCandidate(Either, stream(1));
  D.addCandidate(Either, stream(2));
  call("cudaMemsetAsync", {D.opaque(9), D.integer(0), D.integer(4), Either});
  ASSERT_EQ(facts(FactKind::ApiCall).size(), 1u);
  EXPECT_LT(facts(FactKind::ApiCall)[0]->sure(), Confidence::Certain);
}

TEST_F(Outcomes, OfWorkInTheCaptureAreNone) {
  begin(stream(1));
  call("cudaMemsetAsync", {D.opaque(9), D.integer(0), D.integer(4), stream(1)});
  EXPECT_TRUE(facts(FactKind::ApiCall).empty());
}

//===----------------------------------------------------------------------===//
// Host nodes
//===----------------------------------------------------------------------===//

TEST_F(HostNodes, AreWalkedAsTheGraphRunsThem) {
  ValueId A = stream(1), Body = D.value(ValueKind::Function, F.Function);
  begin(A);
  call("cudaLaunchHostFunc", {A, Body, D.opaque(3)});
  EXPECT_EQ(Invoked, std::vector<ValueId>{Body});
}

TEST_F(HostNodes, MustNotCallCUDA) {
  begin(stream(1));
  S.InCallback = true;
  call("cudaStreamSynchronize", {stream(1)});
  EXPECT_EQ(facts(FactKind::CallbackCalls).size(), 1u);
}

TEST_F(HostNodes, MustNotFreeWhatTheNextReplayNeeds) {
  begin(stream(1));
  S.InCallback = true;
  S.CallbackData = D.opaque(3);
  call("free", {D.opaque(4)});
  EXPECT_TRUE(facts(FactKind::CallbackFrees).empty());
  call("free", {S.CallbackData});
  EXPECT_EQ(facts(FactKind::CallbackFrees).size(), 1u);
}

} // namespace
