// Registrations in tvm-ffi, XLA FFI, and torch's stable ABI after macro
// expansion, and autograd functions.
#include <cstdint>
#include <string>

namespace tvm::ffi {
struct TensorView {
  void *data_ptr() const;
};
struct AnyView;
struct Any;
namespace details {
template <typename R, typename F>
void unpack_call(const std::string *name, const F &f, const AnyView *args,
                 int32_t num_args, Any *result) {}
} // namespace details
namespace reflection {
struct GlobalDef {
  template <typename F> GlobalDef &def(const char *name, F &&f) {
    return *this;
  }
};
} // namespace reflection
} // namespace tvm::ffi
extern "C" void *TVMFFIEnvGetStream(int32_t device_type, int32_t device_id);
#define TVM_FFI_DLL_EXPORT_TYPED_FUNC(NAME, F)                                 \
  extern "C" int __tvm_ffi_##NAME(void *, const tvm::ffi::AnyView *args,       \
                                  int32_t n, tvm::ffi::Any *result) {          \
    static std::string name = #NAME;                                           \
    tvm::ffi::details::unpack_call<void>(&name, F, args, n, result);           \
    return 0;                                                                  \
  }

struct XLA_FFI_CallFrame;
namespace xla::ffi {
struct Handler {
  int Call(XLA_FFI_CallFrame *frame);
};
struct Binding {
  template <typename F> Handler To(F &&f) { return {}; }
};
struct Ffi {
  static Binding Bind();
};
} // namespace xla::ffi
#define XLA_FFI_DEFINE_HANDLER_SYMBOL(NAME, F, BINDING)                        \
  extern "C" int NAME(XLA_FFI_CallFrame *frame) {                              \
    static auto handler = (BINDING).To(F);                                     \
    return handler.Call(frame);                                                \
  }

namespace torch::autograd {
struct AutogradContext {};
template <class T> struct Function {
  template <typename X = T, typename... Args>
  static auto apply(Args &&...args)
      -> decltype(X::forward(nullptr, static_cast<Args &&>(args)...));
};
} // namespace torch::autograd

namespace torch::stable::detail {
class StableLibrary {
public:
  enum class Kind { DEF, IMPL, FRAGMENT };
  StableLibrary &def(const char *schema);
  StableLibrary &impl(const char *name, void (*fn)(uint64_t *, uint64_t, uint64_t));
};
class StableTorchLibraryInit {
public:
  StableTorchLibraryInit(StableLibrary::Kind, void (*fn)(StableLibrary &),
                         const char *ns, const char *key, const char *file,
                         uint32_t line);
};
template <class F, F *fn> struct boxer {
  static void boxed_fn(uint64_t *stack, uint64_t, uint64_t);
};
} // namespace torch::stable::detail
extern "C" int32_t aoti_torch_get_current_cuda_stream(int32_t device,
                                                      void **stream);
#define TORCH_BOX(F) torch::stable::detail::boxer<decltype(F), F>::boxed_fn
#define STABLE_TORCH_LIBRARY_IMPL(NS, KEY, M)                                  \
  static void init_##NS##_##KEY(torch::stable::detail::StableLibrary &);       \
  static const torch::stable::detail::StableTorchLibraryInit                   \
      static_init_##NS##_##KEY(                                                \
          torch::stable::detail::StableLibrary::Kind::IMPL,                    \
          &init_##NS##_##KEY, #NS, #KEY, __FILE__, __LINE__);                  \
  void init_##NS##_##KEY(torch::stable::detail::StableLibrary &M)
