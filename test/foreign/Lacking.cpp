// What its factory makes depends on the name of the group, so that a test chooses what is lacking.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/foreign/Lacking.h"

#include "mlir/IR/TypeUtilities.h"

#include "test/foreign/LackingDialect.cpp.inc"

#define GET_OP_CLASSES
#include "test/foreign/Lacking.cpp.inc"

using namespace mlir;
using namespace tutti;
using namespace tutti::test;

namespace {
struct Factory : FormFactory<WholeOp, CommunicationKind::AllReduce, CommunicationKind::Broadcast> {
  using FormFactory::FormFactory;

  Operation *create(OpBuilder &builder, Location loc, const CommunicationForm &form,
                    ValueRange inputs, TypeRange results) const override {
    StringRef group = form.group.getValue();
    bool isF32 = getElementTypeOrSelf(inputs.front()).isF32();
    if (group == "none" || (group == "single" && inputs.size() > 1) || (group == "f32" && !isF32))
      return nullptr;
    if (group == "bucketless")
      return BucketlessOp::create(builder, loc, results, form, inputs);
    if (group == "jointless")
      return JointlessOp::create(builder, loc, results, form, inputs);
    if (group == "formless")
      return FormlessOp::create(builder, loc, results, form, inputs);
    return FormFactory::create(builder, loc, form, inputs, results);
  }
};
} // namespace

void LackingDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "test/foreign/Lacking.cpp.inc"
      >();
  addInterfaces<Factory>();
}
