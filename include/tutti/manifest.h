// The manifest of a compiled program in C++: one list of its fields, by which the compiler writes
// it and the runtime reads it. The text in tutti/program.h follows from this file.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_MANIFEST_H
#define TUTTI_MANIFEST_H

#include "tutti/types.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

/// Each structure is an object of the text. Its `fields` shows a visitor all of its fields, each by
/// the name that it has there:
///
///   value(name, member, presence, least)   what the type of the member says; an integer is not
///                                          below `least`
///   count(name, member, presence)          an integer or a list of them; null where negative
///   type(name, member)                     an element type, as types.h spells it
///   word(name, member, presence, words...) an enumeration, or its number: the word at its place
///   either(name, member, no, yes)          a truth, as one of two words
///
/// `Self` is the structure, const for a visitor that reads its members. This header has no other
/// code, so compilers and hosts need no common library.
namespace tutti::manifest {

/// What the text may leave out.
enum Presence {
  always,
  defaulted, ///< is always written; what is missing is what the structure begins with
  optional,  ///< is not written where it is what the structure begins with
};

/// What a node of the program can use of an input.
struct IndexBounds {
  int64_t low = 0, high = 0;      ///< bounds of what it may hold
  std::optional<int64_t> ignored; ///< a number outside of them that may stand there, too
  std::string node;               ///< its name, for messages
  bool is_class = false;          ///< classes of a loss, or entries of a tensor

  bool operator==(const IndexBounds &other) const {
    return std::tie(low, high, ignored, node, is_class) ==
           std::tie(other.low, other.high, other.ignored, other.node, other.is_class);
  }

  template <typename Self, typename Visitor> static void fields(Self &self, Visitor &&visitor) {
    visitor.value("low", self.low);
    visitor.value("high", self.high);
    visitor.value("ignored", self.ignored, optional);
    visitor.value("node", self.node);
    visitor.either("of", self.is_class, "entries", "classes");
  }
};

/// A dense array on one rank.
struct Tensor {
  std::string name;                      ///< its name
  int32_t type = 0;                      ///< of its elements
  std::vector<int64_t> shape;            ///< of the buffer on one rank
  std::vector<IndexBounds> indices = {}; ///< of an input: how nodes use it as indices
  bool holds_labels = false; ///< of an input: labels, 1 and 0 or shares of 1 between them
  int64_t axis = 0;          ///< of an input: along which samples lie

  template <typename Self, typename Visitor> static void fields(Self &self, Visitor &&visitor) {
    visitor.value("name", self.name);
    visitor.type("type", self.type);
    visitor.value("shape", self.shape);
    visitor.value("indices", self.indices, optional);
    visitor.value("labels", self.holds_labels, optional);
    visitor.value("axis", self.axis, optional, 0);
  }
};

/// What the ranks hold of a variable.
enum class Placement {
  replicate,
  shard,   ///< rank r of N has part r of the value, in row-major order and filled up with zeros
  per_rank ///< a value of that rank alone
};

/// A variable as one rank holds it: the tensor is its buffer.
struct Variable : Tensor {
  std::string kind;                           ///< trainable, state or other
  Placement placement = Placement::replicate; ///< what ranks hold of it
  std::vector<int64_t> whole;                 ///< the shape that is divided, of a sharded one
  int64_t blocks = 0; ///< of a sharded one that neighbouring ranks hold in blocks of a dimension:
                      ///< their number; rank r has block r modulo it
  int64_t dimension = 0; ///< along which these blocks are cut
  int64_t outer = 1;     ///< equal ranges of that dimension, of each of which a rank has its block
  int64_t parts = 1; ///< of the block, in row-major order and filled up with zeros, that ranks with
                     ///< the same block keep: their number; rank r of N has part r / (N / parts)
  std::optional<int64_t> use; ///< of a state that may lie in a file: the number of its use in the
                              ///< step, see states.h

  template <typename Self, typename Visitor> static void fields(Self &self, Visitor &&visitor) {
    Tensor::fields(self, visitor);
    visitor.value("class", self.kind);
    visitor.word("placement", self.placement, defaulted, "replicate", "shard", "per_rank");
    visitor.value("whole", self.whole, optional);
    visitor.value("blocks", self.blocks, optional, 0);
    visitor.value("dimension", self.dimension, optional, 0);
    visitor.value("outer", self.outer, optional, 1);
    visitor.value("parts", self.parts, optional, 1);
    visitor.value("use", self.use, optional, 0);
  }
};

/// A number that the step takes from the host.
struct Hyperparameter {
  Tensor tensor;    ///< what the step takes
  double value = 0; ///< what it is unless somebody says another

  template <typename Self, typename Visitor> static void fields(Self &self, Visitor &&visitor) {
    Tensor::fields(self.tensor, visitor);
    visitor.value("value", self.value);
  }
};

/// A result of the evaluation. It has a value or more for each sample, and their mean is reported,
/// unless a field says else.
struct Metric : Tensor {
  /// Of a metric that is one number a batch: what that is over the samples of the batch, and so
  /// over all. Of `whole` nobody knows: the mean over whole batches is reported.
  enum class Batches { none, mean, sum, maximum, minimum, whole };

  std::optional<int64_t> weight; ///< the place of the metric that weighs its values, has its shape
                                 ///< and is not reported
  std::optional<int64_t> label;  ///< the place of the metric that holds the labels of these scores:
                                 ///< the area under the ROC curve is reported
  bool is_exponential = false;   ///< e to the power of the mean is reported
  bool is_sum = false;           ///< the sum is reported
  Batches batches = Batches::none; ///< it is one number of its batch: the mean, sum, maximum or
                                   ///< minimum over the samples there, and reported over all; or of
                                   ///< the whole global batch: then the mean over batches is
                                   ///< reported, and samples that fill none are left out

  template <typename Self, typename Visitor> static void fields(Self &self, Visitor &&visitor) {
    Tensor::fields(self, visitor);
    visitor.value("weight", self.weight, optional, 0);
    visitor.value("label", self.label, optional, 0);
    visitor.value("exponential", self.is_exponential, optional);
    visitor.value("sum", self.is_sum, optional);
    visitor.word("batches", self.batches, optional, "none", "mean", "sum", "max", "min", "whole");
  }
};

struct Step {
  std::vector<Tensor> inputs;                  ///< of its batch
  std::vector<Hyperparameter> hyperparameters; ///< after the inputs
  std::vector<Tensor> metrics;                 ///< one number each
  std::vector<Tensor> outputs;                 ///< after the metrics

  template <typename Self, typename Visitor> static void fields(Self &self, Visitor &&visitor) {
    visitor.value("inputs", self.inputs);
    visitor.value("hyperparameters", self.hyperparameters, defaulted);
    visitor.value("metrics", self.metrics, defaulted);
    visitor.value("outputs", self.outputs, defaulted);
  }
};

struct Evaluation {
  std::vector<int64_t> variables; ///< places in the list of the program
  int64_t batch = 1;              ///< its samples
  std::vector<Tensor> inputs;     ///< of its batch
  std::vector<Metric> metrics;    ///< all of its results

  template <typename Self, typename Visitor> static void fields(Self &self, Visitor &&visitor) {
    visitor.value("variables", self.variables, always, 0);
    visitor.value("batch", self.batch, always, 1);
    visitor.value("inputs", self.inputs);
    visitor.value("metrics", self.metrics);
  }
};

/// What an optimizer keeps beside each row of a table.
struct RowState {
  std::string name;        ///< its name
  double value = 0;        ///< what it is at first
  bool is_per_row = false; ///< one number of each row; else as many as the row has

  template <typename Self, typename Visitor> static void fields(Self &self, Visitor &&visitor) {
    visitor.value("name", self.name);
    visitor.value("value", self.value);
    visitor.either("per", self.is_per_row, "element", "row");
  }
};

/// What the rows of a table are at first. Given rows come with the program.
struct InitialRows {
  enum class Distribution { given, uniform, normal };

  Distribution distribution = Distribution::given; ///< of their values
  double first = 0, second = 0;                    ///< bounds, or mean and standard deviation

  template <typename Self, typename Visitor> static void fields(Self &self, Visitor &&visitor) {
    visitor.word("distribution", self.distribution, always, "given", "uniform", "normal");
    visitor.value("first", self.first, optional);
    visitor.value("second", self.second, optional);
  }
};

/// A table that servers hold: a tensor whose rows are the first dimension, unless it is one row.
struct Table : Tensor {
  enum class Placement { range, hash };
  enum class Wire { none, bf16, f16 };

  InitialRows initial;                    ///< what its rows are at first
  std::vector<RowState> states;           ///< what is kept beside each row
  Placement placement = Placement::range; ///< of rows over servers
  bool is_mean = true;                    ///< of the workers' gradients; else their sum
  int64_t neighbours = 1;                 ///< workers with the same samples count as one
  bool is_whole = false;                  ///< it is one row
  bool is_asynchronous = false;           ///< each push updates; else all of a step together
  int64_t staleness = -1; ///< by how many steps a worker may then be ahead; -1: no bound
  int64_t warm_up = 0;    ///< how many steps are then common ones first
  Wire wire = Wire::none; ///< as what rows and gradients travel: as they are, or rounded
  std::string line;       ///< all of that as a line, on which workers and servers must agree

  template <typename Self, typename Visitor> static void fields(Self &self, Visitor &&visitor) {
    Tensor::fields(self, visitor);
    visitor.value("initial", self.initial);
    visitor.value("states", self.states);
    visitor.word("placement", self.placement, always, "range", "hash");
    visitor.either("reduction", self.is_mean, "sum", "mean");
    visitor.value("neighbours", self.neighbours, optional, 1);
    visitor.value("whole", self.is_whole);
    visitor.value("asynchronous", self.is_asynchronous);
    visitor.value("staleness", self.staleness, always, -1);
    visitor.value("warm_up", self.warm_up, defaulted, 0);
    visitor.word("wire", self.wire, always, "none", "bf16", "f16");
    visitor.value("plan", self.line);
  }
};

/// A group of ranks other than the world. The host makes it, under its number, before it calls
/// tutti_initialize, but for members at_run_time.
struct Group {
  int64_t number = 0;                     ///< positive
  std::string name;                       ///< its name
  std::string members;                    ///< ranks, per_node, across_nodes or at_run_time
  std::vector<std::vector<int64_t>> sets; ///< ranks of the world, of members "ranks"
  int64_t size = 0;                       ///< of each set, if the program relies on it

  template <typename Self, typename Visitor> static void fields(Self &self, Visitor &&visitor) {
    visitor.value("number", self.number, always, 1);
    visitor.value("name", self.name);
    visitor.value("members", self.members);
    visitor.value("sets", self.sets, optional);
    visitor.value("size", self.size, optional, 1);
  }
};

/// A constant that is not in the shared object.
struct Value {
  std::string name;        ///< of the resource in the program
  int64_t bytes = 0;       ///< how large it is
  bool is_initial = false; ///< used before the first step alone

  template <typename Self, typename Visitor> static void fields(Self &self, Visitor &&visitor) {
    visitor.value("name", self.name);
    visitor.value("bytes", self.bytes, always, 1);
    visitor.value("initial", self.is_initial);
  }
};

/// A call of the runtime: a bucket of buffers of one element type.
struct PlanEntry {
  static constexpr int64_t unknown = -1;               ///< a number that is not constant
  static constexpr const char *at_servers = "servers"; ///< the group of pulls and pushes

  int64_t id = 0;                ///< its place in the plan
  std::string function;          ///< initialize, step or evaluate
  std::string operation;         ///< all_reduce, broadcast, ...
  std::string reduction;         ///< sum, mean, ...; empty where nothing is reduced
  std::string group;             ///< of ranks; "servers" of pulls and pushes
  int64_t bucket = -1;           ///< which of the function's collectives that move data it is part
                                 ///< of: entries of one bucket differ in type
  std::string type;              ///< of the values
  std::string wire;              ///< what travels
  std::vector<int64_t> elements; ///< of each buffer, where they are constant
  int64_t bytes = 0;             ///< of all buffers, as they travel, where they are constant
  int64_t times = 1;             ///< in one call of its function, where it is constant
  int64_t root = 0;              ///< of those that have one
  int64_t peer = -1, tag = -1;   ///< of a message; -1 of others, and `peer` where it depends on
                                 ///< the rank
  bool is_asynchronous = false;  ///< started here and awaited later
  std::vector<std::string> source; ///< what each buffer belongs to: a variable, a metric or a node
  std::string table;               ///< of a pull or a push
  std::string way; ///< slices, tree or chain: how an all_reduce goes where ranks send messages
  std::optional<double> predicted_seconds; ///< by a cost model; may differ between ranks

  template <typename Self, typename Visitor> static void fields(Self &self, Visitor &&visitor) {
    visitor.value("id", self.id, always, 0);
    visitor.value("function", self.function, defaulted);
    visitor.value("op", self.operation);
    visitor.value("reduction", self.reduction, defaulted);
    visitor.value("group", self.group, defaulted);
    visitor.value("bucket", self.bucket, defaulted);
    visitor.value("type", self.type, defaulted);
    visitor.value("wire", self.wire, defaulted);
    visitor.count("elements", self.elements, defaulted);
    visitor.count("bytes", self.bytes, defaulted);
    visitor.count("times", self.times, defaulted);
    visitor.value("root", self.root, defaulted);
    visitor.value("peer", self.peer, defaulted);
    visitor.value("tag", self.tag, defaulted);
    visitor.value("async", self.is_asynchronous, defaulted);
    visitor.value("source", self.source, defaulted);
    visitor.value("table", self.table, optional);
    visitor.value("way", self.way, optional);
    visitor.value("predicted_seconds", self.predicted_seconds, optional);
  }
};

/// Bytes of scratch that each function wants.
struct Arena {
  int64_t initialize = 0, step = 0, evaluate = 0, prefetch = 0; ///< of its scratch

  template <typename Self, typename Visitor> static void fields(Self &self, Visitor &&visitor) {
    visitor.value("initialize", self.initialize, defaulted, 0);
    visitor.value("step", self.step, defaulted, 0);
    visitor.value("evaluate", self.evaluate, defaulted, 0);
    visitor.value("prefetch", self.prefetch, defaulted, 0);
  }
};

/// A buffer in an arena: node, bytes, first moment, last moment, offset. A moment is the number of
/// an operation.
using ArenaBuffer = std::tuple<std::string, int64_t, int64_t, int64_t, int64_t>;

struct Manifest {
  int64_t abi = 0;              ///< TUTTI_ABI_VERSION
  std::string program;          ///< its name
  std::string fingerprint;      ///< hexadecimal digits of what it was compiled from
  int64_t ranks = 1;            ///< of the world
  int64_t global_batch = 1;     ///< samples of a step over all ranks
  int64_t local_batch = 1;      ///< samples of a step on this rank
  int64_t samples_per_step = 1; ///< how many samples of the data all ranks take together
  std::string batch_policy;     ///< error, drop, pad or weighted
  int32_t shard = 0;            ///< how samples are dealt to ranks
  int64_t neighbours = 1;       ///< ranks that have the same samples, and parts of one model
  Arena arena;                  ///< bytes of scratch
  int64_t repeated = 0;         ///< operations of the step that run again, so that its scratch is
                                ///< smaller
  int64_t window = 0;           ///< bytes of the variables with a use that are in memory at once
  std::vector<Variable> variables;    ///< in the order of buffers
  Step step;                          ///< what tutti_step takes and gives
  std::optional<Evaluation> evaluate; ///< what tutti_evaluate takes and gives
  std::vector<Table> tables;          ///< that servers hold
  std::vector<Group> groups;          ///< other than the world
  std::vector<Value> values;          ///< constants that are not in the shared object
  std::vector<PlanEntry> plan;        ///< all communication
  std::string plan_hash;              ///< hexadecimal digits
  std::map<std::string, std::vector<ArenaBuffer>> layout; ///< for people: of functions by name the
                                                          ///< largest buffers in their arenas
  std::vector<std::string> warnings;                      ///< for people: of its compilation

  template <typename Self, typename Visitor> static void fields(Self &self, Visitor &&visitor) {
    visitor.value("abi", self.abi, always, 0);
    visitor.value("program", self.program);
    visitor.value("fingerprint", self.fingerprint);
    visitor.value("ranks", self.ranks, always, 1);
    visitor.value("global_batch", self.global_batch, always, 1);
    visitor.value("local_batch", self.local_batch, always, 1);
    visitor.value("samples_per_step", self.samples_per_step, always, 1);
    visitor.value("batch_policy", self.batch_policy);
    visitor.word("shard", self.shard, always, "none", "strided", "contiguous");
    visitor.value("neighbours", self.neighbours, optional, 1);
    visitor.value("arena", self.arena);
    visitor.value("repeated", self.repeated, optional, 0);
    visitor.value("window", self.window, optional, 0);
    visitor.value("variables", self.variables);
    visitor.value("step", self.step);
    visitor.value("evaluate", self.evaluate, optional);
    visitor.value("tables", self.tables, optional);
    visitor.value("groups", self.groups, defaulted);
    visitor.value("values", self.values, defaulted);
    visitor.value("plan", self.plan);
    visitor.value("plan_hash", self.plan_hash, defaulted);
    visitor.value("layout", self.layout, optional);
    visitor.value("warnings", self.warnings, optional);
  }
};

} // namespace tutti::manifest

#endif // TUTTI_MANIFEST_H
