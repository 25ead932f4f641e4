// PMIx, by a library that is loaded when somebody needs it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/backends/gloo/meeting/LauncherStore.h"

#ifdef TUTTI_HAS_PMIX
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <future>
#include <pmix.h>
#endif

namespace tutti::runtime::gloo_backend {

#ifndef TUTTI_HAS_PMIX

Result<std::unique_ptr<LauncherStore>> open_pmix(int32_t, int32_t) {
  return Error::make(TUTTI_UNSUPPORTED, "backend 'gloo' was built without PMIx (package "
                                        "libpmix-dev), by which ranks of this launcher would meet; "
                                        "give --rendezvous");
}

#else

namespace {

constexpr char file[] = "libpmix.so.2";

/// The functions of the library, as pmix.h declares them.
struct Library {
  decltype(&PMIx_Init) init;
  decltype(&PMIx_Finalize) finalize;
  decltype(&PMIx_Put) put;
  decltype(&PMIx_Commit) commit;
  decltype(&PMIx_Fence_nb) fence;
  decltype(&PMIx_Get) get;
  decltype(&PMIx_Error_string) error_string;

  Error load();

private:
  template <typename Function> Error find(void *handle, const char *name, Function &function) {
    function = reinterpret_cast<Function>(dlsym(handle, name));
    return function ? Error::success()
                    : Error::make(TUTTI_UNSUPPORTED, file, " has no function ", name,
                                  "; give --rendezvous to meet without it");
  }
};

Error Library::load() {
  void *handle = dlopen(file, RTLD_NOW | RTLD_GLOBAL); // its own plug-ins need its names
  if (!handle)
    return Error::make(TUTTI_UNSUPPORTED, "ranks of this launcher meet by PMIx, but ", dlerror(),
                       "; install it (package libpmix2), or give --rendezvous");
  Error error = find(handle, "PMIx_Init", init);
  if (!error)
    error = find(handle, "PMIx_Finalize", finalize);
  if (!error)
    error = find(handle, "PMIx_Put", put);
  if (!error)
    error = find(handle, "PMIx_Commit", commit);
  if (!error)
    error = find(handle, "PMIx_Fence_nb", fence);
  if (!error)
    error = find(handle, "PMIx_Get", get);
  return error ? error : find(handle, "PMIx_Error_string", error_string);
}

class Pmix : public LauncherStore {
public:
  Error begin(int32_t rank, int32_t size) {
    if (Error error = library.load())
      return error;
    if (Error error = check("PMIx_Init", library.init(&self, nullptr, 0)))
      return error;
    is_open = true;
    pmix_value_t *found = nullptr;
    pmix_proc_t job = of_rank(PMIX_RANK_WILDCARD);
    if (Error error = check("PMIx_Get", library.get(&job, PMIX_JOB_SIZE, nullptr, 0, &found)))
      return error;
    uint32_t all = found->type == PMIX_UINT32 ? found->data.uint32 : 0;
    std::free(found);
    if (self.rank == uint32_t(rank) && all == uint32_t(size))
      return Error::success();
    return Error::make(TUTTI_INVALID_ARGUMENT, "this is rank ", rank, " of ", size,
                       ", but the launcher's PMIx knows it as rank ", self.rank, " of ", all,
                       "; give --rendezvous to meet without it");
  }
  ~Pmix() override { (void)leave(); }

  Error put(const std::string &text) override {
    pmix_value_t value = {};
    value.type = PMIX_STRING;
    value.data.string = const_cast<char *>(text.c_str()); // it is copied
    Error error = check("PMIx_Put", library.put(PMIX_GLOBAL, launcher_key, &value));
    return error ? error : check("PMIx_Commit", library.commit());
  }
  /// All ranks of the job, and what they have put.
  Error enter() override {
    pmix_proc_t job = of_rank(PMIX_RANK_WILDCARD);
    std::strncpy(collect.key, PMIX_COLLECT_DATA, PMIX_MAX_KEYLEN);
    collect.value.type = PMIX_BOOL;
    collect.value.data.flag = true;
    auto promise = std::make_unique<std::promise<pmix_status_t>>();
    have_all = promise->get_future();
    std::promise<pmix_status_t> *told = promise.release(); // be_told() ends it, maybe already now
    pmix_status_t status = library.fence(&job, 1, &collect, 1, be_told, told);
    if (status == PMIX_SUCCESS)
      return Error::success();
    be_told(status == PMIX_OPERATION_SUCCEEDED ? PMIX_SUCCESS : status, told); // nobody else will
    return Error::success();
  }
  Result<bool> have_all_entered(std::chrono::milliseconds limit) override {
    if (have_all.wait_for(limit) != std::future_status::ready)
      return false;
    if (Error error = check("PMIx_Fence_nb", have_all.get()))
      return error;
    return true;
  }
  Result<std::string> get() override {
    pmix_value_t *found = nullptr;
    pmix_proc_t first = of_rank(0);
    if (Error error = check("PMIx_Get", library.get(&first, launcher_key, nullptr, 0, &found)))
      return error;
    std::string text = found->type == PMIX_STRING ? found->data.string : "";
    if (found->type == PMIX_STRING)
      std::free(found->data.string);
    std::free(found);
    return text;
  }
  Error leave() override {
    if (!is_open)
      return Error::success();
    is_open = false;
    return check("PMIx_Finalize", library.finalize(nullptr, 0));
  }

private:
  static void be_told(pmix_status_t status, void *promise) {
    std::unique_ptr<std::promise<pmix_status_t>> told(
        static_cast<std::promise<pmix_status_t> *>(promise));
    told->set_value(status);
  }
  pmix_proc_t of_rank(pmix_rank_t rank) const {
    pmix_proc_t process = self;
    process.rank = rank;
    return process;
  }
  Error check(const char *call, pmix_status_t status) const {
    if (status == PMIX_SUCCESS)
      return Error::success();
    return Error::make(TUTTI_SYSTEM_ERROR, call,
                       " of the launcher's PMIx failed: ", library.error_string(status),
                       "; give --rendezvous to meet without it");
  }

  Library library = {};
  pmix_proc_t self = {};
  pmix_info_t collect = {};
  std::future<pmix_status_t> have_all;
  bool is_open = false;
};

} // namespace

Result<std::unique_ptr<LauncherStore>> open_pmix(int32_t rank, int32_t size) {
  if (!std::getenv("PMIX_NAMESPACE"))
    return Error::make(TUTTI_INVALID_ARGUMENT, "PMIX_NAMESPACE is not set: no launcher with PMIx "
                                               "has started this process; give --rendezvous");
  auto pmix = std::make_unique<Pmix>();
  if (Error error = pmix->begin(rank, size))
    return error;
  return std::unique_ptr<LauncherStore>(std::move(pmix));
}

#endif

} // namespace tutti::runtime::gloo_backend
