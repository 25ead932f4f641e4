// Reads cluster.json strictly: an unknown key is an error.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/cost/Cluster.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

#include <set>
#include <string>

using namespace tutti::cost;
using llvm::Expected, llvm::StringRef, llvm::Twine;
namespace json = llvm::json;

namespace {

/// One object of the file: takes its keys, remembers the first thing that is wrong.
class Reader {
public:
  Reader(const json::Object &object, std::string prefix, std::string &wrong)
      : object(object), prefix(std::move(prefix)), wrong(wrong) {}

  void integer(StringRef key, int64_t &out) {
    const json::Value *value = take(key);
    std::optional<int64_t> read = value ? value->getAsInteger() : std::nullopt;
    if (read && *read >= 1)
      out = *read;
    else
      complain(key, value, "an integer of at least 1");
  }

  /// `isPositive`: not 0. With a default the key may be absent.
  void number(StringRef key, StringRef unit, bool isPositive, double &out,
              bool isOptional = false) {
    const json::Value *value = take(key);
    if (!value && isOptional)
      return;
    std::optional<double> read = value ? value->getAsNumber() : std::nullopt;
    if (read && (*read > 0 || (*read == 0 && !isPositive)))
      out = *read;
    else
      complain(key, value,
               "a number of " + unit.str() + (isPositive ? ", above 0" : ", 0 or more"));
  }

  void transport(StringRef key, Transport &out) {
    const json::Value *value = take(key);
    StringRef word = value ? value->getAsString().value_or("") : "";
    if (word == "memory")
      out = Transport::Memory;
    else if (word == "messages")
      out = Transport::Messages;
    else
      complain(key, value, "\"memory\" or \"messages\"");
  }

  /// The object under `key`, or null.
  const json::Object *section(StringRef key, bool isOptional = false) {
    const json::Value *value = take(key);
    const json::Object *read = value ? value->getAsObject() : nullptr;
    if (!read && (value || !isOptional))
      complain(key, value, "an object");
    return read;
  }

  void refuseOthers() {
    for (const auto &[key, value] : object)
      if (!known.count(StringRef(key).str()) && wrong.empty())
        wrong = "key '" + prefix + StringRef(key).str() + "' is unknown";
  }

private:
  const json::Value *take(StringRef key) {
    known.insert(key.str());
    return object.get(key);
  }

  void complain(StringRef key, const json::Value *value, const std::string &expected) {
    if (!wrong.empty())
      return;
    llvm::raw_string_ostream out(wrong);
    out << "key '" << prefix << key << "': expected " << expected << ", found ";
    value ? out << *value : out << "nothing";
  }

  const json::Object &object;
  std::string prefix;
  std::string &wrong;
  std::set<std::string> known;
};

} // namespace

static Level readLevel(const json::Object &object, std::string prefix, std::string &wrong) {
  Level level;
  Reader reader(object, std::move(prefix), wrong);
  reader.transport("transport", level.transport);
  reader.number("latency", "seconds", false, level.latency);
  reader.number("bandwidth", "bytes a second", true, level.bandwidth);
  if (level.transport == Transport::Memory)
    reader.number("far_bandwidth", "bytes a second", true, level.farBandwidth,
                  /*isOptional=*/true);
  reader.number("message_overhead", "seconds", false, level.overhead, /*isOptional=*/true);
  reader.number("processor_per_byte", "seconds", false, level.processor, /*isOptional=*/true);
  reader.refuseOthers();
  return level;
}

static Sharing readSharing(const json::Object &object, std::string &wrong) {
  Sharing sharing;
  Reader reader(object, "compute.sharing.", wrong);
  reader.number("matmul", "times", true, sharing.matmul);
  reader.number("convolution", "times", true, sharing.convolution);
  reader.number("loop", "times", true, sharing.loop);
  reader.number("memory", "times", true, sharing.memory);
  reader.refuseOthers();
  return sharing;
}

static Compute readCompute(const json::Object &object, std::string &wrong) {
  Compute compute;
  Reader reader(object, "compute.", wrong);
  reader.number("matmul", "operations a second", true, compute.matmul);
  reader.number("matmul_memory", "bytes a second", true, compute.matmulMemory,
                /*isOptional=*/true);
  reader.number("convolution", "operations a second", true, compute.convolution);
  reader.number("loop", "operations a second", true, compute.loop);
  reader.number("memory", "bytes a second", true, compute.memory);
  reader.number("kernel_overhead", "seconds", false, compute.kernel);
  reader.number("step_overhead", "seconds", false, compute.step, /*isOptional=*/true);
  if (const json::Object *sharing = reader.section("sharing", /*isOptional=*/true))
    compute.sharing = readSharing(*sharing, wrong);
  reader.refuseOthers();
  return compute;
}

static void readLevels(const json::Object &object, Cluster &cluster, std::string &wrong) {
  Reader reader(object, "levels.", wrong);
  if (const json::Object *node = reader.section("node"))
    cluster.node = readLevel(*node, "levels.node.", wrong);
  if (const json::Object *network = reader.section("network", /*isOptional=*/true))
    cluster.network = readLevel(*network, "levels.network.", wrong);
  reader.refuseOthers();
  if (wrong.empty() && cluster.network && cluster.network->transport == Transport::Memory)
    wrong = "key 'levels.network.transport': expected \"messages\": nodes share no memory";
  if (wrong.empty() && cluster.nodes > 1 && !cluster.network)
    wrong = "key 'levels.network': expected an object, since there are " +
            std::to_string(cluster.nodes) + " nodes";
}

static Cluster readRoot(const json::Object &object, std::string &wrong) {
  Cluster cluster;
  Reader reader(object, "", wrong);
  reader.integer("nodes", cluster.nodes);
  reader.integer("ranks_per_node", cluster.ranksPerNode);
  cluster.coresPerNode = double(cluster.ranksPerNode);
  reader.number("cores_per_node", "cores", true, cluster.coresPerNode, /*isOptional=*/true);
  if (const json::Object *levels = reader.section("levels"))
    readLevels(*levels, cluster, wrong);
  if (const json::Object *compute = reader.section("compute"))
    cluster.compute = readCompute(*compute, wrong);
  reader.refuseOthers();
  return cluster;
}

static llvm::Error refuse(StringRef name, const Twine &what) {
  return llvm::createStringError("cluster file '" + name + "': " + what);
}

/// Whether objects or lists stand within more than a few others, which the parser, calling itself
/// for each, might not survive.
static bool isTooDeep(StringRef text) {
  constexpr int deepest = 16;
  int depth = 0;
  bool isString = false;
  for (size_t at = 0; at < text.size() && depth <= deepest; ++at) {
    if (text[at] == '"')
      isString = !isString;
    else if (isString)
      at += text[at] == '\\';
    else
      depth += StringRef("[{").contains(text[at]) - StringRef("]}").contains(text[at]);
  }
  return depth > deepest;
}

Cluster tutti::cost::commonCore() {
  Cluster core;
  core.compute.matmul = 5e10;
  core.compute.convolution = 3e10;
  core.compute.loop = 4e9;
  core.compute.memory = 1e10;
  core.compute.kernel = 1e-6;
  core.node.bandwidth = 1e10;
  return core;
}

Expected<Cluster> tutti::cost::parseCluster(StringRef text, StringRef name) {
  if (isTooDeep(text))
    return refuse(name, "objects or lists stand too deep in others");
  Expected<json::Value> root = json::parse(text);
  if (!root)
    return refuse(name, llvm::toString(root.takeError()));
  const json::Object *object = root->getAsObject();
  if (!object)
    return refuse(name, "expected a JSON object");
  std::string wrong;
  Cluster cluster = readRoot(*object, wrong);
  if (!wrong.empty())
    return refuse(name, wrong);
  return cluster;
}

/// A program may name the file, so it may be a pipe or a device.
static llvm::Error checkFile(StringRef path) {
  constexpr uint64_t largest = 1 << 20;
  llvm::sys::fs::file_status status;
  if (std::error_code error = llvm::sys::fs::status(path, status))
    return refuse(path, error.message());
  if (!llvm::sys::fs::is_regular_file(status))
    return refuse(path, "it is not a regular file");
  if (status.getSize() > largest)
    return refuse(path,
                  "it has " + Twine(status.getSize()) + " bytes, more than " + Twine(largest));
  return llvm::Error::success();
}

Expected<Cluster> tutti::cost::readCluster(StringRef path) {
  if (llvm::Error error = checkFile(path))
    return error;
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!file)
    return refuse(path, file.getError().message());
  return parseCluster((*file)->getBuffer(), path);
}
