// A program that comes from elsewhere may name passes for its launch, but none that writes a file or is a pipeline.
// RUN: split-file %s %t
// RUN: rm -f %t.written
// RUN: sed -e 's|FILE|%t.written|' %t/writes.mlir > %t.writes.mlir
// RUN: not dist-opt %t.writes.mlir --specialize-world="ranks=2" 2>&1 | FileCheck %s --check-prefix=WRITES
// RUN: not dist-opt %t.writes.mlir --specialize-world="ranks=1" 2>&1 | FileCheck %s --check-prefix=WRITES
// RUN: not ls %t.written
// RUN: not dist-opt %t/nested.mlir --specialize-world="ranks=2" 2>&1 | FileCheck %s --check-prefix=NESTED
// RUN: not dist-opt %t/two.mlir --specialize-world="ranks=2" 2>&1 | FileCheck %s --check-prefix=TWO
// RUN: not dist-opt %t/pipeline.mlir --specialize-world="ranks=2" 2>&1 | FileCheck %s --check-prefix=PIPELINE
// RUN: not dist-opt %t/nested.mlir --distribute-at-launch="passes=print-op-stats" 2>&1 | FileCheck %s --check-prefix=HERE
// RUN: not dist-opt %t/nested.mlir --distribute-at-launch="passes=cse{never=1}" 2>&1 | FileCheck %s --check-prefix=OPTION

// WRITES: writes.mlir:1:1: error: 'collective-emit-plan{file={{.*}}}' cannot be run at launch: the pass 'collective-emit-plan' is not one of those that may wait; these may: canonicalize, collective-choose,
// NESTED: error: 'func.func(cse)' cannot be run at launch: it is not the name of a pass on the whole program
// TWO: error: 'cse,collective-emit-plan{file=/dev/null}' cannot be run at launch: it is not one pass, as name or name{option=value ...}
// PIPELINE: error: 'compile' cannot be run at launch: the pass 'compile' is not
// HERE: error: 'print-op-stats' cannot be run at launch
// OPTION: error: 'cse{never=1}' cannot be run at launch: {{.*}}never

//--- writes.mlir
module attributes {train.program, train.at_launch = ["collective-emit-plan{file=FILE}"]} {
  collective.group @world
  func.func @initialize() { return }
  func.func @step() { return }
}
//--- nested.mlir
module attributes {train.program, train.at_launch = ["func.func(cse)"]} {
  collective.group @world
  func.func @initialize() { return }
  func.func @step() { return }
}
//--- two.mlir
module attributes {train.program, train.at_launch = ["cse,collective-emit-plan{file=/dev/null}"]} {
  collective.group @world
  func.func @initialize() { return }
  func.func @step() { return }
}
//--- pipeline.mlir
module attributes {train.program, train.at_launch = ["compile"]} {
  collective.group @world
  func.func @initialize() { return }
  func.func @step() { return }
}
