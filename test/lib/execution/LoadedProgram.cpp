// A compiled program in this process.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/execution/LoadedProgram.h"

#include "tutti/types.h"

#include "llvm/ADT/StringSwitch.h"

#include <cerrno>
#include <dlfcn.h>
#include <fcntl.h>

using namespace tutti::execution;
using namespace tutti::test;
namespace json = llvm::json;

llvm::Expected<std::unique_ptr<LoadedProgram>>
LoadedProgram::load(llvm::StringRef path, uint64_t seed, const ProgramValues &values) {
  std::unique_ptr<LoadedProgram> program(new LoadedProgram);
  if (llvm::Error error = program->open(path, seed))
    return error;
  if (llvm::Error error = program->placeValues(values))
    return error;
  return program;
}

LoadedProgram::~LoadedProgram() {
  if (rank)
    tutti_context_destroy(rank);
  if (library)
    dlclose(library);
}

void *LoadedProgram::symbol(const char *name) const { return dlsym(library, name); }

llvm::Error LoadedProgram::open(llvm::StringRef path, uint64_t seed) {
  // The loader knows libraries by their path: this descriptor, and so the path, is used once while
  // the library is loaded.
  file = Descriptor(::open(path.str().c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (!file)
    return llvm::createStringError("cannot load the program " + path + ": " +
                                   std::error_code(errno, std::generic_category()).message());
  library = dlopen(pathOf(file).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return llvm::createStringError("cannot load the program " + path + ": " + dlerror());
  initializeFunction = reinterpret_cast<tutti_initialize_function>(symbol(TUTTI_SYMBOL_INITIALIZE));
  stepFunction = reinterpret_cast<tutti_step_function>(symbol(TUTTI_SYMBOL_STEP));
  evaluateFunction = reinterpret_cast<tutti_evaluate_function>(symbol(TUTTI_SYMBOL_EVALUATE));
  auto *text = static_cast<const char *>(symbol(TUTTI_SYMBOL_MANIFEST));
  if (!initializeFunction || !stepFunction || !text)
    return llvm::createStringError(path + " is not a compiled program: it lacks symbols");
  if (llvm::Error error = readManifest(text))
    return error;
  if (llvm::Error error = createContext(seed))
    return error;
  return allocate();
}

llvm::Error LoadedProgram::readManifest(const char *text) {
  auto parsed = json::parse(text);
  if (!parsed)
    return parsed.takeError();
  json::Object *object = parsed->getAsObject();
  if (!object || object->getInteger("abi") != TUTTI_ABI_VERSION)
    return llvm::createStringError("the program's manifest is of another version");
  description = std::move(*object);
  return llvm::Error::success();
}

llvm::Error LoadedProgram::placeValues(const ProgramValues &values) {
  const json::Array *wanted = description.getArray("values");
  auto **table = static_cast<const void **>(symbol(TUTTI_SYMBOL_VALUES));
  if (!wanted || wanted->empty())
    return llvm::Error::success();
  if (!table)
    return llvm::createStringError("the program lacks " TUTTI_SYMBOL_VALUES);
  for (const json::Value &value : *wanted) {
    std::string name = value.getAsObject()->getString("name").value_or("").str();
    int64_t bytes = value.getAsObject()->getInteger("bytes").value_or(0);
    auto place = values.places().find(name);
    if (place == values.places().end())
      return llvm::createStringError("the program is not given the value '" + name + "'");
    auto content =
        llvm::MemoryBuffer::getFileSlice(place->second.path, bytes, place->second.offset);
    if (!content)
      return llvm::createStringError(content.getError(), "cannot read the value '" + name + "'");
    *table++ = (*content)->getBufferStart();
    constants.push_back(std::move(*content));
  }
  return llvm::Error::success();
}

llvm::Error LoadedProgram::createContext(uint64_t seed) {
  tutti_context_options options = {};
  options.struct_bytes = sizeof(options);
  options.backend = tutti_backend_self();
  options.size = 1;
  if (llvm::Error error = check(tutti_context_create(&options, &rank)))
    return error;
  tutti_context_set_seed(rank, seed);
  tutti_context_set_samples(rank, TUTTI_SHARD_NONE,
                            description.getInteger("samples_per_step").value_or(1),
                            description.getInteger("local_batch").value_or(1));
  return llvm::Error::success();
}

/// Bytes of a tensor that the manifest describes.
static int64_t bytesOf(const json::Object &tensor) {
  int64_t bytes = llvm::StringSwitch<int64_t>(tensor.getString("type").value_or(""))
#define TUTTI_TYPE_CASE(constant, value, spelling, bytes) .Case(spelling, bytes)
                      TUTTI_FOR_EACH_TYPE(TUTTI_TYPE_CASE)
#undef TUTTI_TYPE_CASE
                          .Default(0);
  for (const json::Value &size : *tensor.getArray("shape"))
    bytes *= size.getAsInteger().value_or(0);
  return bytes;
}

llvm::Error LoadedProgram::allocate() {
  for (const json::Value &tensor : *description.getArray("variables")) {
    variables.push_back(nullptr);
    if (llvm::Error error = check(tutti_context_alloc(
            rank, std::max<int64_t>(bytesOf(*tensor.getAsObject()), 1), &variables.back())))
      return error;
  }
  if (const json::Object *part = description.getObject("evaluate"))
    for (const json::Value &index : *part->getArray("variables"))
      evaluated.push_back(variables[*index.getAsInteger()]);
  int64_t largest = 1;
  for (const auto &size : *description.getObject("arena"))
    largest = std::max(largest, size.second.getAsInteger().value_or(0));
  return check(tutti_context_alloc(rank, largest, &arena));
}

llvm::Error LoadedProgram::check(int32_t status) const {
  if (status == TUTTI_OK)
    return llvm::Error::success();
  return llvm::createStringError(std::string(tutti_status_name(status)) + ": " +
                                 (rank ? tutti_context_message(rank) : ""));
}

llvm::Error LoadedProgram::initialize() {
  return check(initializeFunction(rank, variables.data(), nullptr, arena));
}

llvm::Error LoadedProgram::step(llvm::ArrayRef<void *> inputs, llvm::ArrayRef<void *> results) {
  tutti_context_set_step(rank, nextStep++);
  return check(stepFunction(rank, variables.data(), inputs.data(), results.data(), arena));
}

llvm::Error LoadedProgram::evaluate(llvm::ArrayRef<void *> inputs, llvm::ArrayRef<void *> results) {
  if (!evaluateFunction)
    return llvm::createStringError("the program has no @evaluate");
  return check(evaluateFunction(rank, evaluated.data(), inputs.data(), results.data(), arena));
}
