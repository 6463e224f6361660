//===- FlowGraph.h - A function as a graph of operations --------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The analysis has two steps. Lowering turns each function body into a
// FlowGraph: a control-flow graph of assignments and calls over symbolic
// expressions. The interpreter walks these graphs and never uses the AST. A
// FlowGraph is a plain value, so one record of a function is used for calls
// from this translation unit and from others, and can come from a cache.
//
// Expressions mirror C++: a *place* denotes storage, and a *value* is stored in
// it or computed from it. `s` is a place, and Load(s) is its value;
// `this->stream_` is Field(Deref(This), "Engine::stream_").
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_IR_FLOWGRAPH_H
#define CUDAGRAPH_ANALYSIS_IR_FLOWGRAPH_H

#include "Location.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>
#include <vector>

namespace cudagraph {

using FunctionId = unsigned;
using ExprId = unsigned;
inline constexpr unsigned None = ~0u;

/// Bounds on one expression. Evaluation is recursive, and visits shared parts
/// once for each use. Larger expressions are Unknown.
inline constexpr unsigned MaxExprDepth = 1000, MaxExprSize = 1 << 16;

/// The suffix of the name of the variable that Op::OnceOf names.
inline constexpr llvm::StringLiteral OnceSuffix = "#once";

/// The prefix of the name of the global that stands for all callables of one
/// type. Values that are converted to the type are assigned to it; no code
/// reads it.
inline constexpr llvm::StringLiteral CallableTypePrefix = "callable ";

/// True for members that exist only in flow graphs, such as the captures of a
/// lambda: no C++ name contains a space.
inline bool isSynthetic(llvm::StringRef Member) { return Member.contains(' '); }

/// A source range. While a function is lowered, this is a token range, as raw
/// encodings of clang::SourceLocation. In a Program, Begin is the number of a
/// Site, or 0 if there is none, and End is not used.
struct Span {
  unsigned Begin = 0;
  unsigned End = 0;
};

enum class ExprKind : uint8_t {
  // Values.
  Unknown,  ///< not expressible; N makes it unique in the function
  Int,      ///< the integer, enumerator, or null pointer N
  Load,     ///< contents of place A
  AddrOf,   ///< address of place A
  This,     ///< the implicit object pointer
  Function, ///< function N (FunctionId)
  Closure,  ///< lambda with call operator N, whose captures are fields of A
  Result,   ///< result of the call with index N in this function
  Op,       ///< operator S applied to A and, if binary, B
  Select,   ///< A ? B : C
  // Places.
  Var,     ///< local variable or parameter N
  Global,  ///< variable S of static storage duration
  Deref,   ///< the target of value A
  Field,   ///< member S of place A
  Elem,    ///< element B of array or container place A
  PtrElem, ///< A[B] where A is a pointer value
  Temp,    ///< temporary created at site N; with S "heap": object of `new`
};

struct Expr {
  ExprKind Kind = ExprKind::Unknown;
  ExprId A = None, B = None, C = None;
  int64_t N = 0;
  std::string S;
};

/// True for the global that stands for all callables of one type.
inline bool isCallableType(const Expr &E) {
  return E.Kind == ExprKind::Global &&
         llvm::StringRef(E.S).starts_with(CallableTypePrefix);
}

enum class OpKind : uint8_t {
  Assign, ///< Place = Value
  Modify, ///< Place op= Value: reads and writes host state
  Call,
  Return,      ///< Value may be None
  MarkerBegin, ///< comment marker or scope annotation opens a region on Value
  MarkerEnd,
  EndLife,  ///< the variable, temporary, or member smart pointer Place ends
  Free,     ///< the object that Value points to is deleted
  Clear,    ///< the elements of container Place are removed
  Unparsed, ///< source at this point that Clang could not parse
};

/// How a call finds its callee.
enum class Dispatch : uint8_t {
  Direct,   ///< Callee
  Virtual,  ///< Callee or an override
  Indirect, ///< the callable CalleeValue
  Kernel,   ///< a launch of the kernel Callee, or of the value of CalleeValue
};

struct CallArg {
  ExprId Value = None; ///< the address, for arguments bound to references
  Span Range;          ///< empty for default arguments
  bool IsStream = false;
  bool Written = false; ///< the callee may write to the target of the argument
  bool Stored = false;  ///< the body of the kernel shows that it does
  /// Stored: no argument selects the elements that are written.
  bool Whole = false;
  /// Stored: only elements that the position of the thread does not select,
  /// such as the last one of an array.
  bool Edges = false;
  /// Thrust calls: where and how the algorithm runs, according to the type of
  /// the argument.
  enum : uint8_t { Policy = 1, NoSync = 2, OwnAllocator = 4, OnDevice = 8 };
  uint8_t Thrust = 0;
  /// The kind of a parameter passed by value; matters for kernels. Braces: an
  /// object created in place, whose tensors are in Op::Config.
  enum : uint8_t {
    Other,
    Scalar,
    Pointer,
    Class,
    Tensor,
    TensorOptions,
    Braces
  };
  uint8_t Sort = Other;
};

struct Op {
  OpKind Kind = OpKind::Assign;
  Dispatch How = Dispatch::Direct;
  bool Allowed = false;    ///< under CUDAGRAPH_ALLOW
  bool Once = false;       ///< in the initializer of a static local variable
  bool Implicit = false;   ///< an implicit destructor or conversion
  bool ConstValue = false; ///< Assign: a constant is stored
  bool IsLambda = false;   ///< Call: callee is a lambda's call operator
  /// Call: the result is not used. Clear: the memory of the elements is freed.
  bool Discarded = false;
  bool AnyGrid = false; ///< Kernel: processes all elements with any grid
  /// Call: 1 + the index in FlowGraph::Handlers of the enclosing try block; 0
  /// if there is none.
  unsigned Try = 0;
  uint8_t Marker = 0;  ///< MarkerBegin: 0 comment, 1 scope annotation
  ExprId Place = None; ///< Assign, Modify: target
  /// For Once: the place that has contents after the initializer has run, or
  /// None if there is nothing to run.
  ExprId OnceOf = None;
  /// Assign, Return, MarkerBegin: the value. Clear: the value of new elements,
  /// or None. Call: a pointer; the call happens only if it is not null.
  ExprId Value = None;
  // Calls.
  FunctionId Callee = None;
  /// Indirect calls, and kernels without Callee: the callable. Direct calls:
  /// the callable of the callee, if the calls to it are separate operations.
  ExprId CalleeValue = None;
  ExprId Object = None;      ///< place of the implicit object argument
  std::vector<CallArg> Args; ///< without the object
  /// <<<...>>> as written, without defaults. For other calls: the tensors
  /// inside braces, such as the indices of `x.index({mask, i})`.
  std::vector<CallArg> Config;
  /// Launch of a kernel: the pointers in its arguments of class type.
  std::vector<CallArg> Pointers;
  unsigned ResultIndex = None; ///< number of the call in this function
  Span Range;
  Span ObjectRange; ///< the object of a member call
  /// MarkerBegin: the stream as spelled in the comment. Calls through a value:
  /// the global to which functions of its type are assigned; see
  /// CallableTypePrefix.
  std::string Text;
  Span Name;       ///< the callee's name as spelled
  Span CloseParen; ///< `)` of the argument list

  /// Argument \p I, or nullptr if the call has fewer: a declaration may have
  /// parameters other than those of the catalogue entry.
  const CallArg *arg(int64_t I) const {
    return I >= 0 && static_cast<size_t>(I) < Args.size() ? &Args[I] : nullptr;
  }
  /// The location of argument \p I; empty if the call has fewer.
  Span argRange(int64_t I) const { return arg(I) ? arg(I)->Range : Span(); }
};

/// When an edge is taken.
enum class EdgeKind : uint8_t {
  False,   ///< the condition is false
  True,    ///< the condition is true
  Default, ///< regardless of the condition, if no Case is taken
  Case,    ///< the condition equals Edge::Case
};

struct Edge {
  unsigned To = None;
  EdgeKind When = EdgeKind::Default;
  int64_t Case = 0;
  /// Taken only after a CUDA or library call has failed.
  bool Failure = false;
};

struct Block {
  std::vector<Op> Ops;
  ExprId Cond = None;
  Span CondRange;
  Span Throw; ///< a `throw` without a handler in the function
  Span Jump;  ///< the `goto` that ends the block
  std::vector<Edge> Succs;
  /// Every path from here ends the process or throws.
  bool NeverReturns = false;
  /// Cond is one operand of a && or || that another block evaluates as a whole,
  /// or the choice that the last call of the block makes.
  bool Partial = false;
  /// The block is a conditional early exit that reports an error on stderr or
  /// returns a failure: the usual form of an error path.
  bool EarlyExit = false;
  /// The block leaves the function under a condition. It is an error path if it
  /// only prints.
  bool EarlyReturn = false;
};

struct LocalVar {
  std::string Name;
  bool IsStream = false;
  bool IsStatic = false;
  bool OwnsDevice = false;   ///< a library object that owns device memory
  bool ReadOnly = false;     ///< a pointer or reference to a constant class
  bool OwnsElements = false; ///< a container with elements on the heap
  bool SharesObject = false; ///< owns its target, shared with its copies
  bool IsNumber = false;     ///< a number, a truth value, or an enumerator
  /// For a constant with a constant initializer: where its declaration begins.
  Span Constant;
};

/// The operator of a floating constant. Its operand is the integer with the
/// bits of the value in double precision.
inline constexpr llvm::StringLiteral FloatOp = "float";

/// The spelling of an operation on a pointer and on the address of an owner
/// that contains it. Its result is the pointer if no other owner is known, else
/// null.
inline constexpr const char *LastOwnerOp = "last owner";

/// One function, lowered. Blocks[0] is the entry; Exit is the index of the
/// exit block.
struct FlowGraph {
  std::vector<Expr> Exprs;
  std::vector<Block> Blocks;
  unsigned Exit = 0;
  unsigned NumParams = 0;
  std::vector<LocalVar> Vars; ///< parameters first
  unsigned NumCalls = 0;
  Span TrailingEnd; ///< an end-capture comment without a statement after it
  /// For each try block, the functions that its handlers call. No path leads
  /// into a handler.
  std::vector<std::vector<FunctionId>> Handlers;
  std::vector<bool> LiveResults; ///< by call: used outside its own block
};

/// Returns the `goto` at the end of block \p B of \p G, or of a block to which
/// \p B leads without a branch; empty if there is none.
inline Span jumpFrom(const FlowGraph &G, unsigned B) {
  for (unsigned Guard = 0;
       Guard < 4 && !G.Blocks[B].Jump.Begin && G.Blocks[B].Succs.size() == 1;
       ++Guard)
    B = G.Blocks[B].Succs.front().To;
  return G.Blocks[B].Jump;
}

/// Returns the location of the branch from block \p B of \p G to \p To: the
/// `goto` there, or the condition.
inline Span branchAt(const FlowGraph &G, unsigned B, unsigned To) {
  Span Jump = jumpFrom(G, To);
  return Jump.Begin ? Jump : G.Blocks[B].CondRange;
}

/// Properties of a function other than its body.
struct FunctionInfo {
  std::string Name;      ///< qualified, without inline namespaces and arguments
  std::string Signature; ///< "helper(CUstream_st*)"
  std::string Class;     ///< enclosing class, qualified; empty if none
  std::string LastParam; ///< class of the last parameter, if it is a class
  Span Where;
  /// Hash of the location of its body; the same for all instances of one
  /// template. 0 without a body.
  uint64_t Written = 0;
  bool HasBody = false;
  bool IsSystem = false; ///< defined in a system header or a known library
  bool IsKernel = false; ///< __global__
  bool IsDevice = false; ///< __device__ only: no host code
  bool IsConstructor = false;
  bool IsDestructor = false;
  bool IsStatic = false; ///< internal linkage
  bool IsLambda = false;
  bool ReturnsHandle = false; ///< a pointer, an object, or a device address
  bool NoReturn = false;
  bool ReturnsFlag = false;   ///< bool or an enumeration
  bool CaptureRegion = false; ///< CUDAGRAPH_CAPTURE_REGION
  bool CaptureSafe = false;   ///< CUDAGRAPH_CAPTURE_SAFE
  bool Allowed = false;       ///< CUDAGRAPH_ALLOW on the declaration
  std::string UnsafeReason;   ///< CUDAGRAPH_CAPTURE_UNSAFE("why")
  bool Unsafe = false;
  bool RegionScope = false; ///< member of a class that opens a region scope
  bool IsConstexpr = false;
  bool PerThread = false; ///< in it, stream 0 is the per-thread stream
  /// A kernel that seeds its generators from arguments passed by value.
  bool SeedsGenerator = false;
  /// The version of the library, if its header defines one; else 0.
  unsigned HeaderVersion = 0;
  /// For a virtual method: the base classes of its class.
  std::vector<std::string> Bases;
  /// Methods that override this one, and other instances of a generic lambda.
  std::vector<FunctionId> Overrides;
};

/// The meaning of a Span in a Program.
struct Site {
  Location Loc;
  std::string Text;     ///< as written, on one line; not stored for statements
  bool InMacro = false; ///< must not be edited
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_IR_FLOWGRAPH_H
