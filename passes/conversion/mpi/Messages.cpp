// Parts, loops and blocking messages.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/conversion/mpi/Messages.h"

#include "passes/conversion/mpi/Elements.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MPI/IR/MPI.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tutti::conversion;

static Type elementOf(Value buffer) { return cast<MemRefType>(buffer.getType()).getElementType(); }

Messages::Messages(ImplicitLocOpBuilder &builder, TeamRank &self, int32_t tag)
    : builder(builder), self(self), place(self.getPlace()), size(self.getSize()),
      tag(arith::ConstantIntOp::create(builder, tag, 32)) {}

//===----------------------------------------------------------------------===//
// Numbers and control
//===----------------------------------------------------------------------===//

Value Messages::index(int64_t value) { return arith::ConstantIndexOp::create(builder, value); }
Value Messages::add(Value a, Value b) { return arith::AddIOp::create(builder, a, b); }
Value Messages::subtract(Value a, Value b) { return arith::SubIOp::create(builder, a, b); }
Value Messages::multiply(Value a, Value b) { return arith::MulIOp::create(builder, a, b); }
Value Messages::divide(Value a, Value b) { return arith::DivUIOp::create(builder, a, b); }
Value Messages::remainder(Value a, Value b) { return arith::RemUIOp::create(builder, a, b); }
Value Messages::isEqual(Value a, Value b) {
  return arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, a, b);
}
Value Messages::isLess(Value a, Value b) {
  return arith::CmpIOp::create(builder, arith::CmpIPredicate::slt, a, b);
}

void Messages::forEach(Value count, IndexedBody body) {
  auto loop = scf::ForOp::create(builder, index(0), count, index(1));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

void Messages::branch(Value condition, Body then, Body otherwise) {
  auto choice = scf::IfOp::create(builder, condition, /*withElseRegion=*/bool(otherwise));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(choice.thenBlock());
  then();
  if (!otherwise)
    return;
  builder.setInsertionPointToStart(choice.elseBlock());
  otherwise();
}

Value Messages::sum(Value count, function_ref<Value(Value)> term) {
  auto loop = scf::ForOp::create(builder, index(0), count, index(1), ValueRange(index(0)));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value soFar = add(loop.getRegionIterArg(0), term(loop.getInductionVar()));
  scf::YieldOp::create(builder, soFar);
  return loop.getResult(0);
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

Value Messages::part(Value buffer, Value begin, Value length) {
  SmallVector<OpFoldResult> offsets = {begin}, sizes = {length},
                            strides = {builder.getIndexAttr(1)};
  return memref::SubViewOp::create(builder, getFlatType(elementOf(buffer)), buffer, offsets, sizes,
                                   strides);
}

Value Messages::length(Value buffer) { return memref::DimOp::create(builder, buffer, 0); }

Value Messages::allocate(Type element, Value length) {
  auto type = MemRefType::get({ShapedType::kDynamic}, element);
  return memref::AllocOp::create(builder, type, length);
}

void Messages::release(Value buffer) { memref::DeallocOp::create(builder, buffer); }

void Messages::copy(Value from, Value to) {
  forEach(length(to), [&](Value i) {
    memref::StoreOp::create(builder, memref::LoadOp::create(builder, from, i).getResult(), to, i);
  });
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

void Messages::send(Value buffer, Value to) {
  Value rank = self.getRankAt(to);
  Type carrier = getCarrier(elementOf(buffer));
  if (carrier == elementOf(buffer)) {
    mpi::SendOp::create(builder, Type(), buffer, tag, rank, self.getCommunicator());
    return;
  }
  Value bits = allocate(carrier, length(buffer));
  forEach(length(buffer), [&](Value i) {
    Value element = memref::LoadOp::create(builder, buffer, i);
    memref::StoreOp::create(builder, toCarrier(builder, element), bits, i);
  });
  mpi::SendOp::create(builder, Type(), bits, tag, rank, self.getCommunicator());
  release(bits);
}

void Messages::receive(Value buffer, Value from) {
  Value rank = self.getRankAt(from);
  Type element = elementOf(buffer), carrier = getCarrier(element);
  if (carrier == element) {
    mpi::RecvOp::create(builder, Type(), buffer, tag, rank, self.getCommunicator());
    return;
  }
  Value bits = allocate(carrier, length(buffer));
  mpi::RecvOp::create(builder, Type(), bits, tag, rank, self.getCommunicator());
  forEach(length(buffer), [&](Value i) {
    Value value = memref::LoadOp::create(builder, bits, i);
    memref::StoreOp::create(builder, fromCarrier(builder, value, element), buffer, i);
  });
  release(bits);
}

void Messages::receiveFirst(Value other, Value outgoing, Value incoming, bool sameBuffer) {
  if (!sameBuffer) {
    receive(incoming, other);
    return send(outgoing, other);
  }
  Value arrived = allocate(elementOf(incoming), length(incoming));
  receive(arrived, other);
  send(outgoing, other);
  copy(arrived, incoming);
  release(arrived);
}

void Messages::meet(Value other, Value outgoing, Value incoming, bool sameBuffer) {
  branch(
      isLess(other, place), [&] { receiveFirst(other, outgoing, incoming, sameBuffer); },
      [&] {
        send(outgoing, other);
        receive(incoming, other);
      });
}

void Messages::exchange(PartOf outgoing, PartOf incoming, bool sameBuffer) {
  forEach(size, [&](Value other) {
    Value out = outgoing(other), in = incoming(other);
    branch(
        isEqual(other, place), [&] { copy(out, in); }, [&] { meet(other, out, in, sameBuffer); });
  });
}
