"""ResNet with bottleneck blocks (He et al. 2015), under torchvision's names; full is ResNet-50."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

from onnx import TensorProto

SIZES = {
    "tiny": {"blocks": (1, 1, 1, 1), "width": 8, "image": 64, "classes": 10},
    "small": {"blocks": (3, 4, 6, 3), "width": 8, "image": 64, "classes": 20},
    "full": {"blocks": (3, 4, 6, 3), "width": 64, "image": 224, "classes": 1000},
}
FLAGS = {}
EXPANSION = 4
# Of the last normalization of each block at the start. Goyal et al. 2017 start at 0, where the other convolutions of the
# block get no gradient at first; at 1 training from a few samples is chaotic, and f32 and f64 part after six steps.
LAST_SCALE = 0.05


def _convolution(graph, x, name, inputs, outputs, kernel, stride):
    fan_in = inputs * kernel * kernel
    weight = graph.normal(name + ".weight", (outputs, inputs, kernel, kernel), (2.0 / fan_in) ** 0.5)
    return graph("Conv", x, weight, scope="/" + name.replace(".", "/"), dilations=[1, 1], group=1,
                 kernel_shape=[kernel, kernel], pads=[kernel // 2] * 4, strides=[stride, stride])


def _batch_normalization(graph, x, name, channels, scale=1.0):
    """The form of training: three outputs from operator set 14 on, five before, of which the last four lead nowhere."""
    operands = [graph.filled(f"{name}.{part}", (channels,), value)
                for part, value in (("weight", scale), ("bias", 0.0), ("running_mean", 0.0), ("running_var", 1.0))]
    attributes = {"epsilon": 1e-5, "momentum": 0.9, "scope": "/" + name.replace(".", "/")}
    if graph.opset < 14:
        return graph("BatchNormalization", x, *operands, outputs=5, **attributes)[0]
    return graph("BatchNormalization", x, *operands, outputs=3, training_mode=1, **attributes)[0]


def _bottleneck(graph, x, name, inputs, planes, stride):
    """1x1, 3x3 (with the stride), 1x1, and a projection where the shape changes."""
    outputs, y = planes * EXPANSION, x
    for index, (before, after, kernel, step) in enumerate(((inputs, planes, 1, 1), (planes, planes, 3, stride),
                                                           (planes, outputs, 1, 1)), start=1):
        y = _convolution(graph, y, f"{name}.conv{index}", before, after, kernel, step)
        y = _batch_normalization(graph, y, f"{name}.bn{index}", after, 1.0 if index < 3 else LAST_SCALE)
        if index < 3:
            y = graph("Relu", y, scope="/" + name.replace(".", "/"))
    if stride != 1 or inputs != outputs:
        x = _convolution(graph, x, name + ".downsample.0", inputs, outputs, 1, stride)
        x = _batch_normalization(graph, x, name + ".downsample.1", outputs)
    scope = "/" + name.replace(".", "/")
    return graph("Relu", graph("Add", y, x, scope=scope), scope=scope)


def build(graph, size, flags):
    width, image, classes = size["width"], size["image"], size["classes"]
    x = graph.input("input", TensorProto.FLOAT, 3, image, image)
    x = _convolution(graph, x, "conv1", 3, width, 7, 2)
    x = graph("Relu", _batch_normalization(graph, x, "bn1", width))
    x = graph("MaxPool", x, ceil_mode=0, kernel_shape=[3, 3], pads=[1, 1, 1, 1], strides=[2, 2])
    channels = width
    for stage, count in enumerate(size["blocks"]):
        for block in range(count):
            stride = 2 if block == 0 and stage > 0 else 1
            x = _bottleneck(graph, x, f"layer{stage + 1}.{block}", channels, width << stage, stride)
            channels = (width << stage) * EXPANSION
    x = graph("Flatten", graph("GlobalAveragePool", x), axis=1)
    graph.gemm(x, "fc", channels, classes, channels ** -0.5, result="scores")
    return (classes,)


def add_loss(graph, size, flags):
    graph.input("label", TensorProto.INT64)
    graph("SoftmaxCrossEntropyLoss", "scores", "label", ignore_index=-100, reduction="mean", result="loss")
