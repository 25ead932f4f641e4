// Asking a program for samples.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/data/commands/CommandSource.h"

#include "runtime/host/data/commands/CommandProcess.h"
#include "runtime/support/Names.h"
#include "runtime/support/Numbers.h"

#include <cerrno>
#include <fcntl.h>
#include <map>
#include <sys/mman.h>
#include <unistd.h>

namespace tutti::runtime::data {
namespace {

using nlohmann::json;

constexpr const char *prefix = "exec:";
constexpr double hello_seconds = 60;

/// Memory that this process and a child have mapped, which grows and never becomes smaller: the
/// child cannot take away what is read here.
class SharedMemory {
public:
  ~SharedMemory() {
    unmap();
    if (file >= 0)
      close(file);
  }
  Error open() {
    file = memfd_create("tutti-data", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (file < 0 || fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK) != 0)
      return Error::make(TUTTI_SYSTEM_ERROR,
                         "cannot make a file of memory: ", system_message(errno));
    return Error::success();
  }
  Error grow(int64_t wanted) {
    if (wanted <= bytes)
      return Error::success();
    unmap();
    void *mapped = ftruncate(file, wanted) == 0
                       ? mmap(nullptr, size_t(wanted), PROT_READ, MAP_SHARED, file, 0)
                       : MAP_FAILED;
    if (mapped == MAP_FAILED)
      return Error::make(TUTTI_OUT_OF_MEMORY, "no memory for ", wanted,
                         " bytes of a batch: ", system_message(errno));
    memory = static_cast<const char *>(mapped);
    bytes = wanted;
    return Error::success();
  }
  int descriptor() const { return file; }
  const char *begin() const { return memory; }

private:
  void unmap() {
    if (memory)
      munmap(const_cast<char *>(memory), size_t(bytes));
    memory = nullptr, bytes = 0;
  }

  int file = -1;
  const char *memory = nullptr;
  int64_t bytes = 0;
};

class CommandSource : public SampleSource {
public:
  explicit CommandSource(std::string path) : path(std::move(path)) {}

  Error start();
  Error read(int64_t epoch, const std::vector<int64_t> &rows,
             std::vector<const char *> &out_columns) override;
  bool is_stored() const override { return false; }
  bool is_sequential() const override { return sequential; }

  std::vector<Array> columns; ///< without their source

private:
  Error named(const Error &error) const {
    return error ? Error::make(error.status, "dataset '", path, "': ", error.message) : error;
  }
  Error take_hello(const json &hello);
  Error take_column(const json &column, int64_t samples);
  Error ask(const json &request, int64_t bytes, size_t rows);

  std::string path;
  SharedMemory memory;
  std::unique_ptr<CommandProcess> process;
  bool sequential = false;
  double deadline = hello_seconds;
};

Error CommandSource::start() {
  if (Error error = memory.open())
    return named(error);
  auto started = CommandProcess::start(path.substr(std::char_traits<char>::length(prefix)),
                                       memory.descriptor());
  if (!started)
    return named(started.error());
  process = std::move(*started);
  Result<json> hello = process->receive(hello_seconds);
  return named(hello ? take_hello(*hello) : hello.error());
}

Error CommandSource::take_hello(const json &hello) {
  if (hello.value("tutti-data", json()) != 1)
    return Error::bad_data(
        "its first line has no \"tutti-data\": 1, the version of what both say to each "
        "other; a Python program says it with tutti.serve(...)");
  json samples = hello.value("samples", json());
  if (!samples.is_number_integer() || samples.get<int64_t>() < 1)
    return Error::bad_data("it does not say how many samples an epoch has: \"samples\" is " +
                           samples.dump() +
                           "; expected is a number from 1 on, also of a stream without an end");
  json seconds = hello.value("deadline", json(hello_seconds));
  if (!seconds.is_number() || !(seconds.get<double>() > 0))
    return Error::bad_data("\"deadline\" is " + seconds.dump() + "; expected are seconds above 0");
  json fingerprint = hello.value("fingerprint", json(""));
  if (!fingerprint.is_string())
    return Error::bad_data("\"fingerprint\" is " + fingerprint.dump() + "; expected is a text");
  json given = hello.value("columns", json());
  json is_in_order = hello.value("sequential", json(false));
  if (!given.is_array() || given.empty() || !is_in_order.is_boolean())
    return Error::bad_data(
        "its first line has no \"columns\", a list of names, types and shapes, or a "
        "\"sequential\" that is neither true nor false");
  deadline = seconds;
  sequential = is_in_order;
  for (const json &column : given)
    if (Error error = take_column(column, samples))
      return error;
  for (Array &column : columns)
    column.words = fingerprint;
  return Error::success();
}

Error CommandSource::take_column(const json &column, int64_t samples) {
  auto refuse = [&](const char *why) {
    return Error::bad_data(
        "its column " + column.dump() + why +
        "; expected is such as {\"name\": \"input\", \"type\": \"f32\", \"shape\": [3, 4]}, "
        "the shape of one sample");
  };
  if (!column.is_object())
    return refuse(" is no object");
  json name = column.value("name", json()), type = column.value("type", json());
  json shape = column.value("shape", json());
  if (!name.is_string() || !type.is_string() || !shape.is_array())
    return refuse(" lacks a name, a type or a shape");
  std::optional<int32_t> known = type_from_name(type.get<std::string>());
  if (!known)
    return refuse(" has a type that is unknown");
  Array array{name, *known, {samples}};
  for (const json &size : shape) {
    if (!size.is_number_integer() || size.get<int64_t>() < 0)
      return refuse(" has a size that is none");
    array.shape.push_back(size);
  }
  for (const Array &other : columns)
    if (other.name == array.name)
      return refuse(" is there twice");
  if (Result<int64_t> bytes = array_bytes(array.type, array.shape); !bytes)
    return bytes.error();
  array.column = columns.size();
  columns.push_back(std::move(array));
  return Error::success();
}

Error CommandSource::ask(const json &request, int64_t bytes, size_t rows) {
  if (Error error = memory.grow(bytes))
    return error;
  if (Error error = process->send(request, deadline))
    return error;
  Result<json> answer = process->receive(deadline);
  if (!answer)
    return answer.error();
  if (answer->value("done", json()) == rows)
    return Error::success();
  return Error::bad_data("it answers " + answer->dump() + "; expected is {\"done\": " +
                         std::to_string(rows) + "}, as many samples as were asked for");
}

Error CommandSource::read(int64_t epoch, const std::vector<int64_t> &rows,
                          std::vector<const char *> &out_columns) {
  constexpr int64_t alignment = 64;
  json offsets = json::array();
  int64_t bytes = 0;
  for (const Array &column : columns) {
    offsets.push_back(bytes);
    int64_t row_bytes = sample_elements(column) * type_bytes(column.type);
    std::optional<int64_t> own = checked_product({row_bytes, int64_t(rows.size())});
    if (!own || *own > INT64_MAX / 2 - bytes)
      return named(Error::bad_data("a batch of column '" + column.name + "' is too large"));
    bytes += (*own + alignment - 1) / alignment * alignment;
  }
  json request = {{"epoch", epoch}, {"samples", rows}, {"offsets", offsets}, {"bytes", bytes}};
  if (Error error = ask(request, bytes, rows.size()))
    return named(Error::make(error.status, "asked for sample ", rows.front(), " and ",
                             rows.size() - 1, " more of epoch ", epoch, ": ", error.message));
  out_columns.clear();
  for (const json &offset : offsets)
    out_columns.push_back(memory.begin() + offset.get<int64_t>());
  return Error::success();
}

} // namespace

bool is_command(const std::string &path) { return path.rfind(prefix, 0) == 0; }

/// Null, unless commands are kept.
static std::map<std::string, Columns> *kept = nullptr;

KeptCommands::KeptCommands() { kept = new std::map<std::string, Columns>; }
KeptCommands::~KeptCommands() { delete std::exchange(kept, nullptr); }

Result<Columns> open_command(const std::string &path) {
  if (kept && kept->count(path))
    return kept->at(path);
  auto source = std::make_shared<CommandSource>(path);
  if (Error error = source->start())
    return error;
  Columns columns;
  for (const Array &made : source->columns) {
    Array array = made;
    array.source = source;
    columns.push_back({array.name, path, [array]() -> Result<Array> { return array; }});
  }
  if (kept)
    kept->emplace(path, columns);
  return columns;
}

} // namespace tutti::runtime::data
