// Reading NumPy's .npz through libzip. An entry is inflated only after its own .npy header, the
// zip's directory and the limits of deflate agree on its size, so a small file cannot ask for a
// large memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/data/Inflation.h"
#include "runtime/host/data/Readers.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <zip.h>

namespace tutti::runtime::data {
namespace {

/// Deflate cannot shrink by more than this factor; RFC 1951 allows 258 bytes in two bits.
constexpr uint64_t deflate_limit = 1032;
constexpr int64_t most_entries = 65536;
/// Enough of an entry to hold any sensible .npy header.
constexpr size_t header_bytes = 1 << 16;

struct CloseArchive {
  void operator()(zip_t *archive) const { zip_discard(archive); }
};
struct CloseFile {
  void operator()(zip_file_t *file) const { zip_fclose(file); }
};
using Archive = std::unique_ptr<zip_t, CloseArchive>;
using File = std::unique_ptr<zip_file_t, CloseFile>;

std::string array_name(std::string_view name) {
  constexpr std::string_view ending = ".npy";
  if (name.size() > ending.size() && name.substr(name.size() - ending.size()) == ending)
    name.remove_suffix(ending.size());
  return std::string(name);
}

/// One array of the zip: looked at first, inflated once there is memory for it.
class Entry {
public:
  Entry(zip_t *archive, int64_t index) : archive(archive), index(index) { zip_stat_init(&status); }

  /// Whether it may be inflated. To be asked first.
  Error open() {
    constexpr zip_uint64_t needed =
        ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD;
    if (zip_stat_index(archive, index, 0, &status) != 0 || (status.valid & needed) != needed)
      return Error::bad_data(text("entry ", index, " of the zip cannot be read"));
    return named(check());
  }

  uint64_t size() const { return status.size; }
  std::string name() const { return array_name(status.name); }

  /// The whole .npy, to memory of its size.
  Error inflate(char *to) {
    std::copy(beginning.begin(), beginning.end(), to);
    bool is_whole = read_exactly(file.get(), to + beginning.size(), size() - beginning.size()) &&
                    is_at_end(file.get());
    return is_whole ? Error::success() : named(Error::bad_data("its data is damaged"));
  }

  Error named(const Error &error) const {
    return error ? Error::make(error.status, "array '", status.name, "': ", error.message) : error;
  }

private:
  Error check() {
    if (status.comp_method != ZIP_CM_STORE && status.comp_method != ZIP_CM_DEFLATE)
      return Error::bad_data("it is compressed by another method than deflate");
    if (status.size > status.comp_size * deflate_limit + header_bytes)
      return Error::bad_data(text("it claims to inflate from ", status.comp_size, " to ",
                                  status.size, " bytes, which deflate cannot do"));
    if (Error error = check_inflation(status.comp_size, status.size, available_memory()))
      return error;
    file.reset(zip_fopen_index(archive, index, 0));
    if (!file)
      return Error::bad_data(zip_strerror(archive));
    beginning.resize(std::min<uint64_t>(header_bytes, status.size));
    if (!read_exactly(file.get(), beginning.data(), beginning.size()))
      return Error::bad_data("its data is damaged");
    Result<int64_t> bytes = npy_file_bytes(beginning);
    if (!bytes)
      return bytes.error();
    if (uint64_t(*bytes) != status.size)
      return Error::bad_data(
          text("its header asks for ", *bytes, " bytes, the zip holds ", status.size));
    return Error::success();
  }

  static bool read_exactly(zip_file_t *file, char *to, uint64_t bytes) {
    while (bytes > 0) {
      int64_t got = zip_fread(file, to, std::min<uint64_t>(bytes, 1 << 30));
      if (got <= 0)
        return false;
      to += got;
      bytes -= got;
    }
    return true;
  }

  /// Reading to the end also makes libzip check the checksum.
  static bool is_at_end(zip_file_t *file) {
    char extra;
    return zip_fread(file, &extra, 1) == 0;
  }

  zip_t *archive;
  int64_t index;
  zip_stat_t status;
  File file;
  std::string beginning; ///< of the .npy
};

Result<Archive> open_archive(const std::string &path) {
  int code = 0;
  Archive archive(zip_open(path.c_str(), ZIP_RDONLY | ZIP_CHECKCONS, &code));
  if (archive)
    return {std::move(archive)};
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  Error result = Error::bad_data(text("it is not a readable zip: ", zip_error_strerror(&error)));
  zip_error_fini(&error);
  return result;
}

/// What `use` makes of an array that may be inflated.
template <typename Made, typename Use>
Result<Made> with_entry(const std::string &path, int64_t index, Use use) {
  Result<Archive> archive = open_archive(path);
  if (!archive)
    return archive.error();
  Entry entry(archive->get(), index);
  if (Error error = entry.open())
    return error;
  return use(entry);
}

} // namespace

Result<std::vector<std::string>> list_npz(const std::string &path) {
  Result<Archive> archive = open_archive(path);
  if (!archive)
    return archive.error();
  int64_t count = zip_get_num_entries(archive->get(), 0);
  if (count > most_entries)
    return Error::bad_data(text("it has ", count, " entries, more than ", most_entries));
  std::vector<std::string> names;
  for (int64_t i = 0; i < count; ++i) {
    const char *name = zip_get_name(archive->get(), i, 0);
    if (!name)
      return Error::bad_data(text("entry ", i, " of the zip cannot be read"));
    names.push_back(array_name(name));
  }
  return names;
}

Result<Array> read_npz(const std::string &path, int64_t index) {
  return with_entry<Array>(path, index, [](Entry &entry) -> Result<Array> {
    std::shared_ptr<char[]> memory(new (std::nothrow) char[entry.size()]);
    if (!memory)
      return entry.named(
          Error::make(TUTTI_OUT_OF_MEMORY, "no memory for ", entry.size(), " bytes"));
    if (Error error = entry.inflate(memory.get()))
      return error;
    Result<Array> array = read_npy(entry.name(), {memory.get(), entry.size()}, memory);
    return array ? array : entry.named(array.error());
  });
}

Result<SealedMemory> seal_npz(const std::string &path, int64_t index) {
  return with_entry<SealedMemory>(path, index, [&](Entry &entry) -> Result<SealedMemory> {
    Result<SealedMemory> memory = SealedMemory::make(path + ": " + entry.name(), entry.size());
    if (!memory)
      return entry.named(memory.error());
    Error error = entry.inflate(memory->begin());
    if (!error)
      error = memory->seal();
    if (error)
      return error;
    return memory;
  });
}

} // namespace tutti::runtime::data
