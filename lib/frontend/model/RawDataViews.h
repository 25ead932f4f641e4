// The raw_data of large tensors stays where it stands in the model's file.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_MODEL_RAWDATAVIEWS_H
#define TUTTI_LIB_FRONTEND_MODEL_RAWDATAVIEWS_H

#include "lib/frontend/model/ModelFile.h"

#include <optional>
#include <string>

namespace tutti::frontend {

/// A copy of `model`, a serialized ModelProto, in which a note of its place in `model` stands for
/// each raw_data of more than `largest` bytes. Reading it costs what the graph costs, whatever the
/// weights. None if `model` is not well formed as far as that was looked at; what is wrong with it
/// is to be said by who parses it as a whole.
std::optional<std::string> takeOutRawData(llvm::StringRef model, uint64_t largest);

/// The raw_data for which a note stands in `tensor`, which is of a copy of `model`; none if there
/// is no note, or none that can be of this model.
std::optional<llvm::StringRef> findTakenOut(const proto::TensorProto &tensor,
                                            llvm::StringRef model);

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_MODEL_RAWDATAVIEWS_H
