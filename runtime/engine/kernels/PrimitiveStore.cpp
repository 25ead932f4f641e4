// Keeping primitives, and running them on buffers of the caller's layout.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/kernels/PrimitiveStore.h"

#include "runtime/support/system/HeldSignals.h"

namespace tutti::runtime::kernels {
namespace {

constexpr size_t alignment = 64;

size_t round_up(size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

/// As oneDNN's own execute(), which makes a table of the arguments for each call.
void execute(const dnnl::primitive &primitive, const dnnl::stream &stream,
             const dnnl_exec_arg_t *arguments, size_t count) {
  dnnl::error::wrap_c_api(
      dnnl_primitive_execute(primitive.get(), stream.get(), int(count), arguments),
      "oneDNN could not execute a primitive");
}

void reorder(const dnnl::reorder &primitive, const dnnl::stream &stream, const dnnl::memory &from,
             const dnnl::memory &to) {
  const dnnl_exec_arg_t arguments[] = {{DNNL_ARG_FROM, from.get()}, {DNNL_ARG_TO, to.get()}};
  execute(primitive, stream, arguments, 2);
}

} // namespace

char *Scratch::at_least(size_t bytes) {
  if (bytes > capacity) {
    memory.reset(); // first, so that old and new need not fit together
    capacity = 0;
    memory.reset(new char[bytes + alignment]);
    capacity = bytes;
  }
  auto address = reinterpret_cast<uintptr_t>(memory.get());
  return memory.get() + (round_up(address) - address);
}

PreparedCall::Operand &PreparedCall::add(int argument, int buffer, bool is_output,
                                         const dnnl::memory::desc &given,
                                         const dnnl::memory::desc &wanted) {
  Operand operand = {argument,
                     buffer,
                     is_output,
                     dnnl::memory(given, engine, DNNL_MEMORY_NONE),
                     dnnl::memory(wanted, engine, DNNL_MEMORY_NONE),
                     {},
                     buffer != internal && given != wanted,
                     bytes};
  if (operand.is_reordered)
    operand.reorder = is_output ? dnnl::reorder(operand.inner, operand.outer)
                                : dnnl::reorder(operand.outer, operand.inner);
  if (operand.is_reordered || buffer == internal)
    bytes += round_up(wanted.get_size());
  operands.push_back(std::move(operand));
  return operands.back();
}

void PreparedCall::add_input(int argument, int buffer, const dnnl::memory::desc &given,
                             const dnnl::memory::desc &wanted) {
  add(argument, buffer, false, given, wanted);
}

void PreparedCall::add_output(int argument, int buffer, const dnnl::memory::desc &given,
                              const dnnl::memory::desc &wanted) {
  add(argument, buffer, true, given, wanted);
}

void PreparedCall::add_internal(int argument, const dnnl::memory::desc &wanted) {
  add(argument, internal, false, wanted, wanted);
}

size_t PreparedCall::offset_of(int argument) const {
  for (const Operand &operand : operands)
    if (operand.argument == argument)
      return operand.offset;
  return 0;
}

void PreparedCall::bind(int argument, void *memory) {
  for (Operand &operand : operands)
    if (operand.argument == argument)
      operand.bound = memory;
}

void PreparedCall::run(dnnl::stream &stream, Scratch &scratch, void *const *buffers,
                       size_t first_offset) {
  HeldSignals held;
  char *room = scratch.at_least(first_offset + bytes) + first_offset;
  arguments.clear();
  for (Operand &operand : operands) {
    void *outer = operand.buffer == internal ? nullptr : buffers[operand.buffer];
    bool uses_room = operand.is_reordered || operand.buffer == internal;
    operand.outer.set_data_handle(outer);
    operand.inner.set_data_handle(operand.bound ? operand.bound
                                  : uses_room   ? room + operand.offset
                                                : outer);
    if (operand.is_reordered && !operand.is_output)
      reorder(operand.reorder, stream, operand.outer, operand.inner);
    arguments.push_back({operand.argument, operand.inner.get()});
  }
  execute(primitive, stream, arguments.data(), arguments.size());
  for (Operand &operand : operands)
    if (operand.is_reordered && operand.is_output)
      reorder(operand.reorder, stream, operand.inner, operand.outer);
  stream.wait();
}

PrimitiveStore &PrimitiveStore::of(tutti_context *context) {
  if (!context->kernel_state)
    context->kernel_state = std::make_shared<PrimitiveStore>();
  return *static_cast<PrimitiveStore *>(context->kernel_state.get());
}

void kernel_failed(tutti_context *context, const char *name, const int64_t *parameters,
                   int64_t count, const char *what) {
  std::string list;
  for (int64_t i = 0; i < count; ++i)
    list += (i ? ", " : "") + std::to_string(parameters[i]);
  context->fail(TUTTI_KERNEL_FAILED, text(name, ": ", what, "; parameters {", list, "} (rank ",
                                          context->rank, ", step ", context->step, ")"));
}

} // namespace tutti::runtime::kernels
