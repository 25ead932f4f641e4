"""Networks of torchvision 0.14, as narrow as their code lets them be, for PyTorch's exporter; into the folder torchvision.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
from functools import partial

from torch import nn
from torchvision import models
from torchvision.models import efficientnet, mobilenetv3, regnet, resnet

CLASSES = 5
NETWORKS = {}


def network(opset, size, varies=True):
    """Registers a function that makes a network for pictures of size by size, of a batch that varies in the file or not."""
    def register(make):
        inputs = {"x": ["f32", "normal", 3, size, size], "label": ["i64", CLASSES]}
        NETWORKS["torchvision/" + make.__name__] = (make, opset, "softmax-cross-entropy", inputs, varies)
        return make
    return register


class Narrow(resnet.ResNet):
    """A ResNet of two stages, 4 and 8 channels wide."""

    def __init__(self, block):
        nn.Module.__init__(self)
        self._norm_layer, self.inplanes, self.dilation, self.groups, self.base_width = nn.BatchNorm2d, 4, 1, 1, 64
        self.conv1, self.bn1, self.relu = nn.Conv2d(3, 4, 3, 2, 1, bias=False), nn.BatchNorm2d(4), nn.ReLU(inplace=True)
        self.maxpool = nn.MaxPool2d(3, 2, 1)
        self.layer1, self.layer2 = self._make_layer(block, 4, 1), self._make_layer(block, 4, 1, stride=2)
        self.layer3 = self.layer4 = nn.Identity()
        self.avgpool, self.fc = nn.AdaptiveAvgPool2d((1, 1)), nn.Linear(4 * block.expansion, CLASSES)


@network(13, 16)
def basic_resnet():
    return Narrow(resnet.BasicBlock)


@network(11, 16)
def bottleneck_resnet():
    return Narrow(resnet.Bottleneck)


@network(12, 16)
def mobilenet_v2():
    net = models.MobileNetV2(num_classes=CLASSES, width_mult=0.25, round_nearest=8, dropout=0.0, inverted_residual_setting=[[1, 8, 1, 1], [2, 32, 1, 2]])
    net.features[-1], net.classifier = nn.Identity(), nn.Linear(8, CLASSES)
    return net


@network(14, 16)
def mobilenet_v3():
    block = partial(mobilenetv3.InvertedResidualConfig, width_mult=1.0)
    net = models.MobileNetV3([block(4, 3, 8, 8, True, "HS", 2, 1)], last_channel=8, num_classes=CLASSES, dropout=0.0)
    return net


@network(13, 16)
def shufflenet_v2():
    return models.ShuffleNetV2([1, 2, 1], [4, 8, 8, 8, 8], num_classes=CLASSES)


@network(11, 16)
def densenet():
    return models.DenseNet(growth_rate=2, block_config=(2, 1), num_init_features=4, bn_size=2, num_classes=CLASSES)


@network(15, 16)
def efficientnet_b():
    block = partial(efficientnet.MBConvConfig, width_mult=1.0, depth_mult=1.0)
    net = models.EfficientNet([block(2, 3, 2, 8, 8, 1)], dropout=0.0, stochastic_depth_prob=0.0, num_classes=CLASSES, last_channel=8)
    return net


@network(17, 16)
def convnext():
    block = models.convnext.CNBlockConfig
    return models.ConvNeXt([block(4, 8, 1), block(8, None, 0)], stochastic_depth_prob=0.0, layer_scale=0.5, num_classes=CLASSES)


@network(13, 16)
def regnet_y():
    parameters = regnet.BlockParams(depths=[1, 1], widths=[4, 8], group_widths=[2, 2], bottleneck_multipliers=[1.0, 1.0], strides=[2, 2], se_ratio=0.25)
    return regnet.RegNet(parameters, num_classes=CLASSES, stem_width=4)


@network(14, 16, varies=False)
def vit():
    return models.VisionTransformer(image_size=16, patch_size=8, num_layers=1, num_heads=2, hidden_dim=8, mlp_dim=16, num_classes=CLASSES)


@network(12, 32)
def squeezenet():
    net = models.SqueezeNet(num_classes=CLASSES, dropout=0.0)
    fire = models.squeezenet.Fire
    net.features = nn.Sequential(nn.Conv2d(3, 8, 3, 2), nn.ReLU(True), nn.MaxPool2d(3, 2, ceil_mode=True), fire(8, 4, 4, 4), fire(8, 4, 8, 8))
    net.classifier[1] = nn.Conv2d(16, CLASSES, 1)
    return net
