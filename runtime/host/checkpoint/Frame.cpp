// Filling a frame: its own bytes and those of variables, in turns.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/checkpoint/Frame.h"

#include "runtime/output/OutputFile.h"
#include "runtime/support/system/MappedFile.h"

namespace tutti::runtime::checkpoint {
namespace {

Error check_slots(const Frame &frame, int64_t size) {
  int64_t end = 0;
  for (const FrameSlot &slot : frame.slots) {
    if (slot.offset < end || slot.bytes < 0 || slot.bytes > size || slot.offset > size - slot.bytes)
      return Error::make(TUTTI_INVALID_ARGUMENT, "cannot write '", frame.target,
                         "': the place of '", slot.variable, "', ", slot.bytes, " bytes from ",
                         slot.offset, " on, is not free in a file of ", size, " bytes");
    end = slot.offset + slot.bytes;
  }
  return Error::success();
}

} // namespace

Error write_frame(const Frame &frame, const SlotSource &source) {
  auto content = MappedFile::open(frame.content);
  if (!content)
    return content.error();
  std::string_view bytes = (*content)->bytes();
  if (Error error = check_slots(frame, int64_t(bytes.size())))
    return error;
  Result<output::OutputFile> file = output::OutputFile::open(frame.target);
  if (!file)
    return file.error();
  int64_t done = 0;
  for (const FrameSlot &slot : frame.slots) {
    file->write(bytes.data() + done, slot.offset - done);
    int64_t left = slot.bytes;
    Error error = source(slot.variable, [&](const void *data, size_t count) {
      left -= int64_t(count);
      file->write(data, count);
    });
    if (!error && left != 0)
      error =
          Error::make(TUTTI_INVALID_ARGUMENT, "cannot write '", frame.target, "': variable '",
                      slot.variable, "' has ", slot.bytes - left, " bytes, its place ", slot.bytes);
    if (error)
      return error;
    done = slot.offset + slot.bytes;
  }
  file->write(bytes.data() + done, bytes.size() - done);
  return file->commit();
}

} // namespace tutti::runtime::checkpoint
