// By PMI-1 through the connection that the launcher left, or by PMIx through a library that is
// loaded only then.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/dist-run/EndLaunch.h"

#include <cstdlib>
#include <cstring>
#include <poll.h>
#include <string>
#include <unistd.h>

#ifdef TUTTI_HAS_PMIX
#include <dlfcn.h>
#include <future>
#include <memory>
#include <pmix.h>
#include <thread>
#endif

static bool sendWhole(int file, const char *text) {
  return write(file, text, std::strlen(text)) == ssize_t(std::strlen(text));
}

static void endByPmi(int launcher, int status) {
  char answer[256];
  pollfd wait = {launcher, POLLIN, 0};
  if (sendWhole(launcher, "cmd=init pmi_version=1 pmi_subversion=1\n") &&
      poll(&wait, 1, 1000) > 0 && read(launcher, answer, sizeof answer) > 0)
    (void)sendWhole(launcher, ("cmd=abort exitcode=" + std::to_string(status) + "\n").c_str());
}

/// mpirun speaks PMIx, too, but ends ranks by itself.
static bool isRankOfSrunWithPmix() {
  return std::getenv("PMIX_NAMESPACE") && std::getenv("SLURM_STEP_ID") &&
         !std::getenv("OMPI_COMM_WORLD_RANK");
}

#ifdef TUTTI_HAS_PMIX

static void askPmix(int status) {
  void *library = dlopen("libpmix.so.2", RTLD_NOW | RTLD_GLOBAL); // its plug-ins need its names
  if (!library) // then the ranks of this launcher cannot meet by it, and say so themselves
    return;
  auto init = reinterpret_cast<decltype(&PMIx_Init)>(dlsym(library, "PMIx_Init"));
  auto abort = reinterpret_cast<decltype(&PMIx_Abort)>(dlsym(library, "PMIx_Abort"));
  pmix_proc_t self;
  if (init && abort && init(&self, nullptr, 0) == PMIX_SUCCESS)
    abort(status, "a rank could not start", nullptr, 0);
}

static void endByPmix(int status) {
  constexpr std::chrono::seconds limit(5);
  auto told = std::make_shared<std::promise<void>>(); // outlives this call where PMIx hangs
  std::future<void> isTold = told->get_future();
  std::thread([=] {
    askPmix(status);
    told->set_value();
  }).detach();
  (void)isTold.wait_for(limit);
}

#else

static void endByPmix(int) {}

#endif // TUTTI_HAS_PMIX

void tutti::endLaunch(int status) {
  const char *variable = std::getenv("PMI_FD");
  int launcher = variable ? std::atoi(variable) : -1;
  if (launcher < 0 && !isRankOfSrunWithPmix())
    return;
  constexpr useconds_t untilErrorsAreRead = 300000;
  usleep(untilErrorsAreRead);
  if (launcher >= 0)
    endByPmi(launcher, status);
  else
    endByPmix(status);
}
