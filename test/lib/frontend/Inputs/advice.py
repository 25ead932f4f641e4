"""Holds the advice that refusals end with against the tests that follow it:

    advice.py ROOT            ends with 1 if nothing follows some advice, or something is said to that no source says

An advice is a clause of a text of SOURCES that begins with one of VERBS: where the text begins, or after a semicolon or a colon. What else follows a
semicolon begins with one of OTHERS: a word that is in neither must be put into one of them. Flags of dist-opt are the matter of remedies.py.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import pathlib
import re
import sys

SOURCES = ("lib/frontend", "passes/gradient")
VERBS = set("""bring cast choose convert declare distribute download drop end export express fetch fix generate give join leave let look make multiply
    name put quantize read repeat save say split store turn unpack write""".split())
OTHERS = set("""'fro' 0 1 a adagrad at avg both default by each expand expected floats freeze functions got how if in inputs it its layout linear links lion
    loss-scale momentum0 more no none nothing one only or padding parameters PyTorch's sequences steps the there these they this those to usually
    variables versions with without zeros""".split())
FLAG = re.compile(r"--[a-z]")
FILES, RECIPES = "tools/dist-opt/Inputs/followed_files.py", "equivalence/advice_of_recipes.py"
GRAPHS, OPERATORS = "equivalence/advice_of_graphs.py", "equivalence/advice_of_operators.py"
FORMS, EXPORTS, ARTIFACTS = "equivalence/exporter_forms.py", "tools/dist-opt/export-onnx.test", "lib/frontend/artifacts.test"
# Advice, where a test follows it, and what of the test does.
FOLLOWED = {
    "give the model as the program, and data to --dataset": (FILES, "give the model as the program, and data to --dataset"),
    "give the model as the program, and this file to --variables or --load": (FILES, "give the model as the program, and this file to --variables"),
    "unpack it, and give the model in it": (FILES, "unpack it, and give the model in it"),
    "unpack it (tar -xf), and give the model in it": (FILES, "unpack it (tar -xf)"),
    "unpack it first (gunzip)": (FILES, "unpack it first (gunzip)"),
    "unpack it first (unxz)": (FILES, "unpack it first (unxz)"),
    "unpack it first (bunzip2)": (FILES, "unpack it first (bunzip2)"),
    "read it with onnx.parser or google.protobuf.text_format, and store it with onnx.save": (FILES, "read it with onnx.parser or"),
    "give the model itself, a file of ONNX or MLIR": (FILES, "give the model itself, a file of ONNX or MLIR"),
    "give an ONNX model, MLIR text or MLIR bytecode": (FILES, "give an ONNX model, MLIR text or MLIR bytecode"),
    "give a file in it": (FILES, "give a file in it"),
    "give the file in it": (FILES, "give the file in it"),
    "give ": (FILES, "give the model of floats that it was made from"),
    "give a model": (FILES, "give a model"),
    "give the model": (FILES, "give the model\""),
    "put the file there, as it was exported, and give the model again. Tables of servers need none with serve-initial": (FILES, "put the file there"),
    "store the weights as external data": (FILES, "store the weights as external data"),
    "download it again, or export the model again": (FILES, "download it again, or export the model again"),
    "convert the model, or export it again": (FILES, "convert the model, or export it again"),
    "drop it, or change the types": ("tools/dist-run/sizes.test", "MLIR: --size"),
    "drop it here, and give it to the dist-opt that makes MLIR of the model": ("equivalence/given-variables.test", "MLIR: error"),
    "drop them": (ARTIFACTS, "dist-opt %t/m.mlir"),
    "drop --variables": (ARTIFACTS, "drop --variables"),
    "give the training_model.onnx of the same artifacts": (ARTIFACTS, "--optimizer-model="),
    "give the training_model.onnx that it belongs to, and this file with --optimizer-model=FILE": (ARTIFACTS, "--optimizer-model="),
    "give training_model.onnx of the same artifacts, and this file to --checkpoint": (ARTIFACTS, "--checkpoint="),
    "cast its input": (GRAPHS, "cast its input"),
    "cast the result": (RECIPES, "cast the result"),
    "multiply by the condition, or choose with Where, instead of taking elements out": (GRAPHS, "TAKEN ="),
    "choose elements with Where, or multiply by a mask, instead of listing their places": (GRAPHS, "LISTED ="),
    "join the last ones by a Reshape": (GRAPHS, "join the last ones by a Reshape"),
    "export nn.Embedding without padding_idx and scale_grad_by_freq": ("lib/frontend/ComposedFormsTest.cpp", "EmbeddingsThatAreLeftToPyTorch"),
    "quantize per tensor or per axis": (GRAPHS, "quantize per tensor or per axis"),
    "let one follow the other at once": (GRAPHS, "let one follow the other at once"),
    "name the others in axes": (GRAPHS, "name the others in axes"),
    "give it the size of a tensor of the same batch, as affine_grid(theta, x.size()) does": (OPERATORS, "give it the size of a tensor of the same batch"),
    "export the model with fixed sizes, or without ceil_mode": (GRAPHS, "CEIL ="),
    "choose a batch, or sizes, from which as much can be taken": (GRAPHS, "choose a batch, or sizes, from which as much can be taken"),
    "choose a batch, or a size, that their number divides": (GRAPHS, "choose a batch, or a size, that their number divides"),
    "export it with a number or the size of a tensor instead of what data say, and mask by Where what they leave out": (GRAPHS, "OF_DATA ="),
    "export it unrolled": (GRAPHS, "program runs; export it unrolled"),
    "export it with sizes that are constants, and instead of repeat_interleave(n, 0) of a batch x.unsqueeze(1).expand(-1, n, -1).flatten(0, 1)":
        (GRAPHS, "CONSTANT ="),
    "split another one": (GRAPHS, "split another one"),
    "export loops unrolled": (GRAPHS, "export loops unrolled"),
    "split a dimension of a known size": (GRAPHS, "split a dimension of a known size"),
    "export lists that grow in a loop unrolled": (OPERATORS, "export lists that grow in a loop unrolled"),
    "export it unrolled, or with the most iterations that it may need, of which each keeps by Where what there is once it is done":
        (GRAPHS, "each keeps by Where"),
    "export the branch that training takes": (GRAPHS, "\"; export the branch that training takes\""),
    "export the branch that training takes, and loops unrolled": (OPERATORS, "export the branch that training takes, and loops unrolled"),
    "write it by functions of tensors that have one, and export again": (OPERATORS, "write it by functions of tensors that have one"),
    "end the graph at the scores": (OPERATORS, "end the graph at the scores"),
    "end the graph in front of it, at what the loss is about": (OPERATORS, "end the graph in front of it"),
    "turn strings into numbers in front of the model": (OPERATORS, "turn strings into numbers"),
    "turn them into numbers in front of the model": (OPERATORS, "turn them into numbers"),
    "express it by operators that are (docs/frontend.md), as nodes or as a function of the model (ModelProto.functions)": (OPERATORS, "EXPRESS ="),
    "repeat all equally often, as repeat_interleave(n, dim) does, or look up the entry of each of a fixed number of places, i = (n.cumsum(0) <= "
    "torch.arange(places).unsqueeze(1)).sum(1).clamp(max=len(x) - 1), x[i], and give those beyond n.sum() no weight":
        (FORMS, "def repeats_that_data_say_at_fixed_places"),
    "export it with a length that is fixed": (GRAPHS, "export it with a length that is fixed"),
    "export with operator set 9 or later": (OPERATORS, "export with operator set 9 or later"),
    "declare it, with names for the dimensions that vary": (GRAPHS, "declare it, with names for the dimensions that vary"),
    "export the model with do_constant_folding=False, which keeps their names": (GRAPHS, "do_constant_folding=False"),
    "make them initializers": (FILES, "make them initializers"),
    "write the names of the exported module": (GRAPHS, "write the names of the exported module"),
    "end it in one number, by a ReduceMean with keepdims=0": (RECIPES, "end it in one number"),
    "say which one": (RECIPES, "say which one"),
    "leave the one that has them, by onnx.utils.extract_model": (RECIPES, "by onnx.utils.extract_model"),
    "end the model in LogSoftmax, or in scores and say loss=softmax-cross-entropy": (RECIPES, "NLL ="),
    "export the model without its last ": (RECIPES, "TWICE ="),
    "export the model without the ": (RECIPES, "INSIDE ="),
    "leave one of them out, or put the loss into the graph": (RECIPES, "leave one of them out"),
    "leave the key away": ("passes/gradient/apply-recipe-gradient-norm.mlir", "leave the key away"),
    # What is exported: the test refuses it, and exports it with what it is told.
    "distribute with hierarchy=none": (EXPORTS, "--distribute=\"hierarchy=none\""),
    "distribute with shard-optimizer=0": (EXPORTS, "--distribute=\"shard-optimizer=0\""),
    "distribute with sparse=dense": ("lib/frontend/export/round-trip.test", "--distribute=sparse=dense"),
    "export the program for one number of ranks, or with another batch-policy than weighted": (EXPORTS, "--distribute=\"batch-policy=pad\""),
    "give it a seed": (EXPORTS, "dist-opt %t/seeded.onnx"),
    "fix the batch": (EXPORTS, "--train-specialize-batch"),
    "export the program before the pass that made it": (EXPORTS, "--train=\"optimizer=adam %{recipe}\" --distribute --export-onnx"),
    "export the model before --train, or what was trained by dist-run --export": ("lib/frontend/export/recurrent.test", "--export-onnx"),
    "fix it first (--specialize-world=ranks=N)": (EXPORTS, "--specialize-world=ranks="),
}
# What programs of others do, or what has no other form: the file that a tool writes, a file that somebody else has.
OUTSIDE = """export the module itself with torch.onnx.export (docs/from-pytorch.md)
give the .onnx file that it was made from
convert the model that it was made from with tf2onnx
convert it with tf2onnx (python -m tf2onnx.convert)
convert its folder with tf2onnx (python -m tf2onnx.convert)
export the model from its framework as ONNX
give the ONNX model that it was built from
give the program in MLIR or ONNX that it was compiled from
give the model that it is to train
give the model in ONNX that it belongs to, or export it from its framework as ONNX
unpack it first (unzstd)
fetch the model itself with git lfs pull
download the model again from the address of the file itself
save it without external data
generate the artifacts with onnxruntime-training 1.16 or later, which writes a file
generate it as onnxblock.optim.AdamW or SGD
leave it out""".splitlines()
# What nothing follows: a value of micro-batches, whose loop is refused first, and operations that only edited files hold.
UNREACHED = """fix the other sizes of the inputs
bring the program as MLIR text""".splitlines()


def clauses(root):
    """Each clause, what it stands after, and where."""
    for path in sorted(path for source in SOURCES for path in (root / source).rglob("*") if path.suffix in (".cpp", ".h")):
        text = re.sub(r"^\s*(//.*|#include.*)$", "", path.read_text(), flags=re.M)
        text = re.sub(r'"\s*(<<)?\s*"', "", text)
        for said in re.findall(r'"((?:[^"\\\n]|\\.)*)"', text):
            for mark, clause in re.findall(r"(^|; |: )((?:(?!; |: ).)*)", said):
                yield path.relative_to(root), mark, clause


def main():
    root, found, problems = pathlib.Path(sys.argv[1]), set(), []
    for path, mark, clause in clauses(root):
        word = clause.partition(" ")[0].strip(",.()=`")
        if word in VERBS and (mark.startswith(";") or len(clause.split()) > 1):
            if clause not in FOLLOWED and clause not in OUTSIDE and clause not in UNREACHED:
                problems.append(f"{path}: nothing follows '{clause}'")
            found.add(clause)
        elif mark == "; " and word and word not in OTHERS and not FLAG.match(word) and not word.startswith("'"):
            problems.append(f"{path}: does '{clause}' advise anything? Put '{word}' into VERBS or OTHERS of {pathlib.Path(__file__).name}")
    for clause in [*FOLLOWED, *OUTSIDE, *UNREACHED]:
        if clause not in found:
            problems.append(f"no source says '{clause}'")
    for clause, (test, text) in FOLLOWED.items():
        if text not in (root / "test" / test).read_text():
            problems.append(f"'{clause}': {test} does not follow it by '{text}'")
    print("\n".join(problems) or f"{len(found)} pieces of advice: {len(FOLLOWED)} are followed, {len(OUTSIDE)} are of programs of others, "
          f"{len(UNREACHED)} are of what nothing comes to")
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
