// The system's loader, which knows where this code was loaded from.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/support/system/LoadLibrary.h"

#include <cerrno>
#include <dlfcn.h>
#include <filesystem>

namespace tutti::runtime {

void *LoadedLibrary::find(const char *function) const { return dlsym(handle, function); }

/// The folder of the file that holds this function. Of a program itself the loader knows only the
/// word that it was called by.
static std::string own_folder() {
  Dl_info info = {};
  if (!dladdr(reinterpret_cast<void *>(&own_folder), &info) || !info.dli_fname)
    return ".";
  std::string path = info.dli_fname;
  std::error_code ignored;
  if (path == program_invocation_name)
    path = std::filesystem::read_symlink("/proc/self/exe", ignored).string();
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

std::vector<std::string> library_folders() {
  std::string own = own_folder();
  return {own, own + "/tutti", own + "/../lib/tutti", own + "/../lib"};
}

Result<LoadedLibrary> load_library(const std::string &file,
                                   const std::vector<std::string> &folders) {
  std::string tried;
  for (const std::string &folder : folders) {
    std::string path = folder + "/" + file;
    if (void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL))
      return LoadedLibrary{library, path};
    tried += text(tried.empty() ? "" : "; ", dlerror());
  }
  return Error::make(TUTTI_UNSUPPORTED, tried);
}

} // namespace tutti::runtime
