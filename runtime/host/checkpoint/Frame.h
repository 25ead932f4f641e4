// Variables inside a file of another format: all of it is known before a run but their values.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_CHECKPOINT_FRAME_H
#define TUTTI_RUNTIME_HOST_CHECKPOINT_FRAME_H

#include "runtime/host/checkpoint/Safetensors.h"

namespace tutti::runtime::checkpoint {

/// Where the value of a variable stands in a file, dense and row-major.
struct FrameSlot {
  std::string variable;
  int64_t offset = 0, bytes = 0;
};

/// A file without the values of the variables. Who makes one knows the format, who fills it does
/// not need to.
struct Frame {
  std::string target;           ///< the file to write
  std::string content;          ///< a file with its bytes; those of slots are not read
  std::vector<FrameSlot> slots; ///< by offset; they do not overlap
};

/// Gives the value of a variable to `sink`, in as many pieces as it likes.
using SlotSource = std::function<Error(const std::string &variable, const Sink &sink)>;

/// Writes `frame.target` as output::OutputFile does, so that it is always whole. Calls `source`
/// once for each slot, in order. A value of another size than its slot is an error.
Error write_frame(const Frame &frame, const SlotSource &source);

} // namespace tutti::runtime::checkpoint

#endif // TUTTI_RUNTIME_HOST_CHECKPOINT_FRAME_H
