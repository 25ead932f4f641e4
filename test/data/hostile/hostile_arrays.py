"""Hostile .npy and .npz files: headers that lie about shape, type or size; archives that lie about their members."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import io
import struct
import zipfile

import numpy as np

HEADER = "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }"


def npy(descr="<f4", shape="(4, 4)", fortran="False", data=b"\0" * 64, header=None):
    """A .npy of version 1.0 whose header says what it is told to."""
    text = (header if header is not None else HEADER % (descr, fortran, shape)).encode("latin1")
    text += b" " * (-(len(text) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + data


def archive(members, method=zipfile.ZIP_STORED):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as file:
        for name, content in members:
            file.writestr(zipfile.ZipInfo(name), content, compress_type=method)
    return buffer.getvalue()


def good_members(count=8):
    """Members that would bind to a model with inputs input [n,1,8,8] and label [n]."""
    members = []
    for name, array in (("input", np.zeros((count, 1, 8, 8), np.float32)), ("label", np.zeros(count, np.int64))):
        buffer = io.BytesIO()
        np.save(buffer, array)
        members.append((name + ".npy", buffer.getvalue()))
    return members


def npy_files():
    whole = npy()
    return {
        "empty.npy": (b"", "an empty file"),
        "magic-only.npy": (whole[:6], "nothing after the magic"),
        "truncated-header.npy": (whole[:40], "the header stops in the middle"),
        "truncated-data.npy": (whole[:-1], "the last byte is missing"),
        "garbage.npy": (b"\x93NUMPY\x01\x00" + np.random.RandomState(3).bytes(500), "random bytes after the magic"),
        "header-too-long.npy": (b"\x93NUMPY\x01\x00\xff\xff" + whole[10:], "the header claims 65,535 bytes"),
        "header-4gib.npy": (b"\x93NUMPY\x02\x00\xff\xff\xff\xff" + whole[10:], "the header claims 4 GiB"),
        "version-9.npy": (b"\x93NUMPY\x09\x00" + whole[8:], "format version 9"),
        "negative-shape.npy": (npy(shape="(-4, -4)"), "shape -4 x -4"),
        "huge-shape.npy": (npy(shape="(4611686018427387904, 16)"), "the byte count overflows 64 bits"),
        "shape-beyond-int64.npy": (npy(shape="(99999999999999999999999, )"), "a dimension beyond 64 bits"),
        "shape-text.npy": (npy(shape="('a', )"), "a shape of text"),
        "shape-missing.npy": (npy(header="{'descr': '<f4', 'fortran_order': False, }"), "no shape"),
        "object-type.npy": (npy(descr="|O"), "pickled objects: must never be unpickled"),
        "big-endian.npy": (npy(descr=">f4"), "big-endian numbers"),
        "fortran-order.npy": (npy(fortran="True"), "column-major data"),
        "unclosed-header.npy": (npy(header="{'descr': '<f4', 'shape': (4, 4"), "a header without end"),
        "code-in-header.npy": (npy(header="__import__('os').system('true')"), "a header that is code"),
        "rank-3000.npy": (npy(shape="(" + "1, " * 3000 + ")"), "rank 3,000"),
    }


def patched(content, old, new):
    assert content.count(old) >= 1
    return content.replace(old, new)


def npz_files():
    whole = archive(good_members())
    end = whole.rfind(b"PK\x05\x06")
    central = whole.rfind(b"PK\x01\x02", 0, end)
    size_field = central + 24
    lying_size = whole[:size_field] + b"\xff\xff\xff\x7f" + whole[size_field + 4:]
    bomb = archive([("input.npy", npy(shape="(67108864, )", data=b"\0" * (1 << 20)))], zipfile.ZIP_DEFLATED)
    data = whole.find(b"\x93NUMPY")
    return {
        "empty.npz": (b"", "an empty file"),
        "garbage.npz": (np.random.RandomState(5).bytes(3000), "random bytes"),
        "truncated.npz": (whole[:len(whole) // 2], "no central directory"),
        "truncated-by-one.npz": (whole[:-1], "the last byte is missing"),
        "no-members.npz": (archive([]), "an archive without arrays"),
        "not-an-array.npz": (archive([("input.npy", b"hello"), good_members()[1]]), "a member that is no array"),
        "missing-label.npz": (archive(good_members()[:1]), "no array for the input label"),
        "unequal-lengths.npz": (archive([good_members(8)[0], good_members(7)[1]]), "8 images but 7 labels"),
        "no-samples.npz": (archive(good_members(0)), "arrays of no sample"),
        "duplicate-member.npz": (duplicate_members(), "two members of one name"),
        "lying-size.npz": (lying_size, "the directory claims 2 GiB for a small member"),
        "directory-offset.npz": (whole[:end + 16] + b"\xff\xff\xff\x7f" + whole[end + 20:],
                                 "the directory would stand after the end"),
        "member-count.npz": (whole[:end + 8] + b"\xff\x7f\xff\x7f" + whole[end + 12:], "32,767 members claimed"),
        "bad-checksum.npz": (whole[:data + 200] + b"\x7f" + whole[data + 201:], "the checksum does not match"),
        "bomb.npz": (bomb, "256 MiB claimed, deflated to a few bytes, 1 MiB there"),
        "wrong-type.npz": (archive([("input.npy", npy(descr="<f8", shape="(1, 1, 8, 8)", data=b"\0" * 512)),
                                    good_members(1)[1]]), "f64 images"),
        "wrong-shape.npz": (archive([("input.npy", npy(shape="(8, 2)")), good_members()[1]]), "images of shape 2"),
    }


def duplicate_members():
    """Renames one member in place to the other's name, in both headers (the names are of equal length)."""
    members = good_members()
    whole = archive([members[0], ("inpus.npy", members[0][1]), members[1]])
    return patched(whole, b"inpus.npy", b"input.npy")


def files(folder):
    """{file name: (bytes, what is wrong)}."""
    return {**npy_files(), **npz_files()}
