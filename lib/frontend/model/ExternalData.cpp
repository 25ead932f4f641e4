// Finds, checks and maps external tensor data.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/model/ExternalData.h"

#include "lib/frontend/model/OpenBeneath.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cerrno>
#include <fcntl.h>
#include <optional>
#include <unistd.h>

using namespace mlir;
using namespace tutti::frontend;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

static InFlightDiagnostic errorAboutFile(const proto::TensorProto &tensor, Location location) {
  return emitError(location) << "external data of tensor '" << tensor.name() << "': ";
}

static llvm::Error refuse(const Twine &reason) {
  return llvm::createStringError(std::make_error_code(std::errc::permission_denied), reason);
}

static std::error_code lastError() { return std::error_code(errno, std::generic_category()); }

/// What is wrong with a location before anything is opened.
static llvm::Error checkLocation(StringRef name) {
  if (name.empty())
    return refuse("its entry has no 'location'");
  if (name.contains('\0'))
    return refuse("its location contains a NUL character");
  if (path::is_absolute(name))
    return refuse("its location '" + name +
                  "' is absolute; it must be relative to the model's folder");
  if (llvm::is_contained(llvm::make_range(path::begin(name), path::end(name)), ".."))
    return refuse("its location '" + name + "' leaves the model's folder");
  return llvm::Error::success();
}

llvm::Expected<int> ExternalData::open(StringRef name) const {
  if (llvm::Error error = checkLocation(name))
    return error;
  int root = ::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (root < 0)
    return refuse("cannot open the folder '" + folder + "': " + lastError().message());
  int file = openBeneath(root, name);
  int reason = errno;
  close(root);
  if (file < 0 && (reason == EXDEV || reason == ELOOP))
    return refuse(
        "its location '" + name +
        "' leads out of the model's folder by a link; links must be relative and stay in it");
  if (file < 0) {
    std::error_code code(reason, std::generic_category());
    return llvm::createStringError(code, "cannot open '" + name + "': " + code.message() +
                                             "; the file must lie beside the model, as it was "
                                             "exported");
  }
  fs::file_status status;
  if (!fs::status(file, status) && fs::is_regular_file(status))
    return file;
  close(file);
  return refuse("'" + name + "' is not a regular file");
}

FailureOr<std::shared_ptr<llvm::MemoryBuffer>>
ExternalData::map(StringRef name, const proto::TensorProto &tensor, Location location) {
  auto found = files.find(name);
  if (found != files.end())
    return found->second;
  llvm::Expected<int> file = open(name);
  if (!file) {
    std::error_code code;
    std::string message;
    llvm::handleAllErrors(file.takeError(), [&](const llvm::ErrorInfoBase &error) {
      code = error.convertToErrorCode();
      message = error.message();
    });
    if (mayBeMissing && code == std::errc::no_such_file_or_directory)
      return files[name] = nullptr;
    return errorAboutFile(tensor, location) << message;
  }
  // The file that was checked is the one that is read.
  auto buffer = llvm::MemoryBuffer::getOpenFile(*file, name, /*FileSize=*/-1,
                                                /*RequiresNullTerminator=*/false);
  close(*file);
  if (!buffer)
    return errorAboutFile(tensor, location)
           << "cannot read '" << name << "': " << buffer.getError().message();
  return files[name] = std::shared_ptr<llvm::MemoryBuffer>(std::move(*buffer));
}

namespace {
/// The key-value pairs of TensorProto.external_data.
struct Entry {
  std::string location;
  std::optional<uint64_t> offset, length;
};
} // namespace

static FailureOr<Entry> readEntry(const proto::TensorProto &tensor, Location location) {
  Entry entry;
  for (const auto &pair : tensor.external_data()) {
    if (pair.key() == "location") {
      entry.location = pair.value();
      continue;
    }
    if (pair.key() != "offset" && pair.key() != "length")
      continue; // a checksum, or what other tools note
    uint64_t number = 0;
    if (StringRef(pair.value()).getAsInteger(10, number))
      return errorAboutFile(tensor, location)
             << "its " << pair.key() << " '" << pair.value() << "' is not a number of bytes";
    (pair.key() == "offset" ? entry.offset : entry.length) = number;
  }
  return entry;
}

FailureOr<MappedBytes> ExternalData::find(const proto::TensorProto &tensor, uint64_t size,
                                          Location location) {
  FailureOr<Entry> entry = readEntry(tensor, location);
  if (failed(entry))
    return failure();
  if (entry->length && *entry->length != size)
    return errorAboutFile(tensor, location)
           << "its length is " << *entry->length << " bytes, but its type needs " << size;
  FailureOr<std::shared_ptr<llvm::MemoryBuffer>> file = map(entry->location, tensor, location);
  if (failed(file))
    return failure();
  uint64_t offset = entry->offset.value_or(0);
  if (!*file)
    return MappedBytes{{}, nullptr, entry->location, offset};
  uint64_t fileSize = (*file)->getBufferSize();
  if (offset > fileSize || size > fileSize - offset)
    return errorAboutFile(tensor, location)
           << "'" << entry->location << "' has " << fileSize << " bytes, but the tensor wants "
           << size << " from offset " << offset;
  return MappedBytes{ArrayRef<char>((*file)->getBufferStart() + offset, size), *file};
}
