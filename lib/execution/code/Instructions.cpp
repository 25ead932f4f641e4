// What the processor has, and what is common to many.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/execution/code/Instructions.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CRC.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"

#include <cstdlib>

using namespace tutti::execution;

/// What a level adds that hosts may lack (x86-64 psABI, "Micro-Architecture Levels").
static llvm::ArrayRef<llvm::StringLiteral> featuresOfLevel(llvm::StringRef name) {
  static constexpr llvm::StringLiteral v3[] = {"avx",  "avx2", "bmi",   "bmi2",
                                               "f16c", "fma",  "lzcnt", "movbe"};
  static constexpr llvm::StringLiteral v4[] = {"avx2",     "bmi2",     "fma",      "avx512f",
                                               "avx512bw", "avx512cd", "avx512dq", "avx512vl"};
  if (name == "x86-64-v3")
    return v3;
  return name == "x86-64-v4" ? llvm::ArrayRef<llvm::StringLiteral>(v4)
                             : llvm::ArrayRef<llvm::StringLiteral>();
}

llvm::Expected<Instructions> Instructions::find(llvm::StringRef name) {
  llvm::StringMap<bool> host = llvm::sys::getHostCPUFeatures();
  if (name == "native") {
    llvm::SubtargetFeatures features;
    for (const auto &feature : host)
      features.AddFeature(feature.first(), feature.second);
    return Instructions{llvm::sys::getHostCPUName().str(), features.getString()};
  }
  llvm::ArrayRef<llvm::StringLiteral> wanted = featuresOfLevel(name);
  if (wanted.empty())
    return llvm::createStringError("there are no instructions '" + name +
                                   "': native, x86-64-v3 or x86-64-v4");
  llvm::SmallVector<llvm::StringRef> missing;
  for (llvm::StringRef feature : wanted)
    if (!host.lookup(feature))
      missing.push_back(feature);
  if (missing.empty())
    return Instructions{name.str(), ""};
  return llvm::createStringError("this processor, " + llvm::sys::getHostCPUName() +
                                 ", does not have the instructions of " + name + ": it lacks " +
                                 llvm::join(missing, ", "));
}

std::string Instructions::describe() const {
  if (features.empty())
    return processor;
  llvm::SmallVector<llvm::StringRef> each;
  llvm::StringRef(features).split(each, ',');
  llvm::sort(each);
  std::string all = llvm::join(each, ",");
  return llvm::formatv("native of {0} ({1:x-8})", processor,
                       llvm::crc32(llvm::arrayRefFromStringRef(all)));
}

std::vector<std::string> tutti::execution::kernelSettings(llvm::StringRef instructions) {
  if (instructions == "native" || std::getenv("ONEDNN_MAX_CPU_ISA"))
    return {};
  return {std::string("ONEDNN_MAX_CPU_ISA=") +
          (instructions == "x86-64-v3" ? "AVX2" : "AVX512_CORE")};
}
