// An option that is neither of two words.
// RUN: not dist-opt %s --train-specialize-batch="rank-class=middle" 2>&1 | FileCheck %s
// CHECK: error: rank-class must be ceil or floor, got 'middle'
module {}
