// Files of tokens.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/data/Formats.h"
#include "runtime/support/system/MappedFile.h"

#include <cstring>

namespace tutti::runtime::data {
namespace {

/// Stored as `Stored`, read as `Read`, which has all of its values.
template <typename Stored, typename Read> class Tokens : public SampleSource {
public:
  Tokens(std::shared_ptr<const MappedFile> file, int64_t length)
      : file(std::move(file)), length(length) {}

  Error read(int64_t /*epoch*/, const std::vector<int64_t> &rows,
             std::vector<const char *> &out_columns) override {
    tokens.resize(rows.size() * size_t(length));
    targets.resize(tokens.size());
    for (size_t i = 0; i < rows.size(); ++i) {
      const char *from = file->bytes().data() + size_t(rows[i] * length) * sizeof(Stored);
      for (int64_t k = 0; k <= length; ++k) {
        Stored token;
        std::memcpy(&token, from + size_t(k) * sizeof token, sizeof token);
        size_t place = i * size_t(length) + size_t(k);
        if (k < length)
          tokens[place] = token;
        if (k > 0)
          targets[place - 1] = token;
      }
    }
    out_columns = {reinterpret_cast<const char *>(tokens.data()),
                   reinterpret_cast<const char *>(targets.data())};
    return Error::success();
  }
  bool is_stored() const override { return true; }

private:
  std::shared_ptr<const MappedFile> file;
  int64_t length;
  std::vector<Read> tokens, targets;
};

} // namespace

Result<Columns> open_tokens(const std::string &path, const Opening &opening) {
  auto refuse = [&](auto... parts) {
    return Error::make(TUTTI_BAD_DATA, "dataset '", path, "': ", parts...);
  };
  const std::string &type = opening.options.tokens;
  int64_t length = opening.options.length;
  if (length < 1)
    return refuse("it is a file of tokens (.bin): say how many make a sample, and of which type "
                  "they are: --read=\"tokens=",
                  type, " length=128\"");
  Result<std::shared_ptr<const MappedFile>> file = MappedFile::open(path);
  if (!file)
    return file.error();
  int64_t size = type == "u16" ? 2 : 4, bytes = int64_t((*file)->bytes().size());
  if (bytes % size != 0)
    return refuse("its ", bytes, " bytes are no whole number of tokens of ", size,
                  " bytes; --read=\"tokens=u16\" or u32 says their type");
  int64_t count = bytes / size, samples = (count - 1) / length; // the last target is one further on
  if (count < 1 || samples < 1)
    return refuse("its ", count, " tokens are too few for a sample of ", length,
                  " and the token after them");
  std::shared_ptr<SampleSource> source; // one for both, so that they are read together
  if (size == 2)
    source = std::make_shared<Tokens<uint16_t, int32_t>>(*file, length);
  else
    source = std::make_shared<Tokens<uint32_t, int64_t>>(*file, length);
  Columns columns;
  for (const char *name : {"tokens", "targets"}) {
    Array array{name, size == 2 ? TUTTI_I32 : TUTTI_I64, {samples, length}};
    array.source = source;
    array.column = columns.size();
    columns.push_back({name, path, [array]() -> Result<Array> { return array; }});
  }
  return columns;
}

} // namespace tutti::runtime::data
