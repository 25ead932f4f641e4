// Loading compiled programs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/program/Program.h"

#include <algorithm>
#include <dlfcn.h>
#include <fcntl.h>
#include <filesystem>
#include <link.h>
#include <unistd.h>

namespace tutti::runtime::worker {

using dl_segment = ElfW(Phdr);

namespace {
/// The memory of a library.
struct Segments {
  uintptr_t base, begin = UINTPTR_MAX, end = 0;

  void add(const dl_segment &segment) {
    uintptr_t start = base + segment.p_vaddr;
    begin = std::min(begin, start);
    end = std::max(end, start + segment.p_memsz);
  }
};
} // namespace

/// The segments of `library`; none if the loader does not tell them.
static Segments find_segments(void *library) {
  link_map *loaded = nullptr;
  if (dlinfo(library, RTLD_DI_LINKMAP, &loaded) != 0)
    return {0};
  Segments found{loaded->l_addr};
  auto visit = [](dl_phdr_info *info, size_t, void *raw) {
    auto &search = *static_cast<Segments *>(raw);
    for (int i = 0; info->dlpi_addr == search.base && i < info->dlpi_phnum; ++i)
      if (info->dlpi_phdr[i].p_type == PT_LOAD)
        search.add(info->dlpi_phdr[i]);
    return 0;
  };
  dl_iterate_phdr(visit, &found);
  return found;
}

static std::shared_ptr<const NamedMemory> name_memory(const Segments &segments,
                                                      const std::string &path) {
  if (segments.begin >= segments.end)
    return nullptr;
  return std::make_shared<NamedMemory>(reinterpret_cast<void *>(segments.begin),
                                       segments.end - segments.begin,
                                       "the compiled program '" + path + "'");
}

/// The loader knows libraries by their path, and a path such as /proc/self/fd/5 is one file after
/// the other: the library gets a descriptor of its own, which stays open as it stays loaded.
static void *open_library(const std::string &path) {
  int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  void *library = dlopen(file < 0 ? std::filesystem::absolute(path).c_str()
                                  : text("/proc/self/fd/", file).c_str(),
                         RTLD_NOW | RTLD_LOCAL);
  if (!library && file >= 0)
    close(file);
  return library;
}

Result<Program> Program::load(const std::string &path, const ValuePlaces &places, int64_t ranks) {
  Result<Manifest> manifest = Manifest::read(path);
  if (!manifest)
    return manifest.error();
  if (manifest->ranks != ranks)
    return Error::make(TUTTI_BAD_PROGRAM, "'", path, "' is compiled for ", manifest->ranks,
                       " ranks, this run has ", ranks, "; specialise it again");
  void *library = open_library(path);
  if (!library)
    return Error::make(TUTTI_BAD_PROGRAM, "cannot load '", path, "': ", dlerror());
  Program program;
  program.memory = name_memory(find_segments(library), path);
  program.manifest = std::move(*manifest);
  auto symbol = [&](const char *name) { return dlsym(library, name); };
  program.initialize = reinterpret_cast<tutti_initialize_function>(symbol(TUTTI_SYMBOL_INITIALIZE));
  program.step = reinterpret_cast<tutti_step_function>(symbol(TUTTI_SYMBOL_STEP));
  program.evaluate = reinterpret_cast<tutti_evaluate_function>(symbol(TUTTI_SYMBOL_EVALUATE));
  program.prefetch = reinterpret_cast<tutti_prefetch_function>(symbol(TUTTI_SYMBOL_PREFETCH));
  if (!program.initialize || !program.step)
    return Error::make(TUTTI_BAD_PROGRAM, "'", path, "' lacks " TUTTI_SYMBOL_INITIALIZE " or ",
                       TUTTI_SYMBOL_STEP);
  if (program.manifest.evaluation && !program.evaluate)
    return Error::make(TUTTI_BAD_PROGRAM, "'", path,
                       "' lacks the " TUTTI_SYMBOL_EVALUATE " that its manifest promises");
  auto **table = static_cast<const void **>(symbol(TUTTI_SYMBOL_VALUES));
  if (!program.manifest.values.empty() && !table)
    return Error::make(TUTTI_BAD_PROGRAM, "'", path,
                       "' lacks the " TUTTI_SYMBOL_VALUES " that its manifest promises");
  Result<Values> values = Values::map(program.manifest, places, table);
  if (!values)
    return values.error();
  program.values = std::move(*values);
  return program;
}

Result<size_t> program_of_rank(const std::vector<std::string> &programs, int64_t rank) {
  if (programs.size() == 1)
    return 0;
  Result<Manifest> larger = Manifest::read(programs[0]);
  if (!larger)
    return larger.error();
  return larger->shard(rank).local_samples() == larger->local_batch ? 0 : 1;
}

} // namespace tutti::runtime::worker
