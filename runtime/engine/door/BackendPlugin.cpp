// Backends by name: the embedded ones, and shared objects beside this library.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/core/Door.h"
#include "runtime/support/system/LoadLibrary.h"

#include <cstdio>
#include <cstdlib>
#include <vector>

using namespace tutti::runtime;

namespace {

/// Where plug-ins may lie: TUTTI_BACKEND_PATH alone if it is set; else where all of ours are.
std::vector<std::string> folders() {
  const char *given = std::getenv("TUTTI_BACKEND_PATH");
  if (!given)
    return library_folders();
  std::vector<std::string> all;
  std::string rest = given;
  for (size_t end; (end = rest.find(':')) != std::string::npos; rest.erase(0, end + 1))
    all.push_back(rest.substr(0, end));
  all.push_back(rest);
  return all;
}

/// "mpi" is the one whose launcher started this process.
std::string resolve(const std::string &name) {
  if (name != "mpi")
    return name;
  bool is_openmpi = std::getenv("OMPI_COMM_WORLD_RANK"), is_mpich = std::getenv("PMI_RANK");
  return is_mpich && !is_openmpi ? "mpich" : "openmpi";
}

Result<const tutti_backend *> load(const std::string &name) {
  Result<LoadedLibrary> library = load_library("libtutti_backend_" + name + ".so", folders());
  if (!library)
    return library.error();
  auto entry = reinterpret_cast<tutti_backend_entry>(library->find(TUTTI_BACKEND_ENTRY_SYMBOL));
  const tutti_backend *backend = entry ? entry() : nullptr;
  if (!backend)
    return Error::make(TUTTI_UNSUPPORTED, library->path, " has no function ",
                       TUTTI_BACKEND_ENTRY_SYMBOL);
  if (backend->version != TUTTI_BACKEND_VERSION)
    return Error::make(TUTTI_UNSUPPORTED, library->path, " is for version ", backend->version,
                       " of the backend interface, this library has ", TUTTI_BACKEND_VERSION);
  return backend;
}

Result<const tutti_backend *> find(const std::string &name) {
  if (name == "self")
    return tutti_backend_self();
  if (name == "shm")
    return tutti_backend_shm();
  if (name.empty() || name.find('/') != std::string::npos)
    return Error::make(TUTTI_INVALID_ARGUMENT, "this is no name of a backend");
  return load(resolve(name));
}

} // namespace

int32_t door::tutti_backend_load(const char *name, const tutti_backend **out_backend,
                                 char *out_message, int64_t message_bytes) {
  Result<const tutti_backend *> found = find(name ? name : "");
  *out_backend = found ? *found : nullptr;
  if (found)
    return TUTTI_OK;
  std::string message =
      text("backend '", name ? name : "", "' is not available: ", found.error().message);
  if (out_message && message_bytes > 0)
    std::snprintf(out_message, size_t(message_bytes), "%s", message.c_str());
  return found.error().status;
}
