"""Networks whose graph computes the loss, for PyTorch's exporter of 1.13; most losses couple the samples of the batch.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import math

import torch
import torch.nn.functional as F
from torch import nn

from torch_modules import LABEL, OUTPUT, Net, network, parameter


@network(12, OUTPUT, real=["f32", "normal", 2, 8, 8], fake=["f32", "normal", 2, 8, 8])
def critic():
    """A GAN's critic with the hinge loss, on real and on fake pictures."""
    def compute(net, real, fake):
        return F.relu(1.0 - net.layers(real)).mean() + F.relu(1.0 + net.layers(fake)).mean()
    return Net(compute, layers=nn.Sequential(nn.Conv2d(2, 4, 4, 2, 1), nn.LeakyReLU(0.2), nn.Conv2d(4, 8, 4, 2, 1, bias=False), nn.InstanceNorm2d(8, affine=True),
                                             nn.LeakyReLU(0.2), nn.Conv2d(8, 1, 2)))


@network(13, OUTPUT, x=["f32", "unit", 12], noise=["f32", "normal", 3])
def variational():
    def compute(net, x, noise):
        mean, spread = net.encoder(x).chunk(2, dim=1)
        logits = net.decoder(mean + noise * torch.exp(0.5 * spread))
        rebuilt = F.binary_cross_entropy_with_logits(logits, x, reduction="sum") / x.size(0)
        return rebuilt - 0.5 * torch.sum(1 + spread - mean.pow(2) - spread.exp(), dim=1).mean()
    return Net(compute, encoder=nn.Sequential(nn.Linear(12, 8), nn.ReLU(), nn.Linear(8, 6)), decoder=nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 12)))


@network(14, OUTPUT, user=["i64", 20], item=["i64", 30], seen=["i64", 30, 4])
def two_towers():
    """Each user against the items of all users of the batch."""
    def compute(net, user, item, seen):
        left = F.normalize(net.left(torch.cat([net.users(user), net.items(seen).mean(1)], 1)), dim=1)
        right = F.normalize(net.right(net.items(item)), dim=1)
        return F.cross_entropy(left @ right.t() / 0.2, torch.arange(user.shape[0]))
    return Net(compute, users=nn.Embedding(20, 6), items=nn.Embedding(30, 6), left=nn.Linear(12, 6), right=nn.Linear(6, 6))


@network(15, OUTPUT, image=["f32", "normal", 2, 6, 6], text=["i64", 16, 5])
def clip():
    """Pictures and texts, each against all others, with a temperature that is learned."""
    def compute(net, image, text):
        left, right = net.image(image), net.text(net.words(text).mean(1))
        left, right = left / left.norm(dim=1, keepdim=True), right / right.norm(dim=1, keepdim=True)
        scores = net.logit_scale.exp() * left @ right.t()
        labels = torch.arange(image.shape[0])
        return (F.cross_entropy(scores, labels) + F.cross_entropy(scores.t(), labels)) / 2
    return Net(compute, image=nn.Sequential(nn.Conv2d(2, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(64, 6)), words=nn.Embedding(16, 8), text=nn.Linear(8, 6),
               logit_scale=nn.Parameter(torch.tensor(1.5)))


@network(14, OUTPUT, first=["f32", "normal", 10], second=["f32", "normal", 10])
def sim_clr():
    """Two views of each sample among those of all; none with itself."""
    def compute(net, first, second):
        views = F.normalize(net.layers(torch.cat([first, second], 0)), dim=1)
        count = first.shape[0]
        scores = views @ views.t() / 0.5
        scores = scores.masked_fill(torch.eye(2 * count, dtype=torch.bool), -1e9)
        labels = torch.cat([torch.arange(count) + count, torch.arange(count)])
        return F.cross_entropy(scores, labels)
    return Net(compute, layers=nn.Sequential(nn.Linear(10, 8), nn.ReLU(), nn.Linear(8, 6)))


@network(11, OUTPUT, anchor=["f32", "normal", 8], positive=["f32", "normal", 8], negative=["f32", "normal", 8])
def triplet():
    def compute(net, *inputs):
        anchor, positive, negative = (net.layers(x) for x in inputs)
        return torch.relu(F.pairwise_distance(anchor, positive) - torch.norm(anchor - negative, p=2, dim=1) + 0.7).mean()
    return Net(compute, layers=nn.Sequential(nn.Linear(8, 8), nn.Tanh(), nn.Linear(8, 4)))


@network(13, OUTPUT, left=["f32", "normal", 8], right=["f32", "normal", 8], same=["i64", 2])
def cosine_and_margins():
    """Pairs that are alike or not, by their angle and by their distance."""
    def compute(net, left, right, same):
        left, right = net.layers(left), net.layers(right)
        angle = F.cosine_similarity(left, right)
        apart = F.pairwise_distance(left, right)
        alike = same.to(left.dtype)
        near = alike * (1 - angle) + (1 - alike) * F.relu(angle - 0.1)
        return near.mean() + (alike * apart.pow(2) + (1 - alike) * torch.clamp(1.5 - apart, min=0).pow(2)).mean()
    return Net(compute, layers=nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 4)))


@network(14, OUTPUT, x=["f32", "normal", 8], label=LABEL)
def angular_margin():
    """Classes by angle, with a margin for the right one (ArcFace)."""
    def compute(net, x, label):
        cosine = F.linear(F.normalize(net.layers(x)), F.normalize(net.weight))
        sine = torch.sqrt((1.0 - cosine.pow(2)).clamp(1e-6, 1))
        moved = cosine * math.cos(0.3) - sine * math.sin(0.3)
        moved = torch.where(cosine > math.cos(math.pi - 0.3), moved, cosine - 0.1)
        chosen = F.one_hot(label, 5).to(x.dtype)
        return F.cross_entropy(8.0 * (chosen * moved + (1.0 - chosen) * cosine), label)
    return Net(compute, layers=nn.Sequential(nn.Linear(8, 8), nn.PReLU(8), nn.Linear(8, 6)), weight=parameter(5, 6))


@network(13, OUTPUT, x=["f32", "normal", 8], label=LABEL)
def hinge_of_classes():
    def compute(net, x, label):
        scores = net.layers(x)
        right = scores.gather(1, label.unsqueeze(1))
        losses = torch.clamp(scores - right + 1.0, min=0) * (torch.arange(5)[None] != label[:, None]).to(x.dtype)
        return losses.sum(1).mean() / 5
    return Net(compute, layers=nn.Sequential(nn.Linear(8, 10), nn.Sigmoid(), nn.Linear(10, 5)))


# Others.

@network(14, OUTPUT, x=["f32", "normal", 6], noise=["f32", "normal", 6], when=["i64", 10])
def diffusion():
    """Predicts the noise that was added, at a time that is said by sines."""
    def compute(net, x, noise, when):
        share = net.shares[when].unsqueeze(1)
        angles = when.to(x.dtype).unsqueeze(1) * net.speeds
        noisy = share.sqrt() * x + (1 - share).sqrt() * noise
        return (net.layers(torch.cat([noisy, angles.sin(), angles.cos()], 1)) - noise).pow(2).mean()
    net = Net(compute, layers=nn.Sequential(nn.Linear(12, 16), nn.SiLU(), nn.Linear(16, 6)))
    net.shares, net.speeds = torch.linspace(0.95, 0.1, 10), torch.tensor([1.0, 0.3, 0.1])
    return net


@network(15, OUTPUT, x=["f32", "normal", 6])
def flow():
    """Two couplings, and the likelihood of what they make."""
    def compute(net, x):
        total = 0.0
        for layer in (net.first, net.second):
            left, right = x.chunk(2, 1)
            scale, shift = layer(left).chunk(2, 1)
            scale = torch.tanh(scale)
            x = torch.cat([right * scale.exp() + shift, left], 1)
            total = total + scale.sum(1)
        return (0.5 * x.pow(2).sum(1) - total).mean()
    return Net(compute, first=nn.Linear(3, 6), second=nn.Linear(3, 6))


@network(14, OUTPUT, x=["f32", "normal", 6])
def quantized_codes():
    """The nearest of some vectors, and how far it is (a VQ-VAE without its detach(), which a file does not say)."""
    def compute(net, x):
        z = net.encoder(x)
        apart = z.pow(2).sum(1, keepdim=True) - 2 * z @ net.codes.t() + net.codes.pow(2).sum(1)
        code = F.embedding(apart.argmin(1), net.codes)
        return (net.decoder(code) - x).square().mean() + (code - z).pow(2).mean()
    return Net(compute, encoder=nn.Linear(6, 3), decoder=nn.Linear(3, 6), codes=parameter(7, 3, scale=1.0))


@network(13, OUTPUT, state=["f32", "normal", 5], action=["i64", 3], old=["f32", "normal"], gain=["f32", "normal"], back=["f32", "normal"])
def policy():
    """Ratios that are clipped, gains that are normalized over the batch, a value and an entropy (PPO)."""
    def compute(net, state, action, old, gain, back):
        hidden = net.body(state)
        logs = F.log_softmax(net.actor(hidden), -1)
        ratio = torch.exp(logs.gather(1, action.unsqueeze(1)).squeeze(1) - old)
        gain = (gain - gain.mean()) / (((gain - gain.mean()) ** 2).mean().sqrt() + 1e-8)
        surrogate = torch.min(ratio * gain, torch.clamp(ratio, 0.8, 1.2) * gain).mean()
        return -surrogate + 0.5 * (net.critic(hidden).squeeze(1) - back).pow(2).mean() + 0.01 * (logs.exp() * logs).sum(1).mean()
    return Net(compute, body=nn.Sequential(nn.Linear(5, 8), nn.Tanh()), actor=nn.Linear(8, 3), critic=nn.Linear(8, 1))


@network(13, OUTPUT, first=["f32", "normal", 8], second=["f32", "normal", 8])
def decorrelated_views():
    """Features of two views that agree, and that are unlike each other over the batch (Barlow Twins)."""
    def compute(net, first, second):
        def norm(z):
            centred = z - z.mean(0)
            return centred / torch.sqrt((centred ** 2).mean(0) + 1e-5)
        left, right = norm(net.layers(first)), norm(net.layers(second))
        shared = left.t() @ right / first.shape[0]
        wanted = torch.eye(4)
        return ((shared - wanted) ** 2 * (wanted + 0.01 * (1 - wanted))).sum()
    return Net(compute, layers=nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 4)))


@network(12, OUTPUT, x=["f32", "normal", 8], label=LABEL)
def distillation():
    """A teacher of whom nothing is trained, and its scores as targets."""
    def compute(net, x, label):
        scores = net.student(x)
        with torch.no_grad():
            wanted = F.softmax(torch.relu(x @ net.teacher1) @ net.teacher2 / 2.0, -1)
        return 0.5 * F.cross_entropy(scores, label) + 2.0 * F.kl_div(F.log_softmax(scores / 2.0, -1), wanted, reduction="batchmean")
    net = Net(compute, student=nn.Sequential(nn.Linear(8, 6), nn.ReLU(), nn.Linear(6, 5)))
    net.teacher1, net.teacher2 = torch.randn(8, 8), torch.randn(8, 5)
    return net


@network(14, "huber", x=["f32", "normal", 12], label=["f32", "normal", 3])
def forecast():
    """Trend and rest of a series, each its own layer, and a gated skip."""
    def compute(net, x):
        trend = F.avg_pool1d(F.pad(x.unsqueeze(1), (2, 2), mode="replicate"), 5, 1).squeeze(1)
        gate = torch.sigmoid(net.gate(x))
        return gate * net.trend(trend) + (1 - gate) * net.rest(x - trend)
    return Net(compute, trend=nn.Linear(12, 3), rest=nn.Linear(12, 3), gate=nn.Linear(12, 1))


# What a batch has together.

@network(14, OUTPUT, x=["f32", "normal", 8], time=["f32", "unit"])
def survival():
    """Each sample against those that are at risk when its time comes (Cox)."""
    def compute(net, x, time):
        risk = net.layer(x).squeeze(1)
        there = (time[None] >= time[:, None]).to(x.dtype)
        return (torch.log((there * torch.exp(risk)[None]).sum(1)) - risk).mean()
    return Net(compute, layer=nn.Linear(8, 1))


@network(13, OUTPUT, x=["f32", "normal", 8], gain=["f32", "unit", 1])
def ranking_of_the_batch():
    """By shares of the whole batch, and by all pairs."""
    def compute(net, x, gain):
        scores = net.layers(x)
        shares = -(F.softmax(gain, 0) * F.log_softmax(scores, 0)).sum()
        return shares + torch.relu(1 - (scores - scores.t()) * torch.sign(gain - gain.t())).mean()
    return Net(compute, layers=nn.Sequential(nn.Linear(8, 6), nn.Tanh(), nn.Linear(6, 1)))


@network(14, OUTPUT, x=["f32", "normal", 8], y=["f32", "normal", 8])
def discrepancy():
    """How unlike two sets of samples are (MMD), and how their features vary."""
    def compute(net, x, y):
        def alike(a, b):
            return torch.exp(-((a.unsqueeze(1) - b.unsqueeze(0)) ** 2).sum(2) / 4).mean()
        x, y = net.layer(x), net.layer(y)
        spread = torch.relu(1 - torch.sqrt(x.var(0) + 1e-4)).mean()
        return alike(x, x) + alike(y, y) - 2 * alike(x, y) + spread
    return Net(compute, layer=nn.Linear(8, 4))


@network(14, OUTPUT, x=["f32", "normal", 8], label=LABEL)
def hard_examples():
    """The worst sample of the batch, and the three worst."""
    def compute(net, x, label):
        losses = F.cross_entropy(net.layer(x), label, reduction="none")
        return losses.max() + torch.topk(losses, 3)[0].mean() + torch.logsumexp(losses, 0)
    return Net(compute, layer=nn.Linear(8, 5))


@network(14, OUTPUT, x=["f32", "normal", 8], label=LABEL)
def parts_of_the_batch():
    """Against the first sample, half against half, the worse half, all in their order, and each pair once."""
    def compute(net, x, label):
        scores = net.layer(x)
        count = scores.size(0)
        losses = F.cross_entropy(scores, label, reduction="none")
        first, second = scores.chunk(2, 0)
        pairs = torch.triu(scores @ scores.t(), 1).mean()
        alike = ((scores @ scores.t() - F.one_hot(torch.arange(count), count).float()) ** 2).mean()
        ordered = (losses.sort(0)[0] * torch.arange(count)).mean()
        return (((scores - scores[0:1]) ** 2).mean() + ((first - second) ** 2).mean() + losses.topk(count // 2, 0)[0].mean() + pairs + alike / 4 + ordered / 8
                + ((scores[count // 2:] - 1) ** 2).mean())
    return Net(compute, layer=nn.Linear(8, 5))


@network(14, OUTPUT, words=["i64", 20, 6], seen=["i64", 30, 4], gain=["f32", "unit", 4])
def bags():
    """A text at its last token, which has the largest number, against bags of things, of which one has weights."""
    def compute(net, words, seen, gain):
        text = net.text(net.words(words)[torch.arange(words.shape[0]), words.argmax(-1)])
        scores = F.normalize(text, dim=1) @ F.normalize(net.means(seen) + net.sums(seen, per_sample_weights=gain), dim=1).t()
        return -torch.log_softmax(scores / 0.3, 1).diagonal().mean()
    return Net(compute, words=nn.Embedding(20, 8), text=nn.Linear(8, 6), means=nn.EmbeddingBag(30, 6, mode="mean"),
               sums=nn.EmbeddingBag(30, 6, mode="sum"))


@network(14, OUTPUT, x=["f32", "normal", 2, 8], label=LABEL)
def supervised_contrast():
    """Two views of each sample, which are like those of its class: SupCon as its authors wrote it."""
    def compute(net, x, label):
        count = x.size(0)
        mask = torch.eq(label.view(-1, 1), label.view(1, -1)).to(x.dtype).repeat(2, 2)
        views = F.normalize(torch.cat(torch.unbind(net.layers(x), dim=1), dim=0), dim=1)
        logits = views @ views.t() / 0.3
        logits = logits - logits.max(dim=1, keepdim=True)[0].detach()
        others = torch.scatter(torch.ones_like(mask), 1, torch.arange(count * 2).view(-1, 1), torch.zeros(count * 2, 1))
        mask = mask * others
        likelihood = logits - torch.log((torch.exp(logits) * others).sum(1, keepdim=True))
        return -((mask * likelihood).sum(1) / mask.sum(1)).mean()
    return Net(compute, layers=nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 4)))
