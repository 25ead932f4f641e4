// The table of upstream dialects, and the operations that are exceptions in them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/analysis/Trust.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace tutti;

/// Dialects of values: nothing in them asks where it runs, but for the exceptions below.
static const llvm::StringSet<> deterministic = {
    "affine", "arith",  "bufferization", "builtin", "cf",         "complex", "func",
    "index",  "linalg", "math",          "memref",  "ml_program", "quant",   "scf",
    "shape",  "tensor", "tosa",          "ub",      "vector"};

/// Dialects of devices, targets, processes, foreign memory, and of the compiler itself.
static const llvm::StringSet<> opaque = {
    "acc",   "amdgpu",     "amx",       "arm_neon", "arm_sme", "arm_sve",      "async", "dlti",
    "emitc", "gpu",        "irdl",      "llvm",     "mpi",     "nvgpu",        "nvvm",  "omp",
    "pdl",   "pdl_interp", "ptr",       "rocdl",    "shard",   "smt",          "spirv", "transform",
    "vcix",  "wasmssa",    "x86vector", "xegpu",    "xevm",    "sparse_tensor"};

/// Operations of opaque dialects that are functions of their operands.
static const llvm::StringSet<> deterministicInOpaque = {
    "llvm.mlir.constant", "shard.grid_shape", "shard.sharding", "sparse_tensor.concatenate",
    "sparse_tensor.convert"};

/// Operations without effects, of deterministic dialects, whose result nothing defines.
static const llvm::StringMap<StringRef> exceptions = {
    {"bufferization.to_tensor", "reads memory"},
    {"memref.extract_aligned_pointer_as_index", "is an address, which differs between processes"},
    {"shape.any", "may be either of its operands"},
    {"tensor.empty", "has contents that nothing defines"},
    {"ub.poison", "has a value that nothing defines"},
    {"vector.vscale", "is a property of the machine that it runs on"}};

DialectTrust tutti::getDialectTrust(StringRef name) {
  if (deterministic.contains(name))
    return DialectTrust::Deterministic;
  return opaque.contains(name) ? DialectTrust::Opaque : DialectTrust::Foreign;
}

/// Vectors whose length only the machine knows.
static bool isScalable(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector && vector.isScalable();
}

StringRef tutti::getReasonToVary(Operation *op) {
  StringRef name = op->getName().getStringRef();
  if (getTrust(op) == DialectTrust::Opaque && !deterministicInOpaque.contains(name))
    return "may depend on the process or the device that it runs on";
  auto exception = exceptions.find(name);
  if (exception != exceptions.end())
    return exception->second;
  if (isa<scf::ParallelOp, affine::AffineParallelOp>(op))
    return "is combined in an order that nothing defines";
  if (llvm::any_of(op->getResultTypes(), isScalable))
    return "has as many elements as the machine that it runs on chooses";
  return "";
}

/// Whether the operation writes every element of its destination `init` without reading it, nor its
/// sizes. A loop that reduces might run zero times and leave it as it was.
static bool overwrites(linalg::LinalgOp op, OpOperand &init) {
  if (!cast<ShapedType>(init.get().getType()).hasStaticShape())
    return false;
  return !op.payloadUsesValueFromOperand(&init) && op.getNumReductionLoops() == 0 &&
         op.getMatchingIndexingMap(&init).isPermutation();
}

bool tutti::canChangeResults(OpOperand &operand) {
  Operation *op = operand.getOwner();
  if (auto loops = dyn_cast<linalg::LinalgOp>(op))
    return !loops.isDpsInit(&operand) || !overwrites(loops, operand);
  // Where sizes are static, only they are asked for.
  if (isa<tensor::DimOp, memref::DimOp>(op) && operand.getOperandNumber() == 0)
    return !cast<ShapedType>(operand.get().getType()).hasStaticShape();
  return true;
}

bool tutti::isElementLoop(Operation *op) {
  return isa<linalg::LinalgOp, tensor::GenerateOp, tensor::PadOp>(op);
}
