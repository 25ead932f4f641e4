// What its two operations answer.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/foreign/Mute.h"

#include "test/foreign/MuteDialect.cpp.inc"

#define GET_OP_CLASSES
#include "test/foreign/Mute.cpp.inc"

using namespace mlir;
using namespace tutti;
using namespace tutti::test;

void MuteDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "test/foreign/Mute.cpp.inc"
      >();
}

GroupForm EveryoneOp::getGroupForm() { return {GroupForm::World, 0, int64_t(getRanks())}; }
Attribute EveryoneOp::getDivision() { return {}; }
void EveryoneOp::declareSize(int64_t ranks) { setRanks(ranks); }
bool EveryoneOp::isOfWholeWorld() { return true; }
bool EveryoneOp::holdsEveryRank() { return true; }
bool EveryoneOp::isOfEqualSets() { return true; }
std::optional<int64_t> EveryoneOp::getSizeOfSets() { return getRanks(); }
std::optional<SmallVector<int64_t>> EveryoneOp::getMembersWith(int64_t, int64_t worldSize) {
  return llvm::to_vector(llvm::seq<int64_t>(0, worldSize));
}

CommunicationForm SumOp::getForm() {
  return {CommunicationKind::AllReduce, getGroupAttr(), Reduction::Sum};
}
SmallVector<Value> SumOp::getPayload() { return {getGiven()}; }
