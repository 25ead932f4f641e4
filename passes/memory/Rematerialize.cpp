// From operations on buffers to a schedule of memory, and back with what is repeated.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/memory/Rematerialize.h"

#include "dialects/collective/Collective.h"
#include "dialects/kernel/Kernel.h"
#include "lib/cost/Timeline.h"
#include "passes/memory/BufferLiveness.h"
#include "passes/memory/MemorySchedule.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tutti::memory;

namespace {

double secondsOf(Operation *op) {
  return tutti::cost::secondsOf(tutti::cost::workOf(op), tutti::cost::commonCore(), 1);
}

/// Whether a region of `op` makes `value`.
bool isInside(Value value, Operation *op) {
  return op->isProperAncestor(value.getParentBlock()->getParentOp()) ||
         value.getParentBlock()->getParentOp() == op;
}

bool isBuffer(Value value) { return isa<BaseMemRefType>(value.getType()); }

/// The operations of one block as steps, and what they touch as buffers.
class BlockSchedule {
public:
  /// Numbers what `block` holds; `lives` are those of the function.
  static FailureOr<BlockSchedule> read(Block &block, const BufferLiveness &lives);

  /// Writes the repeats of `planned`, which began as `schedule`, into the block.
  void write(const MemorySchedule &planned) const;

  MemorySchedule schedule;
  std::vector<Operation *> operations; ///< of each step
  std::vector<Value> roots;            ///< of each buffer; null for what lies outside

private:
  explicit BlockSchedule(Block &block) : block(&block) {}
  void addSteps();
  void addAllocations();
  void addOutside();
  LogicalResult addScratch(const BufferLiveness &lives);
  void touch(unsigned buffer, Operation *user, bool reads, bool writes);
  void touchBy(unsigned buffer, Value value, Operation *user);
  void followAliases(unsigned buffer, Value root);

  Block *block;
  llvm::DenseMap<Operation *, unsigned> steps;
};

/// Whether `op` writes the same bits whenever it reads the same.
bool isRepeatable(Operation *op) {
  if (op->hasAttr(tutti::collective::kFuture))
    return false;
  if (auto kernel = dyn_cast<tutti::kernel::KernelOpInterface>(op))
    return !kernel.readsTables() && !kernel.writesTables();
  return isa<linalg::LinalgOp, memref::CopyOp>(op);
}

void BlockSchedule::addSteps() {
  for (Operation &op : *block) {
    MemoryStep &step = schedule.addStep();
    step.isRepeatable = isRepeatable(&op);
    step.seconds = step.isRepeatable ? secondsOf(&op) : 0;
    steps[&op] = operations.size();
    operations.push_back(&op);
  }
}

void BlockSchedule::touch(unsigned buffer, Operation *user, bool reads, bool writes) {
  Operation *op = block->findAncestorOpInBlock(*user);
  MemoryStep &step = schedule.steps[steps.lookup(op)];
  if (reads && !llvm::is_contained(step.reads, buffer))
    step.reads.push_back(buffer);
  if (writes && !llvm::is_contained(step.writes, buffer))
    step.writes.push_back(buffer);
}

/// What `user` does to `value`, which shows `buffer`. Whoever does not tell may do anything, and
/// what communicates in the background does it until it is complete.
void BlockSchedule::touchBy(unsigned buffer, Value value, Operation *user) {
  auto effects = dyn_cast<MemoryEffectOpInterface>(user);
  Operation *end = completionOf(user);
  if (!effects || user->getNumRegions() > size_t(isa<linalg::LinalgOp>(user)) || end != user) {
    touch(buffer, user, true, true);
    if (end != user)
      touch(buffer, end, true, true);
    return;
  }
  SmallVector<MemoryEffects::EffectInstance> found;
  effects.getEffects(found);
  bool reads = false, writes = false, isNamed = false;
  for (const MemoryEffects::EffectInstance &effect : found)
    if (effect.getValue() == value) {
      isNamed = true;
      reads |= isa<MemoryEffects::Read>(effect.getEffect());
      writes |= isa<MemoryEffects::Write, MemoryEffects::Free>(effect.getEffect());
    }
  // What is taken and neither read nor written is handed on, which counts as a use.
  touch(buffer, user, reads || !isNamed, writes || !isNamed);
}

/// All that touches `buffer`, whose root is `root`, directly or through what may show it.
void BlockSchedule::followAliases(unsigned buffer, Value root) {
  llvm::SetVector<Value> aliases;
  aliases.insert(root);
  for (size_t next = 0; next < aliases.size(); ++next)
    for (Operation *user : aliases[next].getUsers()) {
      if (!block->findAncestorOpInBlock(*user))
        continue;
      aliases.insert_range(aliasesThrough(user, *block));
      if (!isa<ViewLikeOpInterface>(user))
        touchBy(buffer, aliases[next], user);
    }
}

void BlockSchedule::addAllocations() {
  for (auto alloc : block->getOps<memref::AllocOp>()) {
    unsigned buffer = schedule.addBuffer(bytesOf(alloc.getType()));
    roots.push_back(alloc);
    followAliases(buffer, alloc);
  }
}

/// What the block uses that it does not allocate: each argument of the function is a buffer, which
/// no other shows; all the rest may show one another, and counts as one. Constants stay.
void BlockSchedule::addOutside() {
  std::optional<unsigned> rest;
  llvm::DenseMap<Value, unsigned> arguments;
  llvm::DenseSet<std::pair<Value, Operation *>> seen;
  auto numberOf = [&](Value root) {
    bool isArgument =
        isa<BlockArgument>(root) && isa<func::FuncOp>(root.getParentBlock()->getParentOp());
    auto found = isArgument ? arguments.find(root) : arguments.end();
    if (found != arguments.end())
      return found->second;
    if (!isArgument && rest)
      return *rest;
    unsigned number = schedule.addBuffer(0, /*isPlanned=*/false);
    roots.push_back(isArgument ? root : Value());
    return isArgument ? arguments[root] = number : *(rest = number);
  };
  block->walk([&](Operation *user) {
    if (isa<ViewLikeOpInterface>(user))
      return;
    for (Value value : user->getOperands())
      if (isBuffer(value)) {
        Value root = rootOf(value);
        Operation *made = root.getDefiningOp();
        bool isOwn = isa_and_nonnull<memref::AllocOp>(made) &&
                     block->getParent()->isAncestor(made->getParentRegion());
        if (!isOwn && !isa_and_nonnull<memref::GetGlobalOp>(made))
          touchBy(numberOf(root), value, user);
      }
  });
}

/// What the buffers inside each step of the block take while it runs.
LogicalResult BlockSchedule::addScratch(const BufferLiveness &lives) {
  for (auto [number, op] : llvm::enumerate(operations)) {
    SmallVector<ArenaBuffer> inner;
    WalkResult result = op->walk([&](memref::AllocOp alloc) {
      if (alloc->getBlock() == block)
        return WalkResult::advance();
      FailureOr<BufferLife> life = lives.of(alloc);
      if (failed(life))
        return WalkResult::interrupt();
      inner.push_back({bytesOf(alloc.getType()), life->firstMoment, life->lastMoment, 0});
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return failure();
    schedule.steps[number].scratch = layOutArena(inner);
  }
  return success();
}

FailureOr<BlockSchedule> BlockSchedule::read(Block &block, const BufferLiveness &lives) {
  BlockSchedule read(block);
  read.addSteps();
  read.addAllocations();
  read.addOutside();
  if (failed(read.addScratch(lives)))
    return failure();
  return read;
}

/// Clones operations for buffers other than their own.
class Writer {
public:
  Writer(const BlockSchedule &before, const MemorySchedule &after) : before(before), after(after) {
    for (unsigned number = 0; number < before.roots.size(); ++number)
      places.push_back(before.roots[number]);
    places.resize(after.buffers.size());
  }

  /// Adds `step` before `next` if it is a repeat; else lets its operation use what it is to use.
  void write(const MemoryStep &step, Operation *next);

private:
  llvm::DenseMap<Value, unsigned> numbersFor(const MemoryStep &step) const;
  Value placeOf(unsigned buffer, Operation *next);
  Value show(Value value, Value place, OpBuilder &builder) const;

  const BlockSchedule &before;
  const MemorySchedule &after;
  std::vector<Value> places; ///< of each buffer; null until it is made
};

/// The buffers that stand for the roots that the operation of `step` touches.
llvm::DenseMap<Value, unsigned> Writer::numbersFor(const MemoryStep &step) const {
  llvm::DenseMap<Value, unsigned> numbers;
  for (const auto *list : {&step.reads, &step.writes})
    for (unsigned buffer : *list)
      if (Value root = before.roots[after.buffers[buffer].origin];
          root && buffer != after.buffers[buffer].origin)
        numbers[root] = buffer;
  return numbers;
}

Value Writer::placeOf(unsigned buffer, Operation *next) {
  if (!places[buffer]) {
    auto first = before.roots[after.buffers[buffer].origin].getDefiningOp<memref::AllocOp>();
    OpBuilder builder(next);
    places[buffer] =
        memref::AllocOp::create(builder, first.getLoc(), first.getType(), first.getAlignmentAttr());
  }
  return places[buffer];
}

/// `value`, a view of a root or the root itself, of `place` instead.
Value Writer::show(Value value, Value place, OpBuilder &builder) const {
  auto view = value.getDefiningOp<ViewLikeOpInterface>();
  if (!view)
    return place;
  IRMapping mapping;
  mapping.map(view.getViewSource(), show(view.getViewSource(), place, builder));
  Operation *clone = builder.clone(*view.getOperation(), mapping);
  return clone->getResult(cast<OpResult>(value).getResultNumber());
}

void Writer::write(const MemoryStep &step, Operation *next) {
  llvm::DenseMap<Value, unsigned> numbers = numbersFor(step);
  if (numbers.empty() && !step.isRepeat)
    return;
  Operation *op = before.operations[step.origin];
  Operation *position = step.isRepeat ? next : op;
  OpBuilder builder(position);
  IRMapping mapping;
  llvm::SetVector<Value> used;
  op->walk([&](Operation *inner) { used.insert_range(inner->getOperands()); });
  for (Value value : used) // views inside the operation follow those that they are of
    if (auto number =
            numbers.find(isBuffer(value) && !isInside(value, op) ? rootOf(value) : Value());
        number != numbers.end())
      mapping.map(value, show(value, placeOf(number->second, position), builder));
  if (step.isRepeat)
    builder.clone(*op, mapping);
  else
    op->walk([&](Operation *inner) {
      for (OpOperand &operand : inner->getOpOperands())
        if (Value other = mapping.lookupOrNull(operand.get()))
          operand.set(other);
    });
}

void BlockSchedule::write(const MemorySchedule &planned) const {
  Writer writer(*this, planned);
  auto nextOf = [&](size_t position) {
    while (planned.steps[position].isRepeat)
      ++position;
    return operations[planned.steps[position].origin];
  };
  for (size_t position = 0; position < planned.steps.size(); ++position)
    if (planned.steps[position].isRepeat)
      writer.write(planned.steps[position], nextOf(position));
  // Only then: repeats are clones of operations as they were.
  for (const MemoryStep &step : planned.steps)
    if (!step.isRepeat)
      writer.write(step, nullptr);
}

/// Repeats steps of `schedule`, until `limit` and less live, so that its buffers fit into `budget`
/// when they are laid out, which may take more than what lives. False if they do not.
bool fitBelow(MemorySchedule &schedule, int64_t limit, int64_t budget) {
  constexpr int rounds = 16;
  for (int round = 0; round < rounds && repeatSteps(schedule, limit); ++round) {
    SmallVector<ArenaBuffer> lives = livesOf(schedule);
    int64_t scratch = 0;
    for (const MemoryStep &step : schedule.steps)
      scratch = std::max(scratch, step.scratch);
    int64_t over = layOutArena(lives) - budget;
    if (over <= 0 || scratch > 0) // what is inside steps is laid out by the function's plan
      return true;
    limit -= std::max(over, kArenaAlignment);
  }
  return false;
}

/// Repeats steps of `schedule` so that its buffers fit into `budget`, or until as little lives as
/// can be. Greedy choices for a lower limit are others, and may free more.
void fit(MemorySchedule &schedule, int64_t budget) {
  std::optional<MemorySchedule> least;
  for (int64_t share : {16, 15, 14, 12, 10, 8}) {
    MemorySchedule tried = schedule;
    bool fits = fitBelow(tried, budget - budget / 16 * (16 - share), budget);
    if (fits || !least || findPeak(tried).bytes < findPeak(*least).bytes)
      least = std::move(tried);
    if (fits)
      break;
  }
  schedule = std::move(*least);
}

/// The worst moment of a function, in the block that holds it.
struct Worst {
  BlockSchedule read;
  MemoryPeak peak;
  int64_t around = 0; ///< bytes that live outside the block then

  /// The body of the loop in which the moment is; null if it is in none.
  Block *findLoop() const {
    if (peak.step >= read.operations.size() || read.schedule.steps[peak.step].scratch == 0)
      return nullptr;
    auto loop = dyn_cast<LoopLikeOpInterface>(read.operations[peak.step]);
    return loop ? &loop.getLoopRegions().back()->front() : nullptr;
  }
};

FailureOr<Worst> findWorst(func::FuncOp function, Block &block, int64_t around) {
  BufferLiveness lives(function.getBody().front());
  FailureOr<BlockSchedule> read = BlockSchedule::read(block, lives);
  if (failed(read))
    return failure();
  MemoryPeak peak = findPeak(read->schedule);
  return Worst{std::move(*read), std::move(peak), around};
}

/// What of the peak is inside the loop that `worst` names is not around it.
int64_t aroundLoop(const Worst &worst) {
  return worst.around + worst.peak.bytes - worst.read.schedule.steps[worst.peak.step].scratch;
}

/// Repeats steps of the block of `worst`.
void improve(const Worst &worst, int64_t budget, Rematerialization &total) {
  MemorySchedule planned = worst.read.schedule;
  fit(planned, std::max<int64_t>(0, budget - worst.around));
  total.seconds += secondsOfRepeats(planned);
  unsigned repeats = llvm::count_if(planned.steps, [](auto &step) { return step.isRepeat; });
  total.operations += repeats;
  if (repeats > 0)
    worst.read.write(planned);
}

/// "1.5 MiB".
std::string spellBytes(int64_t bytes) {
  constexpr const char *units[] = {"bytes", "KiB", "MiB", "GiB"};
  double amount = double(bytes);
  size_t unit = 0;
  for (; amount >= 1024 && unit + 1 < std::size(units); ++unit)
    amount /= 1024;
  return unit == 0 ? llvm::formatv("{0} bytes", bytes).str()
                   : llvm::formatv("{0:f1} {1}", amount, units[unit]).str();
}

} // namespace

FailureOr<Rematerialization> tutti::memory::rematerialize(func::FuncOp function, int64_t budget) {
  Rematerialization total;
  Block *block = &function.getBody().front();
  int64_t around = 0;
  while (block) {
    FailureOr<Worst> worst = findWorst(function, *block, around);
    if (failed(worst))
      return failure();
    improve(*worst, budget, total);
    worst = findWorst(function, *block, around);
    if (failed(worst))
      return failure();
    total.fits = worst->peak.bytes + around <= budget;
    block = total.fits ? nullptr : worst->findLoop();
    around = aroundLoop(*worst);
  }
  return total;
}

std::string tutti::memory::describePeak(func::FuncOp function) {
  constexpr size_t most = 5;
  Block *block = &function.getBody().front();
  SmallVector<std::pair<int64_t, std::string>> living;
  std::string moment;
  int64_t around = 0, bytes = 0;
  while (block) {
    FailureOr<Worst> worst = findWorst(function, *block, around);
    if (failed(worst))
      return "";
    for (unsigned buffer : worst->peak.buffers)
      living.push_back({worst->read.schedule.buffers[buffer].bytes,
                        nodeOf(worst->read.roots[buffer].getDefiningOp())});
    if (worst->peak.step < worst->read.operations.size())
      moment = nodeOf(worst->read.operations[worst->peak.step]);
    bytes = around + worst->peak.bytes;
    block = worst->findLoop();
    around = aroundLoop(*worst);
  }
  llvm::stable_sort(living, [](auto &a, auto &b) { return a.first > b.first; });
  living.truncate(std::min(living.size(), most));
  std::string text = spellBytes(bytes) + " live at '" + moment + "', of them ";
  llvm::raw_string_ostream out(text);
  llvm::interleaveComma(living, out, [&](auto &buffer) {
    out << spellBytes(buffer.first) << " of '" << buffer.second << "'";
  });
  return text;
}
