// Inflating text.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/data/tables/TextFile.h"

#include "runtime/host/data/Inflation.h"
#include "runtime/support/system/SealedMemory.h"

#include <algorithm>
#include <array>
#include <climits>
#include <cstring>
#include <zlib.h>

namespace tutti::runtime::data {
namespace {

bool begins_with(std::string_view bytes, std::string_view with) {
  return bytes.substr(0, with.size()) == with;
}

bool ends_with(const std::string &path, std::string_view with) {
  return path.size() > with.size() &&
         path.compare(path.size() - with.size(), with.size(), with) == 0;
}

/// What undoes a compression that is not read here, or null.
const char *foreign_compression(std::string_view bytes) {
  if (begins_with(bytes, "\x28\xb5\x2f\xfd"))
    return "it is compressed with Zstandard, which is not read: decompress it first (zstd -d "
           "FILE), or compress it with gzip";
  if (begins_with(bytes, "BZh"))
    return "it is compressed with bzip2, which is not read: decompress it first (bunzip2 FILE), or "
           "compress it with gzip";
  if (begins_with(bytes, "\xfd"
                         "7zXZ"))
    return "it is compressed with xz, which is not read: decompress it first (unxz FILE), or "
           "compress it with gzip";
  return nullptr;
}

/// A stream of zlib that ends with its scope.
struct Inflater {
  z_stream stream = {};
  bool is_open = false;
  Inflater() {
    constexpr int gzip_alone = 16 + MAX_WBITS;
    is_open = inflateInit2(&stream, gzip_alone) == Z_OK;
  }
  ~Inflater() {
    if (is_open)
      inflateEnd(&stream);
  }
};

/// Gives `take` what the members of `bytes` hold, piece by piece.
template <typename Take> Error inflate_all(std::string_view bytes, Take take) {
  Inflater inflater;
  if (!inflater.is_open)
    return Error::make(TUTTI_SYSTEM_ERROR, "zlib does not begin to inflate it");
  z_stream &stream = inflater.stream;
  std::array<char, 1 << 16> piece;
  size_t at = 0;
  bool is_over = false;
  while (!is_over) {
    auto given = uInt(std::min<size_t>(bytes.size() - at, UINT_MAX));
    stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(bytes.data() + at));
    stream.avail_in = given;
    stream.next_out = reinterpret_cast<Bytef *>(piece.data());
    stream.avail_out = uInt(piece.size());
    int status = inflate(&stream, Z_NO_FLUSH);
    at += given - stream.avail_in;
    if (status != Z_OK && status != Z_STREAM_END)
      return Error::make(TUTTI_BAD_DATA,
                         "it is compressed with gzip, and damaged or cut off at byte ", at, " (",
                         stream.msg ? stream.msg : "its end is missing", ")");
    if (Error error = take(std::string_view(piece.data(), piece.size() - stream.avail_out)))
      return error;
    if (status != Z_STREAM_END)
      continue;
    is_over = !begins_with(bytes.substr(at), "\x1f\x8b"); // else another member follows
    if (!is_over)
      inflateReset(&stream);
  }
  if (bytes.find_first_not_of('\0', at) != bytes.npos)
    return Error::make(TUTTI_BAD_DATA, "after the text that is compressed with gzip, at byte ", at,
                       ", something else follows");
  return Error::success();
}

/// As many bytes as the text has, before memory is taken for it.
Result<uint64_t> inflated_bytes(std::string_view bytes) {
  uint64_t count = 0, available = available_memory();
  Error error = inflate_all(bytes, [&](std::string_view piece) {
    count += piece.size();
    return count <= available ? Error::success() : check_inflation(bytes.size(), count, available);
  });
  if (!error)
    error = check_inflation(bytes.size(), count, available);
  return error ? Result<uint64_t>(error) : Result<uint64_t>(count);
}

Result<std::shared_ptr<const MappedFile>> inflated(std::string_view bytes,
                                                   const std::string &path) {
  Result<uint64_t> count = inflated_bytes(bytes);
  if (!count)
    return count.error();
  Result<SealedMemory> memory = SealedMemory::make(path, size_t(*count));
  if (!memory)
    return memory.error();
  size_t done = 0;
  Error error = inflate_all(bytes, [&](std::string_view piece) {
    if (piece.size() > *count - done)
      return Error::make(TUTTI_BAD_DATA, "the file changes while it is read");
    if (!piece.empty())
      std::memcpy(memory->begin() + done, piece.data(), piece.size());
    done += piece.size();
    return Error::success();
  });
  if (!error)
    error = memory->seal();
  if (error)
    return error;
  return MappedFile::open(memory->path());
}

} // namespace

std::string without_compression(const std::string &path) {
  for (std::string_view ending : {".gz", ".zst"})
    if (ends_with(path, ending))
      return path.substr(0, path.size() - ending.size());
  return path;
}

Result<std::shared_ptr<const MappedFile>> map_text(const std::string &path) {
  Result<std::shared_ptr<const MappedFile>> file = MappedFile::open(path);
  if (!file)
    return file;
  std::string_view bytes = (*file)->bytes();
  if (const char *problem = foreign_compression(bytes))
    return Error::make(TUTTI_BAD_DATA, "dataset '", path, "': ", problem);
  if (!begins_with(bytes, "\x1f\x8b"))
    return file;
  auto text = inflated(bytes, path);
  if (!text)
    return Error::make(text.error().status, "dataset '", path, "': ", text.error().message);
  return text;
}

} // namespace tutti::runtime::data
