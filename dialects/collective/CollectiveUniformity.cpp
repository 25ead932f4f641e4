// Which results are equal on every rank of the world: as their forms tell.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/collective/Collective.h"
#include "dialects/interfaces/ranks/CommunicationUniformity.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::collective;

static Uniformity ofResult(Operation *op, unsigned result) {
  auto bucket = dyn_cast<BucketOpInterface>(op);
  bool isOfInput = bucket && result < bucket.getInputs().size();
  return getUniformityOfResult(cast<CommunicationOpInterface>(op), result,
                               isOfInput ? bucket.getInputs()[result] : Value());
}

static Uniformity ofAnswer(Operation *op) {
  return getUniformityOfAnswer(cast<RankQueryOpInterface>(op));
}

Uniformity AllReduceOp::getResultUniformity(unsigned result) { return ofResult(*this, result); }
Uniformity AllGatherOp::getResultUniformity(unsigned result) { return ofResult(*this, result); }
Uniformity BroadcastOp::getResultUniformity(unsigned result) { return ofResult(*this, result); }
Uniformity ReduceOp::getResultUniformity(unsigned result) { return ofResult(*this, result); }
Uniformity ReduceScatterOp::getResultUniformity(unsigned result) { return ofResult(*this, result); }
Uniformity GatherOp::getResultUniformity(unsigned result) { return ofResult(*this, result); }
Uniformity ScatterOp::getResultUniformity(unsigned result) { return ofResult(*this, result); }
Uniformity AllToAllOp::getResultUniformity(unsigned result) { return ofResult(*this, result); }
Uniformity AllToAllVOp::getResultUniformity(unsigned result) { return ofResult(*this, result); }
Uniformity AllToAllVCOp::getResultUniformity(unsigned result) { return ofResult(*this, result); }
Uniformity RecvOp::getResultUniformity(unsigned result) { return ofResult(*this, result); }

Uniformity RankOp::getResultUniformity(unsigned) { return ofAnswer(*this); }
Uniformity LocalRankOp::getResultUniformity(unsigned) { return ofAnswer(*this); }
Uniformity LocalSizeOp::getResultUniformity(unsigned) { return ofAnswer(*this); }
Uniformity SizeOp::getResultUniformity(unsigned) { return ofAnswer(*this); }
Uniformity TranslateRankOp::getResultUniformity(unsigned) { return ofAnswer(*this); }
