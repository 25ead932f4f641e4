// Scalars of arith and math: those of floats are exact in the field or a hash of their operands.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/interpreter/ScalarOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace tutti::interpreter;
using namespace tutti::interpreter::field;

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

static uint64_t addFloats(const uint64_t *in, const ScalarOp &) { return add(in[0], in[1]); }
static uint64_t subFloats(const uint64_t *in, const ScalarOp &) { return sub(in[0], in[1]); }
static uint64_t mulFloats(const uint64_t *in, const ScalarOp &) { return mul(in[0], in[1]); }
static uint64_t divFloats(const uint64_t *in, const ScalarOp &) { return divide(in[0], in[1]); }
static uint64_t negFloat(const uint64_t *in, const ScalarOp &) { return negate(in[0]); }
static uint64_t fmaFloats(const uint64_t *in, const ScalarOp &) {
  return add(mul(in[0], in[1]), in[2]);
}
static uint64_t absFloat(const uint64_t *in, const ScalarOp &) {
  return in[0] != kNone && asSigned(in[0]) < 0 ? negate(in[0]) : in[0];
}
static uint64_t maxFloats(const uint64_t *in, const ScalarOp &) {
  if (in[0] == kNone || in[1] == kNone)
    return kNone;
  return isLess(in[0], in[1]) ? in[1] : in[0];
}
static uint64_t minFloats(const uint64_t *in, const ScalarOp &) {
  if (in[0] == kNone || in[1] == kNone)
    return kNone;
  return isLess(in[1], in[0]) ? in[1] : in[0];
}
static uint64_t maxNumbers(const uint64_t *in, const ScalarOp &op) {
  return in[0] == kNone ? in[1] : in[1] == kNone ? in[0] : maxFloats(in, op);
}
static uint64_t minNumbers(const uint64_t *in, const ScalarOp &op) {
  return in[0] == kNone ? in[1] : in[1] == kNone ? in[0] : minFloats(in, op);
}

static uint64_t compareFloats(const uint64_t *in, const ScalarOp &op) {
  bool isUnordered = in[0] == kNone || in[1] == kNone;
  bool isEqual = !isUnordered && in[0] == in[1], less = isLess(in[0], in[1]);
  bool greater = isLess(in[1], in[0]);
  switch (arith::CmpFPredicate(op.detail)) {
  case arith::CmpFPredicate::AlwaysFalse:
    return false;
  case arith::CmpFPredicate::OEQ:
    return isEqual;
  case arith::CmpFPredicate::OGT:
    return greater;
  case arith::CmpFPredicate::OGE:
    return greater || isEqual;
  case arith::CmpFPredicate::OLT:
    return less;
  case arith::CmpFPredicate::OLE:
    return less || isEqual;
  case arith::CmpFPredicate::ONE:
    return less || greater;
  case arith::CmpFPredicate::ORD:
    return !isUnordered;
  case arith::CmpFPredicate::UEQ:
    return isUnordered || isEqual;
  case arith::CmpFPredicate::UGT:
    return isUnordered || greater;
  case arith::CmpFPredicate::UGE:
    return isUnordered || greater || isEqual;
  case arith::CmpFPredicate::ULT:
    return isUnordered || less;
  case arith::CmpFPredicate::ULE:
    return isUnordered || less || isEqual;
  case arith::CmpFPredicate::UNE:
    return isUnordered || !isEqual;
  case arith::CmpFPredicate::UNO:
    return isUnordered;
  case arith::CmpFPredicate::AlwaysTrue:
    return true;
  }
  return false;
}

/// Whether the number is that of a small integer, which rounding leaves alone.
static bool isWhole(Number a) { return std::llabs(asSigned(a)) < int64_t(1) << 40; }

static uint64_t hashFloat(const uint64_t *in, const ScalarOp &op) { return hash(op.detail, in[0]); }
static uint64_t hashFloats(const uint64_t *in, const ScalarOp &op) {
  return hash(op.detail, in[0], in[1]);
}
static uint64_t roundFloat(const uint64_t *in, const ScalarOp &op) {
  return !isFinite(in[0]) || isWhole(in[0]) ? in[0] : hash(op.detail, in[0]);
}
/// sqrt: of 0 and 1 it is known what it is.
static uint64_t rootFloat(const uint64_t *in, const ScalarOp &op) {
  return in[0] <= 1 ? in[0] : hash(op.detail, in[0]);
}
static uint64_t expFloat(const uint64_t *in, const ScalarOp &op) {
  return in[0] == 0 ? 1 : in[0] == kMinusInfinity ? 0 : hash(op.detail, in[0]);
}
static uint64_t logFloat(const uint64_t *in, const ScalarOp &op) {
  return in[0] == 1 ? 0 : hash(op.detail, in[0]);
}
/// A power with a whole exponent is a product.
static uint64_t powFloats(const uint64_t *in, const ScalarOp &op) {
  if (in[0] == kNone || in[1] == kNone)
    return kNone;
  int64_t exponent = asSigned(in[1]);
  if (!isWhole(in[1]))
    return hash(op.detail, in[0], in[1]);
  Number product = power(in[0], std::llabs(exponent));
  return exponent < 0 ? divide(1, product) : product;
}
static uint64_t remainderFloats(const uint64_t *in, const ScalarOp &op) {
  if (in[0] == kNone || in[1] == kNone || in[1] == 0)
    return kNone;
  if (isWhole(in[0]) && isWhole(in[1]))
    return fromInteger(asSigned(in[0]) % asSigned(in[1]));
  return hash(op.detail, in[0], in[1]);
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/// `value` as an integer of `bits` bits, extended by its sign; one bit has none.
static uint64_t wrap(uint64_t value, int64_t bits) {
  if (bits >= 64 || bits <= 0)
    return value;
  if (bits == 1)
    return value & 1;
  return uint64_t(int64_t(value << (64 - bits)) >> (64 - bits));
}
static uint64_t unsignedOf(uint64_t value, int64_t bits) {
  return bits >= 64 || bits <= 0 ? value : value & ((uint64_t(1) << bits) - 1);
}

static uint64_t addIntegers(const uint64_t *in, const ScalarOp &op) {
  return wrap(in[0] + in[1], op.detail);
}
static uint64_t subIntegers(const uint64_t *in, const ScalarOp &op) {
  return wrap(in[0] - in[1], op.detail);
}
static uint64_t mulIntegers(const uint64_t *in, const ScalarOp &op) {
  return wrap(in[0] * in[1], op.detail);
}
static uint64_t divIntegers(const uint64_t *in, const ScalarOp &op) {
  int64_t a = in[0], b = in[1];
  return b == 0 ? 0 : b == -1 ? wrap(-in[0], op.detail) : wrap(a / b, op.detail);
}
static uint64_t remIntegers(const uint64_t *in, const ScalarOp &op) {
  int64_t a = in[0], b = in[1];
  return b == 0 || b == -1 ? 0 : wrap(a % b, op.detail);
}
static uint64_t divUnsigned(const uint64_t *in, const ScalarOp &op) {
  uint64_t b = unsignedOf(in[1], op.detail);
  return b == 0 ? 0 : wrap(unsignedOf(in[0], op.detail) / b, op.detail);
}
static uint64_t remUnsigned(const uint64_t *in, const ScalarOp &op) {
  uint64_t b = unsignedOf(in[1], op.detail);
  return b == 0 ? 0 : wrap(unsignedOf(in[0], op.detail) % b, op.detail);
}
static uint64_t andBits(const uint64_t *in, const ScalarOp &) { return in[0] & in[1]; }
static uint64_t orBits(const uint64_t *in, const ScalarOp &) { return in[0] | in[1]; }
static uint64_t xorBits(const uint64_t *in, const ScalarOp &) { return in[0] ^ in[1]; }
static uint64_t shiftLeft(const uint64_t *in, const ScalarOp &op) {
  return in[1] > 63 ? 0 : wrap(in[0] << in[1], op.detail);
}
static uint64_t shiftRight(const uint64_t *in, const ScalarOp &op) {
  return in[1] > 63 ? 0 : wrap(unsignedOf(in[0], op.detail) >> in[1], op.detail);
}
static uint64_t maxIntegers(const uint64_t *in, const ScalarOp &) {
  return int64_t(in[0]) < int64_t(in[1]) ? in[1] : in[0];
}
static uint64_t minIntegers(const uint64_t *in, const ScalarOp &) {
  return int64_t(in[0]) < int64_t(in[1]) ? in[0] : in[1];
}
static uint64_t absInteger(const uint64_t *in, const ScalarOp &op) {
  return int64_t(in[0]) < 0 ? wrap(-in[0], op.detail) : in[0];
}

static uint64_t compareIntegers(const uint64_t *in, const ScalarOp &op) {
  int64_t a = in[0], b = in[1];
  switch (arith::CmpIPredicate(op.detail)) {
  case arith::CmpIPredicate::eq:
    return a == b;
  case arith::CmpIPredicate::ne:
    return a != b;
  case arith::CmpIPredicate::slt:
    return a < b;
  case arith::CmpIPredicate::sle:
    return a <= b;
  case arith::CmpIPredicate::sgt:
    return a > b;
  case arith::CmpIPredicate::sge:
    return a >= b;
  case arith::CmpIPredicate::ult:
    return in[0] < in[1];
  case arith::CmpIPredicate::ule:
    return in[0] <= in[1];
  case arith::CmpIPredicate::ugt:
    return in[0] > in[1];
  case arith::CmpIPredicate::uge:
    return in[0] >= in[1];
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Conversions and choice
//===----------------------------------------------------------------------===//

static uint64_t keep(const uint64_t *in, const ScalarOp &) { return in[0]; }
static uint64_t choose(const uint64_t *in, const ScalarOp &) { return in[0] ? in[1] : in[2]; }
static uint64_t narrowInteger(const uint64_t *in, const ScalarOp &op) {
  return wrap(in[0], op.detail);
}
// `detail` is the width of the operand here.
static uint64_t widenSigned(const uint64_t *in, const ScalarOp &op) {
  return op.detail == 1 ? -in[0] : in[0];
}
static uint64_t widenUnsigned(const uint64_t *in, const ScalarOp &op) {
  return unsignedOf(in[0], op.detail);
}
static uint64_t floatOfInteger(const uint64_t *in, const ScalarOp &) { return fromInteger(in[0]); }
static uint64_t floatOfUnsigned(const uint64_t *in, const ScalarOp &op) {
  return unsignedOf(in[0], op.detail) % kPrime;
}
/// A small integer of what is no integer: the same of equal numbers.
static uint64_t integerOfFloat(const uint64_t *in, const ScalarOp &op) {
  if (in[0] == kNone)
    return 0;
  return wrap(isWhole(in[0]) ? asSigned(in[0]) : int64_t(hash(op.detail, in[0]) % 64), op.detail);
}

namespace {
/// What `detail` of an entry is.
enum class Detail { ResultBits, OperandBits, Predicate, Function };

struct Entry {
  StringRef name;
  ScalarOp::Compute compute;
  Detail detail = Detail::ResultBits;
};
} // namespace

// clang-format off
static const Entry kTable[] = {
    {"arith.addf", addFloats}, {"arith.subf", subFloats}, {"arith.mulf", mulFloats},
    {"arith.divf", divFloats}, {"arith.negf", negFloat}, {"math.fma", fmaFloats},
    {"arith.maximumf", maxFloats}, {"arith.minimumf", minFloats},
    {"arith.maxnumf", maxNumbers}, {"arith.minnumf", minNumbers},
    {"arith.cmpf", compareFloats, Detail::Predicate}, {"arith.remf", remainderFloats, Detail::Function},
    {"math.absf", absFloat}, {"math.powf", powFloats, Detail::Function},
    {"math.floor", roundFloat, Detail::Function}, {"math.ceil", roundFloat, Detail::Function},
    {"math.round", roundFloat, Detail::Function}, {"math.roundeven", roundFloat, Detail::Function},
    {"math.trunc", roundFloat, Detail::Function}, {"math.sqrt", rootFloat, Detail::Function},
    {"math.rsqrt", hashFloat, Detail::Function},
    {"math.exp", expFloat, Detail::Function}, {"math.log", logFloat, Detail::Function},
    {"math.exp2", hashFloat, Detail::Function}, {"math.expm1", hashFloat, Detail::Function},
    {"math.log2", hashFloat, Detail::Function}, {"math.log1p", hashFloat, Detail::Function},
    {"math.erf", hashFloat, Detail::Function}, {"math.sin", hashFloat, Detail::Function},
    {"math.cos", hashFloat, Detail::Function}, {"math.tan", hashFloat, Detail::Function},
    {"math.asin", hashFloat, Detail::Function}, {"math.acos", hashFloat, Detail::Function},
    {"math.atan", hashFloat, Detail::Function}, {"math.atan2", hashFloats, Detail::Function},
    {"math.sinh", hashFloat, Detail::Function}, {"math.cosh", hashFloat, Detail::Function},
    {"math.tanh", hashFloat, Detail::Function}, {"math.asinh", hashFloat, Detail::Function},
    {"math.acosh", hashFloat, Detail::Function}, {"math.atanh", hashFloat, Detail::Function},
    {"math.copysign", hashFloats, Detail::Function}, {"math.cbrt", hashFloat, Detail::Function},

    {"arith.addi", addIntegers}, {"arith.subi", subIntegers}, {"arith.muli", mulIntegers},
    {"arith.divsi", divIntegers}, {"arith.remsi", remIntegers},
    {"arith.divui", divUnsigned}, {"arith.remui", remUnsigned},
    {"arith.andi", andBits}, {"arith.ori", orBits}, {"arith.xori", xorBits},
    {"arith.shli", shiftLeft}, {"arith.shrui", shiftRight},
    {"arith.maxsi", maxIntegers}, {"arith.minsi", minIntegers}, {"math.absi", absInteger},
    {"arith.cmpi", compareIntegers, Detail::Predicate},

    {"arith.select", choose}, {"arith.extf", keep}, {"arith.truncf", keep},
    {"arith.extsi", widenSigned, Detail::OperandBits}, {"arith.trunci", narrowInteger},
    {"arith.extui", widenUnsigned, Detail::OperandBits},
    {"arith.index_cast", narrowInteger}, {"arith.index_castui", widenUnsigned, Detail::OperandBits},
    {"arith.sitofp", floatOfInteger}, {"arith.uitofp", floatOfUnsigned, Detail::OperandBits},
    {"arith.fptosi", integerOfFloat}, {"arith.fptoui", integerOfFloat},
    {"builtin.unrealized_conversion_cast", narrowInteger},
};
// clang-format on

static int64_t bitsOf(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
}

static int64_t predicateOf(Operation *op) {
  if (auto compare = dyn_cast<arith::CmpFOp>(op))
    return int64_t(compare.getPredicate());
  return int64_t(cast<arith::CmpIOp>(op).getPredicate());
}

std::optional<ScalarOp> ScalarOp::find(Operation *op) {
  static const llvm::StringMap<const Entry *> places = [] {
    llvm::StringMap<const Entry *> found;
    for (const Entry &entry : kTable)
      found[entry.name] = &entry;
    return found;
  }();
  auto place = places.find(op->getName().getStringRef());
  if (place == places.end())
    return std::nullopt;
  const Entry &entry = *place->second;
  ScalarOp found;
  found.compute = entry.compute;
  switch (entry.detail) {
  case Detail::ResultBits:
    found.detail = bitsOf(op->getResult(0).getType());
    break;
  case Detail::OperandBits:
    found.detail = bitsOf(op->getOperand(0).getType());
    break;
  case Detail::Predicate:
    found.detail = predicateOf(op);
    break;
  case Detail::Function:
    found.detail = int64_t(llvm::xxh3_64bits(entry.name));
    break;
  }
  return found;
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

static uint64_t elementOf(const APInt &value) {
  return value.getBitWidth() == 1 ? value.getZExtValue() : uint64_t(value.getSExtValue());
}

uint64_t tutti::interpreter::elementOf(Attribute value) {
  if (auto number = dyn_cast<FloatAttr>(value))
    return fromFloat(number.getValue());
  return ::elementOf(cast<IntegerAttr>(value).getValue());
}

/// The bytes of elements that lie elsewhere, as an attribute that holds them.
static DenseElementsAttr readResource(DenseResourceElementsAttr value) {
  AsmResourceBlob *blob = value.getRawHandle().getBlob();
  if (!blob)
    return {};
  bool detectedSplat = false;
  ArrayRef<char> data = blob->getData();
  if (!DenseElementsAttr::isValidRawBuffer(value.getType(), data, detectedSplat))
    return {};
  return DenseElementsAttr::getFromRawBuffer(value.getType(), data);
}

TensorRef tutti::interpreter::tensorOf(ElementsAttr value) {
  auto dense = dyn_cast<DenseElementsAttr>(value);
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value))
    dense = readResource(resource);
  if (!dense)
    return nullptr;
  Tensor tensor(dense.getType().getShape());
  bool isFloat = isa<FloatType>(dense.getElementType());
  if (!isFloat && !dense.getElementType().isIntOrIndex())
    return nullptr;
  auto first = [&]() {
    return isFloat ? fromFloat(dense.getSplatValue<APFloat>())
                   : ::elementOf(dense.getSplatValue<APInt>());
  };
  if (dense.isSplat())
    std::fill(tensor.elements.begin(), tensor.elements.end(), tensor.size() ? first() : 0);
  else if (isFloat)
    llvm::transform(dense.getValues<APFloat>(), tensor.elements.begin(), fromFloat);
  else
    llvm::transform(dense.getValues<APInt>(), tensor.elements.begin(),
                    [](const APInt &element) { return ::elementOf(element); });
  return makeTensor(std::move(tensor));
}
