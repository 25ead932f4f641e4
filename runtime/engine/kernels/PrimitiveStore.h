// What kernels on oneDNN keep between calls: the engine, primitives by what determines them, and
// one scratch memory that all of them share. A primitive is made at the first call of a site and
// reused at every later one.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_ENGINE_KERNELS_PRIMITIVESTORE_H
#define TUTTI_RUNTIME_ENGINE_KERNELS_PRIMITIVESTORE_H

#include "runtime/engine/core/Context.h"
#include "runtime/engine/trace/Recorder.h"

#include <dnnl.hpp>
#include <map>
#include <memory>
#include <stdexcept>
#include <vector>

namespace tutti::runtime::kernels {

/// Grows only; 64-byte aligned.
class Scratch {
public:
  char *at_least(size_t bytes);

private:
  std::unique_ptr<char[]> memory;
  size_t capacity = 0;
};

/// A primitive ready to run on the buffers of a call. Where oneDNN wants another layout than
/// row-major, the operand passes through scratch memory by a reorder.
class PreparedCall {
public:
  static constexpr int internal =
      -1; ///< an operand without a buffer: it lives in scratch during the call

  PreparedCall(dnnl::engine engine) : engine(std::move(engine)) {}

  /// Operands, in the order of use. `wanted` is the primitive's layout, `given` the caller's.
  void add_input(int argument, int buffer, const dnnl::memory::desc &given,
                 const dnnl::memory::desc &wanted);
  void add_output(int argument, int buffer, const dnnl::memory::desc &given,
                  const dnnl::memory::desc &wanted);
  /// Scratch that the primitive asks for, workspaces, results that nobody wants.
  void add_internal(int argument, const dnnl::memory::desc &wanted);
  void set_primitive(dnnl::primitive primitive) { this->primitive = std::move(primitive); }

  /// Signals are held back meanwhile: oneDNN may compute on a stack of its own (docs/runtime.md).
  void run(dnnl::stream &stream, Scratch &scratch, void *const *buffers, size_t first_offset = 0);
  /// Bytes of scratch that run() uses after `first_offset`.
  size_t scratch_bytes() const { return bytes; }
  /// Where an internal operand lies during run(), after first_offset.
  size_t offset_of(int argument) const;
  /// Places an internal operand at a fixed address outside this call's own scratch.
  void bind(int argument, void *memory);

private:
  struct Operand {
    int argument;
    int buffer;
    bool is_output;
    dnnl::memory outer; ///< as the caller has it
    dnnl::memory inner; ///< as the primitive wants it
    dnnl::reorder reorder;
    bool is_reordered;
    size_t offset;
    void *bound = nullptr;
  };
  Operand &add(int argument, int buffer, bool is_output, const dnnl::memory::desc &given,
               const dnnl::memory::desc &wanted);

  dnnl::engine engine;
  dnnl::primitive primitive;
  std::vector<Operand> operands;
  std::vector<dnnl_exec_arg_t> arguments; ///< of the primitive, as the last run() had them
  size_t bytes = 0;
};

/// Kinds of entries: the last number of a key.
enum StoredKind : int64_t {
  forward_convolution = 1,
  data_convolution,
  weights_convolution,
  pool,
  pool_backward,
  matmul
};

/// The store of one context.
class PrimitiveStore {
public:
  static PrimitiveStore &of(tutti_context *context);

  /// The value kept for a kind and its `count` parameters, made by `make()` at first.
  template <typename Value, typename Make>
  Value &find(StoredKind kind, const int64_t *parameters, int64_t count, Make make) {
    key.assign(parameters, parameters + count);
    key.push_back(kind);
    std::shared_ptr<void> &entry = entries[key];
    if (!entry)
      entry = std::shared_ptr<Value>(make());
    return *static_cast<Value *>(entry.get());
  }
  size_t size() const { return entries.size(); }

  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream{engine};
  Scratch scratch;

private:
  std::map<std::vector<int64_t>, std::shared_ptr<void>> entries;
  std::vector<int64_t> key; ///< of the last search, whose room the next one has
};

/// oneDNN's name of f32 or bf16.
inline dnnl::memory::data_type data_type_of(int64_t type) {
  if (type == TUTTI_F32)
    return dnnl::memory::data_type::f32;
  if (type == TUTTI_BF16)
    return dnnl::memory::data_type::bf16;
  throw std::invalid_argument("the type is none of f32, f64 and bf16");
}

/// What `make` makes for `type`, or for f32 where the processor has nothing for bf16: operands then
/// pass through reorders.
template <typename Make> auto make_for(dnnl::memory::data_type type, Make make) {
  if (type != dnnl::memory::data_type::f32) {
    try {
      return make(type);
    } catch (const dnnl::error &error) {
      if (error.status != dnnl_unimplemented)
        throw;
    }
  }
  return make(dnnl::memory::data_type::f32);
}

/// Runs `body` unless the context has failed; an exception becomes the context's error, which names
/// the kernel and its `count` parameters.
template <typename Body>
void run_kernel(tutti_context *context, const char *name, const int64_t *parameters, int64_t count,
                Body body);

/// Tells handlers of signals what runs, while it runs.
class RunningKernel {
public:
  RunningKernel(tutti_context *context, const char *name, const int64_t *node)
      : running(context->running) {
    running.node.store(node, std::memory_order_relaxed);
    running.kernel.store(name, std::memory_order_release);
  }
  ~RunningKernel() { running.kernel.store(nullptr, std::memory_order_release); }
  RunningKernel(const RunningKernel &) = delete;

private:
  tutti_context::Running &running;
};

void kernel_failed(tutti_context *context, const char *name, const int64_t *parameters,
                   int64_t count, const char *what);

template <typename Body>
void run_kernel(tutti_context *context, const char *name, const int64_t *parameters, int64_t count,
                Body body) {
  if (!context->ok())
    return;
  ++context->counters.kernels;
  trace::Scope scope(context->trace, trace::Kind::kernel, name);
  if (trace::Span *span = scope.details()) {
    span->parameters = parameters;
    span->parameter_count = count;
  }
  RunningKernel running(context, name, parameters + count);
  try {
    body();
  } catch (const dnnl::error &error) {
    kernel_failed(context, name, parameters, count, error.message);
  } catch (const std::exception &error) {
    kernel_failed(context, name, parameters, count, error.what());
  }
}

} // namespace tutti::runtime::kernels

#endif // TUTTI_RUNTIME_ENGINE_KERNELS_PRIMITIVESTORE_H
