// The interface of operations that say what splitting their tensors among ranks means.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_INTERFACES_SHARDINGRULE_TD
#define TUTTI_INTERFACES_SHARDINGRULE_TD

include "mlir/IR/OpBase.td"

def ShardingRuleOpInterface : OpInterface<"ShardingRuleOpInterface"> {
  let cppNamespace = "::tutti";
  let description = [{
    An operation whose meaning is a loop nest over *factors*: a matrix product has one for its rows, one for its columns, and
    one that is summed over. The rule maps each dimension of each tensor to factors, and says for each factor what the
    results are when it is split. It is written as one line, `b.. m k+, b.. k+ n -> b.. m n`: docs/layout.md.
  }];
  let methods = [
    InterfaceMethod<[{
        The rule for the operation's types and attributes. Fails, without a diagnostic, where nothing is known: of
        unranked tensors, or of an operation that says nothing.
      }],
      "::mlir::FailureOr<::tutti::ShardingRule>", "getShardingRule">,
    StaticInterfaceMethod<"The line that the rule is written as, for any types and attributes; empty if there is none.",
                          "::llvm::StringRef", "getShardingText", (ins), [{}], [{ return ""; }]>,
    StaticInterfaceMethod<"The names of the operands in which the operation is linear: `A C; B C`; empty if there are none.",
                          "::llvm::StringRef", "getLinearText", (ins), [{}], [{ return ""; }]>,
    StaticInterfaceMethod<"What attributes and types change about the line, in words; empty if nothing.",
                          "::llvm::StringRef", "getShardingNote", (ins), [{}], [{ return ""; }]>
  ];
}

#endif
