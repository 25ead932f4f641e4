"""The five families in PyTorch: each computes its loss from a dictionary of parameters, under the names of the ONNX file.

Written with the functions of torch.nn.functional where there is one, so that little is written twice in the same way.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import functools
import math

import torch
import torch.nn.functional as F


def _linear(p, name, x):
    return F.linear(x, p[name + ".weight"], p.get(name + ".bias"))


def _layer_norm(p, name, x, epsilon):
    return F.layer_norm(x, x.shape[-1:], p[name + ".weight"], p[name + ".bias"], epsilon)


def _heads(x, count):
    """[batch, sequence, hidden] as [batch, head, sequence, width]."""
    return x.unflatten(2, (count, -1)).transpose(1, 2)


def _attention(query, key, value, mask):
    shares = torch.softmax(query @ key.transpose(2, 3) / math.sqrt(query.shape[-1]) + mask, -1)
    return (shares @ value).transpose(1, 2).flatten(2)


def _causal(x, value):
    length = x.shape[1]
    return torch.full((length, length), value, dtype=x.dtype).triu(1)


def _next_token_loss(scores, labels):
    return F.cross_entropy(scores[:, :-1].flatten(0, 1), labels[:, 1:].flatten())


# ResNet


def _normalized(p, name, x):
    """With the statistics of the batch; running ones do not enter the loss."""
    return F.batch_norm(x, None, None, p[name + ".weight"], p[name + ".bias"], True, 0.1, 1e-5)


def _convolved(p, name, x, stride=1):
    weight = p[name + ".weight"]
    return F.conv2d(x, weight, None, stride, weight.shape[2] // 2)


def _bottleneck(p, name, x, stride):
    y = F.relu(_normalized(p, name + ".bn1", _convolved(p, name + ".conv1", x)))
    y = F.relu(_normalized(p, name + ".bn2", _convolved(p, name + ".conv2", y, stride)))
    y = _normalized(p, name + ".bn3", _convolved(p, name + ".conv3", y))
    if name + ".downsample.0.weight" in p:
        x = _normalized(p, name + ".downsample.1", _convolved(p, name + ".downsample.0", x, stride))
    return F.relu(x + y)


def resnet(p, size, flags, input, label):
    x = F.max_pool2d(F.relu(_normalized(p, "bn1", _convolved(p, "conv1", input, 2))), 3, 2, 1)
    for stage, count in enumerate(size["blocks"], start=1):
        for block in range(count):
            x = _bottleneck(p, f"layer{stage}.{block}", x, 2 if stage > 1 and block == 0 else 1)
    return F.cross_entropy(_linear(p, "fc", x.mean((2, 3))), label)


# BERT


def _bert_layer(p, name, x, mask, heads):
    query, key, value = (_heads(_linear(p, f"{name}.attention.self.{part}", x), heads)
                         for part in ("query", "key", "value"))
    y = _linear(p, name + ".attention.output.dense", _attention(query, key, value, mask))
    x = _layer_norm(p, name + ".attention.output.LayerNorm", x + y, 1e-12)
    y = _linear(p, name + ".output.dense", F.gelu(_linear(p, name + ".intermediate.dense", x)))
    return _layer_norm(p, name + ".output.LayerNorm", x + y, 1e-12)


def bert(p, size, flags, input_ids, attention_mask, token_type_ids, labels):
    name = "bert.embeddings."
    words = p[name + "word_embeddings.weight"]
    places = p[name + "position_embeddings.weight"][:input_ids.shape[1]]
    x = F.embedding(input_ids, words) + places + F.embedding(token_type_ids, p[name + "token_type_embeddings.weight"])
    x = _layer_norm(p, name + "LayerNorm", x, 1e-12)
    mask = -10000.0 * (1 - attention_mask[:, None, None].to(x.dtype))
    for index in range(size["layers"]):
        x = _bert_layer(p, f"bert.encoder.layer.{index}", x, mask, size["heads"])
    if flags["head"] == "classification":
        return F.cross_entropy(_linear(p, "classifier", torch.tanh(_linear(p, "bert.pooler.dense", x[:, 0]))), labels)
    x = F.gelu(_linear(p, "cls.predictions.transform.dense", x))
    x = _layer_norm(p, "cls.predictions.transform.LayerNorm", x, 1e-12)
    scores = F.linear(x, words, p["cls.predictions.bias"])
    return F.cross_entropy(scores.flatten(0, 1), labels.flatten(), ignore_index=-100)


# GPT-2


def _conv1d(p, name, x):
    return x @ p[name + ".weight"] + p[name + ".bias"]


def _gpt2_layer(p, name, x, mask, heads):
    y = _conv1d(p, name + ".attn.c_attn", _layer_norm(p, name + ".ln_1", x, 1e-5))
    y = _attention(*(_heads(part, heads) for part in y.chunk(3, -1)), mask)
    x = x + _conv1d(p, name + ".attn.c_proj", y)
    y = _conv1d(p, name + ".mlp.c_fc", _layer_norm(p, name + ".ln_2", x, 1e-5))
    return x + _conv1d(p, name + ".mlp.c_proj", F.gelu(y, approximate="tanh"))


def gpt2(p, size, flags, input_ids, labels):
    tokens = p["transformer.wte.weight"]
    x = F.embedding(input_ids, tokens) + p["transformer.wpe.weight"][:input_ids.shape[1]]
    mask = _causal(x, -10000.0)
    for index in range(size["layers"]):
        x = _gpt2_layer(p, f"transformer.h.{index}", x, mask, size["heads"])
    return _next_token_loss(F.linear(_layer_norm(p, "transformer.ln_f", x, 1e-5), tokens), labels)


# DLRM


def _mlp(p, name, x, count):
    for index in range(count):
        x = _linear(p, f"{name}.{2 * index}", x if index == 0 else F.relu(x))
    return x


def dlrm(p, size, flags, dense, sparse, label):
    bottom = F.relu(_mlp(p, "bot_l", dense, len(size["bottom"]) + 1))
    bags = sparse if sparse.ndim == 3 else sparse[:, :, None]
    sparse_gradients = size.get("sparse_gradients", False)  # of PyTorch; what they are is the same
    vectors = [F.embedding_bag(bags[:, i], p[f"emb_l.{i}.weight"], mode="sum", sparse=sparse_gradients) for i in range(26)]
    joined = torch.stack([bottom] + vectors, 1)
    rows, columns = torch.tril_indices(27, 27, -1)
    products = torch.bmm(joined, joined.transpose(1, 2))[:, rows, columns]
    share = torch.sigmoid(_mlp(p, "top_l", torch.cat([bottom, products], 1), len(size["top"]) + 1))
    return F.binary_cross_entropy(share, label)


# Llama


def _rms_norm(p, name, x):
    return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-5) * p[name + ".weight"]


@functools.lru_cache
def _turns(length, half, dtype):
    """[position, frequency] as complex numbers; computed once, as models keep them."""
    frequency = 10000.0 ** (-torch.arange(half, dtype=torch.float64) / half)
    angle = torch.outer(torch.arange(length, dtype=torch.float64), frequency)
    return torch.polar(torch.ones_like(angle), angle).to(torch.complex128 if dtype == torch.float64 else torch.complex64)


def _rotated(x):
    """Each pair (i, i + width / 2) is a complex number, turned by the angle of its position and frequency."""
    half = x.shape[-1] // 2
    turn = _turns(x.shape[2], half, x.dtype)
    turned = torch.complex(x[..., :half], x[..., half:]) * turn
    return torch.cat([turned.real, turned.imag], -1)


def _same(x):
    return x


def llama_layer(p, name, x, mask, size, enter=_same, leave=_same):
    """`enter` and `leave` stand where ranks that have a part of the weights take and give what all of them have."""
    heads, groups = size["heads"], size["groups"]
    y = enter(_rms_norm(p, name + ".input_layernorm", x))
    query = _rotated(_heads(_linear(p, name + ".self_attn.q_proj", y), heads))
    key = _rotated(_heads(_linear(p, name + ".self_attn.k_proj", y), groups)).repeat_interleave(heads // groups, 1)
    value = _heads(_linear(p, name + ".self_attn.v_proj", y), groups).repeat_interleave(heads // groups, 1)
    x = x + leave(_linear(p, name + ".self_attn.o_proj", _attention(query, key, value, mask)))
    y = enter(_rms_norm(p, name + ".post_attention_layernorm", x))
    y = F.silu(_linear(p, name + ".mlp.gate_proj", y)) * _linear(p, name + ".mlp.up_proj", y)
    return x + leave(_linear(p, name + ".mlp.down_proj", y))


def llama_scores(p, size, input_ids, enter=_same, leave=_same):
    x = F.embedding(input_ids, p["model.embed_tokens.weight"])
    mask = _causal(x, -math.inf)
    for index in range(size["layers"]):
        x = llama_layer(p, f"model.layers.{index}", x, mask, size, enter, leave)
    return _linear(p, "lm_head", enter(_rms_norm(p, "model.norm", x)))


def llama(p, size, flags, input_ids, labels):
    return _next_token_loss(llama_scores(p, size, input_ids), labels)


LOSSES = {"resnet": resnet, "bert": bert, "gpt2": gpt2, "dlrm": dlrm, "llama": llama}
