"""Breaks an exported model: edit_model.py MODEL OUT WHAT TEXT, where WHAT is properties, types, operator, frame or index."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import sys

import onnx


def main():
    path, out, what, text = sys.argv[1:]
    model = onnx.load(path)
    if what == "index":  # of a program that has one constant number
        next(a for n in model.graph.node if n.domain == "tutti.arith" and n.op_type == "constant" for a in n.attribute if a.name == "properties").s = text.encode()
        return onnx.save(model, out)
    node = next(n for n in model.training_info[0].algorithm.node if n.domain == "tutti.train")
    attributes = {attribute.name: attribute for attribute in node.attribute}
    if what == "properties":
        attributes["properties"].s = text.encode()
    elif what == "types":
        for index in range(len(node.output)):
            attributes["types"].strings[index] = text.encode()
    elif what == "operator":
        node.op_type = text
    elif what == "frame":
        next(entry for entry in model.metadata_props if entry.key == "tutti.program").value = text
    else:
        sys.exit(f"there is no {what}")
    return onnx.save(model, out)


if __name__ == "__main__":
    main()
