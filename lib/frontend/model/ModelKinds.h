// Models that are not made to be trained.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_MODEL_MODELKINDS_H
#define TUTTI_LIB_FRONTEND_MODEL_MODELKINDS_H

#include "lib/diagnostics/Refusal.h"
#include "lib/frontend/model/ModelFile.h"

namespace tutti::frontend {

/// What is in a file of protocol buffers that is no whole model, and what to do about it, as the
/// end of a sentence that begins with "the file is"; empty if that cannot be told.
std::string nameForeignMessage(llvm::StringRef content);

/// Why `model` is refused: it calculates with integers by operators that are not supported.
Refusal whyQuantized(const proto::ModelProto &model);

/// That `model` calculates with integers, as text; empty if it does not.
std::string noteQuantized(const proto::ModelProto &model);

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_MODEL_MODELKINDS_H
