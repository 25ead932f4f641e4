// The bodies of collectives. What is reduced is cut into one part for each rank, so that every rank
// adds up its own, in rank order: the same bits everywhere, in every run, and with every MPI.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/conversion/mpi/Exchange.h"

#include "passes/conversion/mpi/Elements.h"
#include "passes/conversion/mpi/Messages.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tutti::collective;
using namespace tutti::conversion;

namespace {

/// Writes one body.
class ExchangeBody {
public:
  ExchangeBody(Messages &messages, const Team &team, Type element, ValueRange arguments)
      : m(messages), team(team), element(element), arguments(arguments) {}

  void write(AllReduceOp op) {
    Value mine = reduceParts(op.getReduction(), [&](Value length) {
      return m.part(out(), beginOf(m.place, length), lengthOf(m.place, length));
    });
    Value all = m.length(in());
    m.exchange([&](Value) { return mine; }, [&](Value other) { return chunk(out(), other, all); });
  }

  void write(ReduceOp op) {
    Value all = m.length(in()), root = m.index(op.getRoot());
    Value mine = reduceParts(op.getReduction(), [&](Value length) {
      return m.allocate(element, lengthOf(m.place, length));
    });
    collect(root, mine, [&](Value other) { return chunk(out(), other, all); });
    m.branch(
        m.isEqual(m.place, root), [] {}, [&] { m.copy(in(), out()); });
    m.release(mine);
  }

  void write(ReduceScatterOp op) {
    Value length = m.length(out());
    Value parts = m.allocate(element, m.multiply(m.size, length));
    m.exchange([&](Value other) { return slot(in(), other, length); },
               [&](Value other) { return slot(parts, other, length); });
    reduce(op.getReduction(), parts, out());
    m.release(parts);
  }

  /// A tree: the ranks that have it double from round to round.
  void write(BroadcastOp op) {
    Value root = m.index(op.getRoot());
    m.branch(m.isEqual(m.place, root), [&] { m.copy(in(), out()); });
    Value fromRoot = around(m.subtract(m.place, root));
    for (int64_t round = llvm::Log2_64_Ceil(team.worldSize); round-- > 0;)
      pass(root, fromRoot, m.index(int64_t(1) << round));
  }

  void write(AllGatherOp) {
    Value length = m.length(in());
    m.exchange([&](Value) { return in(); },
               [&](Value other) { return slot(out(), other, length); });
  }

  void write(GatherOp op) {
    Value length = m.length(in());
    collect(m.index(op.getRoot()), in(), [&](Value other) { return slot(out(), other, length); });
  }

  void write(ScatterOp op) {
    Value length = m.length(out()), root = m.index(op.getRoot());
    auto give = [&](Value other) {
      Value part = slot(in(), other, length);
      m.branch(
          m.isEqual(other, root), [&] { m.copy(part, out()); }, [&] { m.send(part, other); });
    };
    m.branch(
        m.isEqual(m.place, root), [&] { m.forEach(m.size, give); },
        [&] { m.receive(out(), root); });
  }

  void write(AllToAllOp) {
    Value length = m.divide(m.length(in()), m.size);
    m.exchange([&](Value other) { return slot(in(), other, length); },
               [&](Value other) { return slot(out(), other, length); }, /*sameBuffer=*/true);
  }

  void write(AllToAllVOp) {
    auto rows = [&](Value buffer, Value counts, Value displacements, Value other) {
      Value begin = m.multiply(number(displacements, other), arguments[6]);
      return m.part(buffer, begin, m.multiply(number(counts, other), arguments[6]));
    };
    m.exchange([&](Value other) { return rows(in(), arguments[2], arguments[3], other); },
               [&](Value other) { return rows(out(), arguments[4], arguments[5], other); });
  }

  /// What goes to a rank lies after what goes to those before it; and so with what arrives.
  void write(AllToAllVCOp) {
    auto sent = [&](Value from, Value to) {
      return number(arguments[2], m.add(m.multiply(from, m.size), to));
    };
    auto rows = [&](Value buffer, Value other, function_ref<Value(Value)> countOf) {
      Value begin = m.multiply(m.sum(other, countOf), arguments[3]);
      return m.part(buffer, begin, m.multiply(countOf(other), arguments[3]));
    };
    m.exchange(
        [&](Value other) { return rows(in(), other, [&](Value to) { return sent(m.place, to); }); },
        [&](Value other) {
          return rows(out(), other, [&](Value from) { return sent(from, m.place); });
        });
  }

  void write(BarrierOp) {
    Value one = m.index(1);
    Value token = m.allocate(element, one), arrived = m.allocate(element, one);
    Value zero = arith::ConstantIntOp::create(m.builder, 0, element.getIntOrFloatBitWidth());
    memref::StoreOp::create(m.builder, zero, token, m.index(0));
    m.exchange([&](Value) { return token; }, [&](Value) { return arrived; });
    m.release(arrived);
    m.release(token);
  }

  void write(SendOp) { m.send(arguments[0], arguments[1]); }
  void write(RecvOp) { m.receive(arguments[0], arguments[1]); }

private:
  Value in() { return arguments[0]; }
  Value out() { return arguments[1]; }

  /// Place `number` times `length` elements.
  Value slot(Value buffer, Value number, Value length) {
    return m.part(buffer, m.multiply(number, length), length);
  }

  // Chunks: `all` elements cut into one for each rank, as equal as can be.
  Value beginOf(Value place, Value all) { return m.divide(m.multiply(place, all), m.size); }
  Value lengthOf(Value place, Value all) {
    return m.subtract(beginOf(m.add(place, m.index(1)), all), beginOf(place, all));
  }
  Value chunk(Value buffer, Value place, Value all) {
    return m.part(buffer, beginOf(place, all), lengthOf(place, all));
  }

  /// A place that may lie below the first or beyond the last, by less than their number.
  Value around(Value place) { return m.remainder(m.add(place, m.size), m.size); }

  /// An entry of counts or displacements.
  Value number(Value numbers, Value at) {
    Value number = memref::LoadOp::create(m.builder, numbers, at);
    return arith::IndexCastOp::create(m.builder, m.builder.getIndexType(), number);
  }

  /// One round of a broadcast: ranks whose distance from the root is a multiple of twice `step`
  /// have it, and pass it on.
  void pass(Value root, Value fromRoot, Value step) {
    Value offset = m.remainder(fromRoot, m.add(step, step)), next = m.add(fromRoot, step);
    m.branch(
        m.isEqual(offset, step),
        [&] { m.receive(out(), around(m.subtract(m.add(root, fromRoot), step))); },
        [&] {
          Value has = m.isEqual(offset, m.index(0)), isThere = m.isLess(next, m.size);
          m.branch(arith::AndIOp::create(m.builder, has, isThere),
                   [&] { m.send(out(), around(m.add(root, next))); });
        });
  }

  /// The root gets `mine` of every rank, each where it belongs.
  void collect(Value root, Value mine, Messages::PartOf partOf) {
    auto take = [&](Value other) {
      Value part = partOf(other);
      m.branch(
          m.isEqual(other, root), [&] { m.copy(mine, part); }, [&] { m.receive(part, other); });
    };
    m.branch(
        m.isEqual(m.place, root), [&] { m.forEach(m.size, take); }, [&] { m.send(mine, root); });
  }

  /// Exchanges the chunks of the input and reduces this rank's into what `destination` makes of the
  /// length of the whole.
  Value reduceParts(ReductionKind reduction, function_ref<Value(Value)> destination) {
    Value all = m.length(in()), length = lengthOf(m.place, all);
    Value parts = m.allocate(element, m.multiply(m.size, length));
    m.exchange([&](Value other) { return chunk(in(), other, all); },
               [&](Value other) { return slot(parts, other, length); });
    Value mine = destination(all);
    reduce(reduction, parts, mine);
    m.release(parts);
    return mine;
  }

  /// `parts` holds as many elements as `into` for each rank, one rank after the other.
  void reduce(ReductionKind reduction, Value parts, Value into) {
    Combiner combiner(element, reduction);
    Value length = m.length(into), one = m.index(1);
    auto load = [&](Value at) {
      return combiner.widen(m.builder, memref::LoadOp::create(m.builder, parts, at));
    };
    m.forEach(length, [&](Value i) {
      auto ranks = scf::ForOp::create(m.builder, one, m.size, one, ValueRange(load(i)));
      {
        OpBuilder::InsertionGuard guard(m.builder);
        m.builder.setInsertionPointToStart(ranks.getBody());
        Value next = load(m.add(m.multiply(ranks.getInductionVar(), length), i));
        scf::YieldOp::create(m.builder,
                             combiner.combine(m.builder, ranks.getRegionIterArg(0), next));
      }
      Value whole = combiner.finish(m.builder, ranks.getResult(0), m.size);
      memref::StoreOp::create(m.builder, combiner.narrow(m.builder, whole), into, i);
    });
  }

  Messages &m;
  const Team &team;
  Type element;
  ValueRange arguments;
};

} // namespace

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// What tells a function from others of the same element type and group.
static std::string kindOf(Operation *op) {
  std::string kind = op->getName().stripDialect().str();
  llvm::TypeSwitch<Operation *>(op)
      .Case<AllReduceOp, ReduceScatterOp, ReduceOp>([&](auto reduction) {
        kind += "_" + stringifyReductionKind(reduction.getReduction()).str();
      })
      .Case<SendOp, RecvOp>(
          [&](auto message) { kind += "_tag_" + std::to_string(message.getTag()); });
  llvm::TypeSwitch<Operation *>(op)
      .Case<ReduceOp, GatherOp>(
          [&](auto rooted) { kind += "_to_" + std::to_string(rooted.getRoot()); })
      .Case<BroadcastOp, ScatterOp>(
          [&](auto rooted) { kind += "_from_" + std::to_string(rooted.getRoot()); });
  return kind;
}

static SmallVector<Type> parametersOf(Operation *op, Type element) {
  Type index = IndexType::get(op->getContext()), data = getFlatType(element);
  Type counts = getFlatType(IntegerType::get(op->getContext(), 64));
  return llvm::TypeSwitch<Operation *, SmallVector<Type>>(op)
      .Case([&](BarrierOp) { return SmallVector<Type>(); })
      .Case<SendOp, RecvOp>([&](auto) {
        return SmallVector<Type>{data, index};
      })
      .Case([&](AllToAllVOp) {
        return SmallVector<Type>{data, data, counts, counts, counts, counts, index};
      })
      .Case([&](AllToAllVCOp) {
        return SmallVector<Type>{data, data, counts, index};
      })
      .Default([&](Operation *) {
        return SmallVector<Type>{data, data};
      });
}

/// Collectives of a group have a tag of their own, and so has each tag of its messages.
static FailureOr<int32_t> tagOf(Operation *op, const Team &team, int64_t groups) {
  constexpr int64_t largest = 32767; // what every MPI has
  int64_t tag = 0;
  if (auto message = dyn_cast<tutti::PointToPointOpInterface>(op))
    tag = message.getTag() + 1;
  if (tag > (largest - team.number) / groups)
    return mlir::emitError(op->getLoc()) << "tag " << tag - 1 << " is too large: with " << groups
                                         << " groups, MPI is sure to tell tags up to "
                                         << (largest - team.number) / groups - 1 << " apart";
  return static_cast<int32_t>(tag * groups + team.number);
}

static void writeBody(Operation *op, Type element, const Team &team, int32_t tag,
                      ImplicitLocOpBuilder &builder, ValueRange arguments) {
  TeamRank self(builder, team);
  OpBuilder::InsertionGuard guard(builder);
  if (!team.hasEveryRank) {
    auto members = scf::IfOp::create(builder, self.isMember(), /*withElseRegion=*/false);
    builder.setInsertionPointToStart(members.thenBlock());
  }
  Messages messages(builder, self, tag);
  ExchangeBody body(messages, team, element, arguments);
  llvm::TypeSwitch<Operation *>(op)
      .Case<AllReduceOp, ReduceOp, ReduceScatterOp, BroadcastOp, AllGatherOp, GatherOp, ScatterOp,
            AllToAllOp, AllToAllVOp, AllToAllVCOp, BarrierOp, SendOp, RecvOp>(
          [&](auto known) { body.write(known); });
}

FailureOr<func::FuncOp> Exchanges::get(Operation *op, Type element) {
  auto group = op->getAttrOfType<FlatSymbolRefAttr>("group");
  FailureOr<const Team *> team = teams.get(op, group);
  if (failed(team))
    return failure();
  FailureOr<int32_t> tag = tagOf(op, **team, teams.count());
  if (failed(tag))
    return failure();
  std::string name;
  llvm::raw_string_ostream(name) << "mpi_" << kindOf(op) << "_" << element << "_on_"
                                 << group.getValue();
  func::FuncOp &function = functions[name];
  if (function)
    return function;
  ImplicitLocOpBuilder builder(op->getLoc(), module.getContext());
  function = func::FuncOp::create(builder, name,
                                  builder.getFunctionType(parametersOf(op, element), TypeRange()));
  function.setPrivate();
  symbols.insert(function, module.getBody()->end());
  builder.setInsertionPointToStart(function.addEntryBlock());
  writeBody(op, element, **team, *tag, builder, function.getArguments());
  func::ReturnOp::create(builder);
  return function;
}
