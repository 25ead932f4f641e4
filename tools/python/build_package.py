"""Builds the Python package as pip asks for it (PEP 517 and 660), with Python alone: no other package, no network.

The version is that of project(tutti VERSION ...) in the repository's CMakeLists.txt; in a source archive, that of its PKG-INFO."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import base64
import hashlib
import io
import pathlib
import re
import tarfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
WHEEL = "Wheel-Version: 1.0\nGenerator: tutti\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
OLDEST_DATE = (1980, 1, 1, 0, 0, 0)  # of all files, so that equal sources make equal wheels


def version():
    for path, pattern in ((HERE.parents[1] / "CMakeLists.txt", r"project\(tutti VERSION ([\d.]+)"), (HERE / "PKG-INFO", r"(?m)^Version: (.+)$")):
        found = re.search(pattern, path.read_text(encoding="utf-8")) if path.exists() else None
        if found:
            return found[1]
    raise RuntimeError(f"no version: neither {HERE.parents[1] / 'CMakeLists.txt'} nor {HERE / 'PKG-INFO'} says it")


def metadata():
    return (HERE / "METADATA.in").read_text(encoding="utf-8").replace("@PROJECT_VERSION@", version())


def _sources():
    return sorted((HERE / "tutti").glob("*.py"))


def _write_wheel(folder, contents):
    """Writes the wheel with {name: text}, and what it says of itself; returns its name."""
    about = f"tutti-{version()}.dist-info"
    contents = {**contents, f"{about}/METADATA": metadata(), f"{about}/WHEEL": WHEEL}
    lines = []
    name = f"tutti-{version()}-py3-none-any.whl"
    with zipfile.ZipFile(pathlib.Path(folder) / name, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, text in contents.items():
            digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
            lines.append(f"{path},sha256={digest},{len(text.encode())}\n")
            archive.writestr(zipfile.ZipInfo(path, OLDEST_DATE), text)
        archive.writestr(zipfile.ZipInfo(f"{about}/RECORD", OLDEST_DATE), "".join([*lines, f"{about}/RECORD,,\n"]))
    return name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    return _write_wheel(wheel_directory, {f"tutti/{path.name}": path.read_text(encoding="utf-8") for path in _sources()})


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """A wheel that points at this folder (pip install -e)."""
    return _write_wheel(wheel_directory, {"tutti.pth": f"{HERE}\n"})


def build_sdist(sdist_directory, config_settings=None):
    stem = f"tutti-{version()}"
    with tarfile.open(pathlib.Path(sdist_directory) / f"{stem}.tar.gz", "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for path in [*_sources(), *(HERE / name for name in ("pyproject.toml", "METADATA.in", "build_package.py"))]:
            archive.add(path, f"{stem}/{path.relative_to(HERE)}")
        text = metadata().encode()
        about = tarfile.TarInfo(f"{stem}/PKG-INFO")
        about.size = len(text)
        archive.addfile(about, io.BytesIO(text))
    return f"{stem}.tar.gz"
