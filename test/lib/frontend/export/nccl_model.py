"""Writes a graph with one NcclAllReduce, as ONNX Runtime has it: nccl_model.py OUT GROUP_TYPE."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import sys

import onnx
from onnx import TensorProto, helper


def main():
    def tensor(name, size):
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, [size])

    node = helper.make_node("NcclAllReduce", ["a", "b"], ["c", "d"], domain="com.microsoft", group_type=int(sys.argv[2]))
    graph = helper.make_graph([node], "sums", [tensor("a", 4), tensor("b", 2)], [tensor("c", 4), tensor("d", 2)])
    imports = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    onnx.save(helper.make_model(graph, opset_imports=imports, ir_version=8), sys.argv[1])


if __name__ == "__main__":
    main()
