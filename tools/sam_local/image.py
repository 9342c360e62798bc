"""The base image of ``sam local``: AWS's own where it can be had, else a stand-in of this machine's Python.

The stand-in is no Amazon Linux: it proves handler, template, environment, limits and packaging, and nothing about the
libraries of the operating system.
"""

import io
import re
import shutil
import subprocess
import tarfile
from pathlib import Path

from tools.artifacts.build import ARCHITECTURE, Runtime
from tools.local.processes import LocalFault
from tools.sam_local.engine import Engine

BOOTSTRAP = """#!/bin/sh
export PYTHONPATH=/var/task:/var/runtime
cd /var/task && exec {python} -m awslambdaric "$_HANDLER"
"""
NAMED = "libpthread.so.0 libdl.so.2 libm.so.6 librt.so.1 libutil.so.1 libnss_dns.so.2 libnss_files.so.2 libresolv.so.2 \
libstdc++.so.6 libgcc_s.so.1"
"""Libraries that wheels may count on, whether or not Python itself needs them."""
LEFT_OUT = re.compile(
    r"/(test|tests|idlelib|tkinter|turtledemo|ensurepip|site-packages|config-[^/]*|__pycache__)(/|$)|\.a$"
)


def ensure(engine: Engine, runtime: Runtime, folder: Path) -> str:
    """See to it that the engine has the base image; return which one it is, in words.

    Raises
    ------
    LocalFault
        It can neither be pulled nor made.
    """
    image = f"public.ecr.aws/lambda/python:{runtime.version}-{ARCHITECTURE}"
    if engine.docker("images", "--quiet", image):
        return f"{image}, found here"
    try:
        engine.docker("pull", "--quiet", image)
    except LocalFault:
        if not (busybox := shutil.which("busybox")):
            raise LocalFault(f"{image} cannot be pulled, and a stand-in needs busybox-static.") from None
        package = folder / "image.tar"
        _pack(package, runtime, Path(busybox))
        engine.docker("import", "--change", "ENV PATH=/bin LAMBDA_TASK_ROOT=/var/task", "-", image, stdin=package)
        return f"a stand-in for {image} made of this machine's Python, as that cannot be pulled"
    return f"{image}, pulled"


def _pack(package: Path, runtime: Runtime, busybox: Path) -> None:
    ask = "import sys, sysconfig; print(sysconfig.get_path('stdlib'), sys.executable)"
    answer = subprocess.run([runtime.python, "-c", ask], check=True, capture_output=True, text=True).stdout
    library, python = answer.split()
    modules = list(Path(library, "lib-dynload").glob("*.so")) + list(runtime.client.glob("*.so"))
    with tarfile.open(package, "w") as image:
        for directory in ("tmp", "var/task", "proc", "dev", "etc"):
            entry = tarfile.TarInfo(directory)
            entry.type, entry.mode = tarfile.DIRTYPE, 0o1777 if directory == "tmp" else 0o755
            image.addfile(entry)
        image.add(busybox, "bin/busybox")
        for name in ("sh", "chmod", "mv", "ls", "cat"):
            link = tarfile.TarInfo(f"bin/{name}")
            link.type, link.linkname = tarfile.SYMTYPE, "busybox"
            image.addfile(link)
        image.add(library, library.lstrip("/"), filter=_needed)
        image.add(Path(python).resolve(), python.lstrip("/"))
        for file in _closure([Path(python).resolve(), *modules]):
            image.add(Path(file).resolve(), file.lstrip("/"))
        image.add(runtime.client, "var/runtime")
        _write(image, "var/runtime/bootstrap", BOOTSTRAP.format(python=python), 0o755)
        _write(image, "etc/passwd", "root:x:0:0::/:/bin/sh\n", 0o644)


def _needed(entry: tarfile.TarInfo) -> tarfile.TarInfo | None:
    return None if LEFT_OUT.search(f"/{entry.name}") else entry


def _closure(binaries: list[Path]) -> set[str]:
    """Return the shared libraries that ``binaries`` need, and those of ``NAMED``."""
    said = subprocess.run(["ldd", *binaries], check=False, capture_output=True, text=True).stdout
    found = set(re.findall(r"(?:=> |^\s+)(/\S+) \(", said, re.MULTILINE))
    libc = next(Path(file) for file in found if "/libc.so" in file)
    named = NAMED.split()
    places = [libc.parent, Path("/usr/lib") / libc.parent.name]
    return found | {str(place / name) for name in named for place in places if (place / name).exists()}


def _write(image: tarfile.TarFile, name: str, text: str, mode: int) -> None:
    entry, content = tarfile.TarInfo(name), text.encode()
    entry.size, entry.mode = len(content), mode
    image.addfile(entry, io.BytesIO(content))
