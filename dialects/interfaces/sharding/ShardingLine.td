// The rule of sharding of an operation as a line of its definition.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_INTERFACES_SHARDINGLINE_TD
#define TUTTI_INTERFACES_SHARDINGLINE_TD

include "dialects/interfaces/sharding/ShardingRule.td"

// The accessor of an operand: getMeanDyMutable() of mean_dy.
class Sharding_Accessor<string name> {
  string padded = "_" # name # "_";
  string text = "get" # !foldl("", !range(1, !add(!size(name), 1)), letters, i, letters # !cond(
      !and(!eq(!substr(padded, i, 1), "_"),
           !ne(!toupper(!substr(padded, !add(i, 1), 1)), !substr(padded, !add(i, 1), 1))): "",
      !eq(!substr(padded, !sub(i, 1), 1), "_"): !toupper(!substr(padded, i, 1)),
      true: !substr(padded, i, 1))) # "Mutable()";
}

class Sharding_Names<list<string> names, string between> {
  string text = !if(!empty(names), "", !foldl(!head(names), !tail(names), all, name, all # between # name));
}

// The methods of ShardingRuleOpInterface. `text` is the rule (ShardingRule.h), for operands and results as they are declared.
// `linear` names sets of operands in which the operation is jointly linear, `shapes` the operands of which only the shape
// matters. `note` says what attributes and types change. Where they change factors, the operation has its own `getFactors`, which
// may use the line, `shardingText()`; where they change what is linear, a `bool isLinear()`.
class Sharding_Line<string text, list<list<string>> linear, list<string> shapes, string note, bit byAttributes,
                    bit linearByAttributes> {
  code declarations = !if(!empty(text), [{
    ::mlir::FailureOr<::tutti::ShardingRule> getShardingRule() { return ::mlir::failure(); }
    static ::llvm::StringRef getShardingText() { return ""; }
    static ::llvm::StringRef getLinearText() { return ""; }
    static ::llvm::StringRef getShardingNote() { return ""; }
}], [{
    static ::llvm::StringRef getShardingText() { return "}] # text # [{"; }
    static ::llvm::StringRef getLinearText() { return "}] # Sharding_Names<
        !foreach(set, linear, Sharding_Names<set, " ">.text), "; ">.text # [{"; }
    static ::llvm::StringRef getShardingNote() { return "}] # note # [{"; }
    static const ::tutti::ShardingText &shardingText() {
      static const ::tutti::ShardingText text(getShardingText());
      return text;
    }
    /// The rule, but for what is linear.
    ::mlir::FailureOr<::tutti::ShardingRule> getFactors()}] #
      !if(byAttributes, ";", " { return shardingText().expand(*this); }") # [{
    ::mlir::FailureOr<::tutti::ShardingRule> getShardingRule() {
      ::mlir::FailureOr<::tutti::ShardingRule> rule = getFactors();
      if (::mlir::failed(rule))
        return rule;
}] # !foldl("", shapes, all, name, all # "      ::tutti::appendNumbers(rule->shapesOnly, " # Sharding_Accessor<name>.text # ");\n") #
     !if(linearByAttributes, "      if (!isLinear())\n        return rule;\n", "") # !foldl("", linear, all, set, all # "      rule->addLinear(::tutti::operandNumbers(" # Sharding_Names<
        !foreach(name, set, Sharding_Accessor<name>.text), ", ">.text # "));\n") # [{
      return rule;
    }
}] # !if(linearByAttributes, "    /// Whether attributes and types let the operation be linear.\n    bool isLinear();\n", ""));
}

#endif
