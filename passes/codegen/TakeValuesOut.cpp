// The pass take-values-out: large constants become what the host of a program brings.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/codegen/Passes.h"

#include "tutti/program.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;

namespace tutti::codegen {
#define GEN_PASS_DEF_TAKEVALUESOUTPASS
#include "passes/codegen/Passes.h.inc"
} // namespace tutti::codegen

/// The content of `global`, if it is a resource of more than `bytes` bytes.
static DenseResourceElementsAttr largeContent(LLVM::GlobalOp global, uint64_t bytes) {
  auto content = dyn_cast_or_null<DenseResourceElementsAttr>(global.getValueOrNull());
  AsmResourceBlob *blob = content ? content.getRawHandle().getBlob() : nullptr;
  return global.getConstant() && blob && blob->getData().size() > bytes ? content : nullptr;
}

/// Whether @initialize alone uses it.
static bool isInitial(ArrayRef<LLVM::AddressOfOp> uses) {
  return llvm::all_of(uses, [](LLVM::AddressOfOp use) {
    return use->getParentOfType<LLVM::LLVMFuncOp>().getName() == "initialize";
  });
}

/// The addresses of `count` values, which the host writes.
static LLVM::GlobalOp createTable(ModuleOp module, int64_t count) {
  auto builder = ImplicitLocOpBuilder::atBlockBegin(module.getLoc(), module.getBody());
  auto pointer = LLVM::LLVMPointerType::get(module.getContext());
  auto type = LLVM::LLVMArrayType::get(pointer, count);
  auto table = LLVM::GlobalOp::create(builder, type, /*isConstant=*/false, LLVM::Linkage::External,
                                      TUTTI_SYMBOL_VALUES, /*value=*/Attribute(), /*alignment=*/8);
  builder.createBlock(&table.getInitializerRegion());
  LLVM::ReturnOp::create(builder, ValueRange{LLVM::ZeroOp::create(builder, type)});
  return table;
}

/// The address of value `index`, in place of the constant that `use` gives.
static void readTable(LLVM::AddressOfOp use, LLVM::GlobalOp table, int32_t index) {
  ImplicitLocOpBuilder builder(use.getLoc(), use);
  auto pointer = LLVM::LLVMPointerType::get(use.getContext());
  Value begin = LLVM::AddressOfOp::create(builder, table);
  Value slot = LLVM::GEPOp::create(builder, pointer, pointer, begin, ArrayRef<LLVM::GEPArg>{index});
  use.replaceAllUsesWith(LLVM::LoadOp::create(builder, pointer, slot).getResult());
  use.erase();
}

namespace {
using AddressesOf = llvm::DenseMap<StringAttr, SmallVector<LLVM::AddressOfOp>>;

struct TakeValuesOut : tutti::codegen::impl::TakeValuesOutPassBase<TakeValuesOut> {
  using TakeValuesOutPassBase::TakeValuesOutPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<LLVM::GlobalOp> taken;
    for (auto global : module.getOps<LLVM::GlobalOp>())
      if (largeContent(global, largerThan))
        taken.push_back(global);
    if (taken.empty())
      return;
    AddressesOf addresses;
    module.walk([&](LLVM::AddressOfOp use) {
      addresses[use.getGlobalNameAttr().getAttr()].push_back(use);
    });
    LLVM::GlobalOp table = createTable(module, taken.size());
    SmallVector<Attribute> values;
    for (auto [index, global] : llvm::enumerate(taken)) {
      ArrayRef<LLVM::AddressOfOp> uses = addresses[global.getSymNameAttr()];
      values.push_back(describe(largeContent(global, largerThan), isInitial(uses)));
      for (LLVM::AddressOfOp use : uses)
        readTable(use, table, index);
      global.erase();
    }
    module->setAttr("kernel.values", ArrayAttr::get(&getContext(), values));
  }

private:
  Attribute describe(DenseResourceElementsAttr content, bool isInitial) {
    Builder builder(&getContext());
    DenseResourceElementsHandle handle = content.getRawHandle();
    return builder.getDictionaryAttr(
        {builder.getNamedAttr("bytes",
                              builder.getI64IntegerAttr(handle.getBlob()->getData().size())),
         builder.getNamedAttr("initial", builder.getBoolAttr(isInitial)),
         builder.getNamedAttr("name", builder.getStringAttr(handle.getKey()))});
  }
};
} // namespace
