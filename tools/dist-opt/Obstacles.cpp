// Collects and prints obstacles.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/dist-opt/Obstacles.h"

#include "lib/diagnostics/NodeDiagnostics.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace tutti;

/// Where a message says nothing better.
static constexpr StringRef generalRemedy =
    "see docs/frontend.md for what is read, and docs/from-pytorch.md for how to export";

StringRef tutti::nodeOf(Location location) { return diagnostics::nodeNameOf(location); }

static void addTo(std::vector<Obstacle> &list, StringRef problem, StringRef remedy,
                  StringRef node) {
  auto found = llvm::find_if(list, [&](const Obstacle &o) { return o.problem == problem; });
  if (found == list.end()) {
    list.push_back({problem.str(), remedy.str(), {}});
    found = std::prev(list.end());
  }
  if (!node.empty() && !llvm::is_contained(found->nodes, node))
    found->nodes.push_back(node.str());
}

void Obstacles::add(StringRef problem, StringRef remedy, StringRef node) {
  addTo(list, problem, remedy, node);
}

void Obstacles::addHint(StringRef problem, StringRef remedy, StringRef node) {
  addTo(hints, problem, remedy, node);
}

/// "Swirl: why" of "node 'spin' (Swirl): why" and of "unnamed node (Swirl) that makes 'y': why", so
/// that equal problems of several nodes are one.
static std::string withoutNode(StringRef message) {
  auto [head, problem] = message.split(": ");
  bool isNode = head.starts_with("node '") || head.starts_with("unnamed node (");
  if (!isNode || problem.empty() || !(head.ends_with(")") || head.ends_with("'")))
    return message.str();
  return (head.rsplit('(').second.split(')').first + ": " + problem).str();
}

static void addTo(std::vector<Obstacle> &list, const Diagnostic &said) {
  std::string message = withoutNode(said.str());
  auto [problem, remedy] = StringRef(message).split("; ");
  std::string advice = remedy.str();
  for (const Diagnostic &note : said.getNotes())
    advice += (advice.empty() ? "" : "; ") + StringRef(note.str()).split('\n').first.str();
  addTo(list, problem.rtrim(), advice.empty() ? generalRemedy : StringRef(advice),
        nodeOf(said.getLocation()));
}

void Obstacles::add(const Diagnostic &error) { addTo(list, error); }

void Obstacles::addHint(const Diagnostic &warning) { addTo(hints, warning); }

/// The first names, and how many more there are.
static std::string shortList(ArrayRef<std::string> nodes) {
  constexpr size_t most = 5;
  std::string text = llvm::join(nodes.take_front(most), ", ");
  if (nodes.size() > most)
    text += ", and " + std::to_string(nodes.size() - most) + " more";
  return text;
}

static std::string count(size_t number, StringRef what) {
  return std::to_string(number) + " " + what.str() + (number == 1 ? "" : "s");
}

static void printList(ArrayRef<Obstacle> list, llvm::raw_ostream &out) {
  for (auto [index, obstacle] : llvm::enumerate(list)) {
    ArrayRef<std::string> nodes = obstacle.nodes;
    out << "\n" << index + 1 << ". " << obstacle.problem << "\n";
    if (!nodes.empty())
      out << "   " << count(nodes.size(), "node") << ": " << shortList(nodes) << "\n";
    out << "   to do: " << obstacle.remedy << "\n";
  }
}

void Obstacles::printText(StringRef model, int64_t skipped, llvm::raw_ostream &out) const {
  if (empty())
    out << model << ": nothing keeps it from being trained\n";
  else
    out << model << ": " << count(size(), "obstacle") << "\n";
  for (const std::string &fact : facts)
    out << "  " << fact << "\n";
  printList(list, out);
  if (!hints.empty())
    out << (empty() ? "" : "\n") << "to be looked at, though it keeps nobody from training:\n";
  printList(hints, out);
  if (skipped > 0)
    out << "\n"
        << count(skipped, "node") << " after these could not be looked at: nothing says the types "
        << "of what they use\n";
}

/// JSON texts are UTF-8; names in models need not be.
static std::string utf8(StringRef text) { return llvm::json::fixUTF8(text); }

static llvm::json::Array toJson(ArrayRef<Obstacle> list) {
  llvm::json::Array obstacles;
  for (const Obstacle &obstacle : list) {
    llvm::json::Array nodes;
    for (const std::string &node : obstacle.nodes)
      nodes.push_back(utf8(node));
    obstacles.push_back(llvm::json::Object{{"problem", utf8(obstacle.problem)},
                                           {"remedy", utf8(obstacle.remedy)},
                                           {"nodes", std::move(nodes)}});
  }
  return obstacles;
}

void Obstacles::printJson(StringRef model, int64_t skipped, llvm::raw_ostream &out) const {
  llvm::json::Object found{{"model", utf8(model)},
                           {"trainable", empty()},
                           {"skipped_nodes", skipped},
                           {"obstacles", toJson(list)}};
  for (const std::string &fact : facts)
    found.try_emplace("facts", llvm::json::Array())
        .first->second.getAsArray()
        ->push_back(utf8(fact));
  if (!hints.empty())
    found["hints"] = toJson(hints);
  out << llvm::json::Value(std::move(found)) << "\n";
}
