// Loading compiled programs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/program/Program.h"

#include <algorithm>
#include <dlfcn.h>
#include <filesystem>
#include <link.h>

namespace tutti::runtime::worker {

/// Names the memory of `library`, all its segments.
static std::shared_ptr<const NamedMemory> name_memory(void *library, const std::string &path) {
  link_map *loaded = nullptr;
  if (dlinfo(library, RTLD_DI_LINKMAP, &loaded) != 0)
    return nullptr;
  struct Search {
    uintptr_t base, begin, end;
  } found = {loaded->l_addr, UINTPTR_MAX, 0};
  auto visit = [](dl_phdr_info *info, size_t, void *raw) {
    auto &search = *static_cast<Search *>(raw);
    for (int i = 0; info->dlpi_addr == search.base && i < info->dlpi_phnum; ++i)
      if (const auto &segment = info->dlpi_phdr[i]; segment.p_type == PT_LOAD) {
        search.begin = std::min(search.begin, search.base + segment.p_vaddr);
        search.end = std::max(search.end, search.base + segment.p_vaddr + segment.p_memsz);
      }
    return 0;
  };
  dl_iterate_phdr(visit, &found);
  if (found.begin >= found.end)
    return nullptr;
  return std::make_shared<NamedMemory>(reinterpret_cast<void *>(found.begin),
                                       found.end - found.begin,
                                       "the compiled program '" + path + "'");
}

Result<Program> Program::load(const std::string &path, int64_t ranks) {
  Result<Manifest> manifest = Manifest::read(path);
  if (!manifest)
    return manifest.error();
  if (manifest->ranks != ranks)
    return Error::make(TUTTI_BAD_PROGRAM, "'", path, "' is compiled for ", manifest->ranks,
                       " ranks, this run has ", ranks, "; specialise it again");
  // Without a slash dlopen would search the library path.
  void *library = dlopen(std::filesystem::absolute(path).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return Error::make(TUTTI_BAD_PROGRAM, "cannot load '", path, "': ", dlerror());
  Program program;
  program.memory = name_memory(library, path);
  program.manifest = std::move(*manifest);
  auto symbol = [&](const char *name) { return dlsym(library, name); };
  program.initialize = reinterpret_cast<tutti_initialize_function>(symbol(TUTTI_SYMBOL_INITIALIZE));
  program.step = reinterpret_cast<tutti_step_function>(symbol(TUTTI_SYMBOL_STEP));
  program.evaluate = reinterpret_cast<tutti_evaluate_function>(symbol(TUTTI_SYMBOL_EVALUATE));
  if (!program.initialize || !program.step)
    return Error::make(TUTTI_BAD_PROGRAM, "'", path, "' lacks " TUTTI_SYMBOL_INITIALIZE " or ",
                       TUTTI_SYMBOL_STEP);
  if (program.manifest.evaluation && !program.evaluate)
    return Error::make(TUTTI_BAD_PROGRAM, "'", path,
                       "' lacks the " TUTTI_SYMBOL_EVALUATE " that its manifest promises");
  return program;
}

Result<std::string> program_of_rank(const std::vector<std::string> &programs, int64_t rank) {
  if (programs.size() == 1)
    return programs[0];
  Result<Manifest> larger = Manifest::read(programs[0]);
  if (!larger)
    return larger.error();
  return programs[larger->shard(rank).local_samples() == larger->local_batch ? 0 : 1];
}

} // namespace tutti::runtime::worker
