// What the operations of the dialect answer.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/foreign/Exchange.h"

#include "dialects/interfaces/Determinism.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

#include "test/foreign/ExchangeDialect.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "test/foreign/ExchangeTypes.cpp.inc"

using namespace mlir;
using namespace tutti;
using namespace tutti::test;
using tutti::collective::MembersAttrInterface;

void ExchangeDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "test/foreign/ExchangeTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "test/foreign/Exchange.cpp.inc"
      >();
  addInterfaces<UniformityDialectInterface>();
  addExchangeFactory(*this);
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

static MembersAttrInterface membersOf(RingOp op) {
  return dyn_cast_or_null<MembersAttrInterface>(op.getMembersAttr());
}

static std::optional<int64_t> worldOf(RingOp op) { return findWorldSizeAt(op); }

GroupForm RingOp::getGroupForm() {
  using namespace collective;
  GroupForm form = {GroupForm::World};
  Attribute members = getMembersAttr();
  if (auto blocks = dyn_cast_or_null<BlocksAttr>(members))
    form = {GroupForm::Blocks, blocks.getLength()};
  else if (auto strided = dyn_cast_or_null<StridedAttr>(members))
    form = {GroupForm::Strided, strided.getStride()};
  else if (isa_and_nonnull<PerNodeAttr>(members))
    form = {GroupForm::PerNode};
  else if (isa_and_nonnull<AcrossNodesAttr>(members))
    form = {GroupForm::AcrossNodes};
  else if (isa_and_nonnull<AtRunTimeAttr>(members))
    form = {GroupForm::AtRunTime};
  else if (members)
    form = {GroupForm::Listed};
  if (getRanks())
    form.size = *getRanks();
  return form;
}

Attribute RingOp::getDivision() { return getMembersAttr(); }

void RingOp::declareSize(int64_t ranks) { setRanks(ranks); }

bool RingOp::isOfWholeWorld() {
  std::optional<int64_t> world = worldOf(*this);
  return !membersOf(*this) || (world && holdsEveryRank() && getSizeOfSets() == world);
}

bool RingOp::holdsEveryRank() {
  return !membersOf(*this) || membersOf(*this).hasEveryRank(worldOf(*this));
}

bool RingOp::isOfEqualSets() {
  return !membersOf(*this) || getRanks() || membersOf(*this).hasEqualSets(worldOf(*this));
}

std::optional<int64_t> RingOp::getSizeOfSets() {
  if (getRanks())
    return *getRanks();
  return membersOf(*this) ? membersOf(*this).getSetSize(worldOf(*this)) : worldOf(*this);
}

std::optional<SmallVector<int64_t>> RingOp::getMembersWith(int64_t rank, int64_t worldSize) {
  if (MembersAttrInterface members = membersOf(*this))
    return members.getSetOf(rank, worldSize);
  return llvm::to_vector(llvm::seq<int64_t>(0, worldSize));
}

//===----------------------------------------------------------------------===//
// Collectives and messages
//===----------------------------------------------------------------------===//

CommunicationForm ShareOp::getForm() {
  CommunicationForm form = {static_cast<CommunicationKind>(getKind()), getRingAttr()};
  if (getBy())
    form.reduction = static_cast<Reduction>(*getBy());
  form.axis = getAxis();
  form.root = getRoot();
  return form;
}

void ShareOp::refineResultTypes(SmallVectorImpl<Type> &types) {
  GroupOpInterface group = findGroup(*this, getRingAttr());
  int64_t ranks = group ? group.getSizeOfSets().value_or(0) : 0; // 0: not known
  auto kind = static_cast<CommunicationKind>(getKind());
  bool joins = kind == CommunicationKind::AllGather || kind == CommunicationKind::Gather;
  bool cuts = kind == CommunicationKind::ReduceScatter || kind == CommunicationKind::Scatter;
  for (Value value : getGiven()) {
    auto type = cast<RankedTensorType>(value.getType());
    SmallVector<int64_t> shape(type.getShape());
    if ((joins || cuts) && ranks != 0 && !type.isDynamicDim(getAxis()))
      shape[getAxis()] = joins ? shape[getAxis()] * ranks : shape[getAxis()] / ranks;
    types.push_back(type.clone(shape));
  }
}

CommunicationForm MeetOp::getForm() { return {CommunicationKind::Barrier, getRingAttr()}; }
CommunicationForm OpenOp::getForm() { return {CommunicationKind::CreateGroup, getRingAttr()}; }
CommunicationForm CloseOp::getForm() { return {CommunicationKind::DestroyGroup, getRingAttr()}; }
CommunicationForm TellOp::getForm() { return {CommunicationKind::Send, getRingAttr()}; }
CommunicationForm HearOp::getForm() { return {CommunicationKind::Receive, getRingAttr()}; }
SmallVector<Value> TellOp::getPayload() { return SmallVector<Value>(getGiven()); }
SmallVector<Value> HearOp::getPayload() { return SmallVector<Value>(getTaken()); }

//===----------------------------------------------------------------------===//
// Pairs, questions, work
//===----------------------------------------------------------------------===//

void HandOp::build(OpBuilder &, OperationState &) {}
Value PostOp::getFutureValue() { return getTicket(); }
Value PostOp::getPromised(unsigned index) {
  return getBody().front().getTerminator()->getOperand(index);
}
StringRef PostOp::getDoneName() { return FetchOp::getOperationName(); }
void FetchOp::refineResultTypes(SmallVectorImpl<Type> &types) {
  for (OpResult result : getOperation()->getResults()) {
    Value promised =
        findPromised(cast<CommunicationDoneOpInterface>(getOperation()), result.getResultNumber());
    types.push_back(promised ? promised.getType() : result.getType());
  }
}
Value FetchOp::getAwaitedFuture() { return getTicket(); }

RankQuestion AskOp::getQuestion() {
  return {static_cast<RankQuestion::Kind>(getAsked()), getRingAttr(), getOtherAttr()};
}

double WorkOp::getOperations() { return getSteps().convertToDouble(); }
double WorkOp::getBytes() { return getTouched().convertToDouble(); }

//===----------------------------------------------------------------------===//
// Syntax
//===----------------------------------------------------------------------===//

static constexpr StringLiteral questions[] = {"rank", "size", "local_rank", "local_size",
                                              "translate"};
static constexpr StringLiteral reductions[] = {"sum", "mean", "min", "max", "prod"};

static std::optional<int64_t> placeOf(StringRef word, ArrayRef<StringLiteral> words) {
  const auto *found = llvm::find(words, word);
  return found == words.end() ? std::nullopt : std::optional<int64_t>(found - words.begin());
}

static ParseResult parseWord(OpAsmParser &parser, ArrayRef<StringLiteral> words,
                             IntegerAttr &number) {
  StringRef word;
  SMLoc place = parser.getCurrentLocation();
  if (parser.parseKeyword(&word))
    return failure();
  std::optional<int64_t> found = placeOf(word, words);
  if (!found)
    return parser.emitError(place) << "'" << word << "' is not known";
  number = parser.getBuilder().getI64IntegerAttr(*found);
  return success();
}

static ParseResult parseNumber(OpAsmParser &parser, StringRef keyword, IntegerAttr &number) {
  int64_t value = 0;
  if (succeeded(parser.parseOptionalKeyword(keyword)) && parser.parseInteger(value))
    return failure();
  number = parser.getBuilder().getI64IntegerAttr(value);
  return success();
}

static ParseResult parseForm(OpAsmParser &parser, IntegerAttr &kind, IntegerAttr &by,
                             IntegerAttr &axis, IntegerAttr &root) {
  StringRef word;
  SMLoc place = parser.getCurrentLocation();
  if (parser.parseKeyword(&word))
    return failure();
  for (unsigned i = 0; i < unsigned(CommunicationKind::AllToAll); ++i)
    if (spellKind(static_cast<CommunicationKind>(i)) == word)
      kind = parser.getBuilder().getI64IntegerAttr(i);
  if (!kind)
    return parser.emitError(place) << "'" << word << "' is no kind";
  if (succeeded(parser.parseOptionalKeyword("by")) && parseWord(parser, reductions, by))
    return failure();
  return failure(parseNumber(parser, "axis", axis) || parseNumber(parser, "root", root));
}

static void printForm(OpAsmPrinter &printer, Operation *, IntegerAttr kind, IntegerAttr by,
                      IntegerAttr axis, IntegerAttr root) {
  printer << spellKind(static_cast<CommunicationKind>(kind.getInt()));
  if (by)
    printer << " by " << reductions[by.getInt()];
  if (axis.getInt() != 0)
    printer << " axis " << axis.getInt();
  if (root.getInt() != 0)
    printer << " root " << root.getInt();
  printer << " ";
}

static ParseResult parseQuestion(OpAsmParser &parser, IntegerAttr &question) {
  return parseWord(parser, questions, question);
}

static void printQuestion(OpAsmPrinter &printer, Operation *, IntegerAttr question) {
  printer << questions[question.getInt()];
}

#define GET_OP_CLASSES
#include "test/foreign/Exchange.cpp.inc"
