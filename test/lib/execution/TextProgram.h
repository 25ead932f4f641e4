// Programs written as MLIR text, compiled and run in the test's own process.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TEST_LIB_EXECUTION_TEXTPROGRAM_H
#define TUTTI_TEST_LIB_EXECUTION_TEXTPROGRAM_H

#include "lib/execution/Compile.h"
#include "test/lib/execution/LoadedProgram.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/Alignment.h"
#include "llvm/Support/MemAlloc.h"

#include <memory>
#include <string>
#include <vector>

namespace tutti::test {

/// Aligned as programs expect their buffers.
template <typename T> class Buffer {
public:
  explicit Buffer(std::vector<T> values) : count(values.size()) {
    memory = static_cast<T *>(llvm::allocate_buffer(std::max<size_t>(count, 1) * sizeof(T), 64));
    std::copy(values.begin(), values.end(), memory);
  }
  explicit Buffer(size_t size) : Buffer(std::vector<T>(size)) {}
  Buffer(const Buffer &) = delete;
  ~Buffer() { llvm::deallocate_buffer(memory, std::max<size_t>(count, 1) * sizeof(T), 64); }
  T *data() const { return memory; }
  size_t size() const { return count; }
  T &operator[](size_t index) const { return memory[index]; }
  std::vector<T> values() const { return {memory, memory + count}; }

private:
  T *memory;
  size_t count;
};

/// A context with all of Tutti's dialects, that collects diagnostics.
class Compiler {
public:
  Compiler();
  ~Compiler();
  /// A folder of this object's own, removed with it.
  const std::string &cacheDirectory() const { return directory; }
  /// All diagnostics so far.
  const std::string &diagnostics() const { return messages; }
  mlir::MLIRContext &context() { return *mlirContext; }

  mlir::OwningOpRef<mlir::ModuleOp> parse(llvm::StringRef text);
  execution::CompileRequest request(mlir::ModuleOp module) const;
  llvm::Expected<execution::CompiledProgram> compile(llvm::StringRef text);
  /// Compiles, loads and initializes; fails the test if that fails.
  std::unique_ptr<test::LoadedProgram> run(llvm::StringRef text);

private:
  std::unique_ptr<mlir::MLIRContext> mlirContext;
  std::string directory, messages;
};

/// Wraps the body of a function into a program: `arguments` as "%x: tensor<2x3xf32>, ...", all
/// inputs; `results` as "tensor<f32>, ...", all outputs. The body ends in a return.
std::string wrapOperator(llvm::ArrayRef<std::string> argumentTypes,
                         llvm::ArrayRef<std::string> resultTypes, llvm::StringRef body);

/// `count` numbers between -1 and 1 that look random.
std::vector<float> numbers(size_t count, unsigned seed = 1);

} // namespace tutti::test

#endif // TUTTI_TEST_LIB_EXECUTION_TEXTPROGRAM_H
