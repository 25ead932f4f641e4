"""make_photos.py FOLDER: small pictures of many kinds, drawn by a formula, and what Pillow reads of them.

FOLDER/photos/CLASS/NAME are the pictures, FOLDER/photos-refused those that are refused, and FOLDER/photos.npz the values: NAME as read,
NAME.resized with a shorter edge of 9, NAME.large with 23 rows of 31 pixels, and NAME.grey, as bytes. Needs Pillow (Debian: python3-pil).
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import pathlib
import struct
import sys
import zlib

import numpy
from PIL import Image


def colours(height, width, phase):
    y, x = numpy.mgrid[:height, :width].astype(float)
    waves = [127 + 120 * numpy.sin(x / (3 + i) + y / (5 - i) + phase + i) for i in range(3)]
    return numpy.stack(waves, axis=-1).astype("u1")


def png_of_16_bits(path, pixels, kind):
    """Pillow writes none: rows of big-endian numbers, each after a filter of 0."""
    rows = b"".join(b"\0" + row.astype(">u2").tobytes() for row in pixels)

    def chunk(name, content):
        return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))
    head = struct.pack(">IIBBBBB", pixels.shape[1], pixels.shape[0], 16, kind, 0, 0, 0)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def pictures():
    """Class, name, picture, and how it is saved."""
    yield "cat", "plain.jpg", Image.fromarray(colours(14, 20, 0)), {"quality": 90}
    yield "cat", "progressive.jpeg", Image.fromarray(colours(21, 13, 1)), {"progressive": True, "subsampling": 0}
    yield "cat", "grey.jpg", Image.fromarray(colours(12, 12, 2)).convert("L"), {}
    yield "dog", "rgb.png", Image.fromarray(colours(10, 17, 3)), {}
    yield "dog", "palette.png", Image.fromarray(colours(16, 11, 4)).quantize(16), {}
    clear = numpy.dstack([colours(9, 9, 5), numpy.arange(81, dtype="u1").reshape(9, 9)])
    yield "dog", "alpha.png", Image.fromarray(clear), {}
    yield "dog", "bits.png", Image.fromarray(colours(11, 10, 6)).convert("1"), {}
    yield "dog", "turned.JPG", Image.fromarray(colours(10, 14, 7)), {"exif": b"Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0"}
    yield "refused", "cmyk.jpg", Image.fromarray(colours(8, 8, 8)).convert("CMYK"), {}


def read(path, values):
    picture = Image.open(path).convert("RGB")
    width, height = picture.size
    short, long = 9, int(9 * max(picture.size) / min(picture.size))
    size = (short, long) if width <= height else (long, short)
    values[path.name] = numpy.asarray(picture)
    values[path.name + ".resized"] = numpy.asarray(picture.resize(size, Image.Resampling.BILINEAR))
    values[path.name + ".large"] = numpy.asarray(picture.resize((31, 23), Image.Resampling.BILINEAR))
    values[path.name + ".grey"] = numpy.asarray(picture.convert("L"))


def main():
    folder, values = pathlib.Path(sys.argv[1]), {}
    refused = folder / "photos-refused"
    for made in (folder / "photos/cat", folder / "photos/dog", refused):
        made.mkdir(parents=True, exist_ok=True)
    for kind, name, picture, how in pictures():
        path = (refused if kind == "refused" else folder / "photos" / kind) / name
        picture.save(path, **how)
        if kind != "refused":
            read(path, values)
    deep = colours(8, 9, 9).astype("u2") * 256 + 77
    png_of_16_bits(folder / "photos/dog/deep.png", deep, 2)
    png_of_16_bits(refused / "deep-grey.png", deep[:, :, 0], 0)
    read(folder / "photos/dog/deep.png", values)
    numpy.savez_compressed(folder / "photos.npz", **values)


if __name__ == "__main__":
    main()
