// Linking, in this process: lld as a library.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/execution/code/ObjectCode.h"

#include "lld/Common/Driver.h"
#include "llvm/Support/raw_ostream.h"

#include <mutex>

LLD_HAS_DRIVER(elf)

llvm::Error tutti::execution::linkSharedObject(llvm::StringRef objectPath, llvm::StringRef path) {
  // lld keeps global state.
  static std::mutex oneAtATime;
  std::lock_guard<std::mutex> lock(oneAtATime);
  std::string object = objectPath.str(), output = path.str(), messages;
  const char *arguments[] = {"ld.lld",
                             "-shared",
                             "-z",
                             "now",
                             "--build-id=none",
                             "--no-dependent-libraries", // an object cannot ask for more of them
                             "-o",
                             output.c_str(),
                             object.c_str()};
  llvm::raw_string_ostream errors(messages);
  lld::Result result =
      lld::lldMain(arguments, llvm::nulls(), errors, {{lld::Gnu, &lld::elf::link}});
  if (result.retCode == 0)
    return llvm::Error::success();
  return llvm::createStringError("linking " + path + " failed: " + messages);
}
