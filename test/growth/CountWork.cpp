// Counts what --distribute does to a program, in units that are the same on every machine.
//
//     count-work RANKS PROGRAM... < KEYS
//
// Each line of the standard input is what --distribute is given. For each, a line: of every program
// how many steps were made, how many blocks of memory were allocated and how many bytes they had;
// or why it is refused. A step is an operation that a walk visits, a question who makes a value, a
// symbol that is compared with one that is looked for, or an operation that is numbered anew in its
// block. MLIR's functions for these, and malloc, are ours here: a program comes before its
// libraries.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Pipelines.h"
#include "passes/specialize/Passes.h"
#include "tools/registration/RegisterAll.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/Visitors.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <dlfcn.h>
#include <iostream>

using namespace mlir;

namespace {
struct Counts {
  uint64_t steps = 0, allocations = 0, bytes = 0;
};
Counts counts;
} // namespace

//===----------------------------------------------------------------------===//
// What is counted
//===----------------------------------------------------------------------===//

extern "C" {
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *memory, size_t bytes);

void *malloc(size_t bytes) {
  ++counts.allocations;
  counts.bytes += bytes;
  return __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes) {
  ++counts.allocations;
  counts.bytes += count * bytes;
  return __libc_calloc(count, bytes);
}

void *realloc(void *memory, size_t bytes) {
  ++counts.allocations;
  counts.bytes += bytes;
  return __libc_realloc(memory, bytes);
}
}

/// The function of this name in the libraries behind the program.
template <typename Function> static Function *theirs(const char *name) {
  return reinterpret_cast<Function *>(dlsym(RTLD_NEXT, name));
}

Operation *Value::getDefiningOp() const {
  static auto *real = theirs<Operation *(const Value *)>("_ZNK4mlir5Value13getDefiningOpEv");
  ++counts.steps;
  return real(this);
}

MutableArrayRef<Region> ForwardIterator::makeIterable(Operation &range) {
  ++counts.steps;
  return range.getRegions();
}

void Block::recomputeOpOrder() {
  static auto *real = theirs<void(Block *)>("_ZN4mlir5Block16recomputeOpOrderEv");
  counts.steps += std::distance(begin(), end());
  real(this);
}

Operation *SymbolTable::lookupSymbolIn(Operation *table, StringAttr name) {
  static auto *real = theirs<Operation *(Operation *, StringAttr)>(
      "_ZN4mlir11SymbolTable14lookupSymbolInEPNS_9OperationENS_10StringAttrE");
  Operation *found = real(table, name);
  for (Operation &op : table->getRegion(0).front())
    if (++counts.steps && &op == found)
      break;
  return found;
}

//===----------------------------------------------------------------------===//
// The work
//===----------------------------------------------------------------------===//

/// What distribution for `ranks` ranks as `keys` say costs; nothing, and `problem`, if it is
/// refused.
static std::optional<Counts> countWork(ModuleOp program, StringRef keys, int64_t ranks,
                                       std::string &problem) {
  auto complain = [&](const Twine &why) -> LogicalResult { return problem = why.str(), failure(); };
  OwningOpRef<ModuleOp> copy = program.clone();
  Counts before = counts;
  FailureOr<tutti::DistributeOptions> options = tutti::DistributeOptions::parse(keys, complain);
  if (failed(options))
    return std::nullopt;
  PassManager passes(program.getContext(), ModuleOp::getOperationName());
  if (llvm::Error error = tutti::addDistributePipeline(passes, *options)) {
    (void)complain(llvm::toString(std::move(error)));
    return std::nullopt;
  }
  tutti::specialize::SpecializeWorldPassOptions world;
  world.ranks = ranks;
  passes.addPass(tutti::specialize::createSpecializeWorldPass(world));
  if (keys.contains("chunks=")) // which waits for the batch
    passes.addPass(tutti::specialize::createSpecializeBatchPass());
  ScopedDiagnosticHandler handler(program.getContext(), [&](Diagnostic &said) {
    if (said.getSeverity() == DiagnosticSeverity::Error && problem.empty())
      problem = said.str();
    return success();
  });
  if (failed(passes.run(*copy)))
    return std::nullopt;
  Counts work = counts;
  return Counts{work.steps - before.steps, work.allocations - before.allocations,
                work.bytes - before.bytes};
}

static std::string report(ArrayRef<OwningOpRef<ModuleOp>> programs, StringRef keys, int64_t ranks) {
  std::string line;
  llvm::raw_string_ostream out(line);
  for (const OwningOpRef<ModuleOp> &program : programs) {
    std::string problem;
    std::optional<Counts> work = countWork(*program, keys, ranks, problem);
    if (!work)
      return "refused: " + llvm::join(llvm::split(problem, '\n'), " ");
    out << work->steps << " " << work->allocations << " " << work->bytes << " ";
  }
  return line;
}

int main(int argc, char **argv) {
  int64_t ranks = 0;
  if (argc < 3 || StringRef(argv[1]).getAsInteger(10, ranks)) {
    llvm::errs() << "usage: count-work RANKS PROGRAM... < KEYS\n";
    return 2;
  }
  DialectRegistry registry;
  tutti::registerAllTuttiDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  std::vector<OwningOpRef<ModuleOp>> programs;
  for (int i = 2; i < argc; ++i) {
    programs.push_back(parseSourceFile<ModuleOp>(argv[i], &context));
    if (!programs.back())
      return 1;
  }
  for (std::string keys; std::getline(std::cin, keys);)
    llvm::outs() << report(programs, keys, ranks) << "\n";
  return 0;
}
