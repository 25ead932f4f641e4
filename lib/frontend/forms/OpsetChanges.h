// What the operator sets that are younger than libonnx changed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_FORMS_OPSETCHANGES_H
#define TUTTI_LIB_FRONTEND_FORMS_OPSETCHANGES_H

#include "lib/frontend/model/ModelFile.h"

namespace tutti::frontend {

/// `node`, of operator set `opset`, without the inputs and attributes that its operator got after
/// the last operator set of libonnx: what libonnx's schema can check.
proto::NodeProto withoutYoungParts(const proto::NodeProto &node, int64_t opset);

/// Whether `node`, of operator set `opset`, is of an operator of ONNX that libonnx has no schema
/// of, and that is no formula; its inputs and attributes are some that the operator has.
bool isYoungOperator(const proto::NodeProto &node, int64_t opset);

/// Why a node of such an operator is none that is known: it is of an older operator set, or has an
/// attribute that the operator does not have. Empty for other nodes; else it begins with a colon.
std::string whyNotYoungOperator(const proto::NodeProto &node, int64_t opset);

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_FORMS_OPSETCHANGES_H
