"""print_plan.py LIBRARY PROGRAM RANKS [KEY=VALUE ...]: the example in C again, in Python, with nothing but ctypes.

LIBRARY is libTuttiC.so. Prints what the distributed program communicates in a step."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import contextlib
import ctypes
import json
import sys

DISTRIBUTE = 1  # of enum TuttiPipeline


class Ref(ctypes.Structure):
    """MlirStringRef."""
    _fields_ = [("data", ctypes.c_void_p), ("length", ctypes.c_size_t)]

    @classmethod
    def of(cls, text):
        ref = cls()
        ref.content = text.encode()  # lives as long as this does
        ref.data, ref.length = ctypes.cast(ref.content, ctypes.c_void_p), len(ref.content)
        return ref

    def __str__(self):
        return ctypes.string_at(self.data, self.length).decode()


class Handle(ctypes.Structure):
    """MlirContext, MlirModule and TuttiOptions: one pointer."""
    _fields_ = [("pointer", ctypes.c_void_p)]


class Diagnostic(ctypes.Structure):
    _fields_ = [("severity", ctypes.c_int), ("message", Ref), ("file", Ref), ("line", ctypes.c_int64),
                ("column", ctypes.c_int64), ("node", Ref)]


Tell = ctypes.CFUNCTYPE(None, ctypes.POINTER(Diagnostic), ctypes.c_void_p)
Give = ctypes.CFUNCTYPE(None, Ref, ctypes.c_void_p)


class Tutti:
    """Errors of a call become the exception that it raises."""

    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        for name in ("tuttiContextCreate", "tuttiProgramRead", "tuttiOptionsCreate"):
            getattr(self.library, name).restype = Handle
        for name in ("tuttiOptionsSet", "tuttiRunPipeline", "tuttiSpecializeWorld", "tuttiVerify", "tuttiPlanAsJson"):
            getattr(self.library, name).restype = ctypes.c_int8

    def call(self, name, *arguments):
        told = []
        tell = Tell(lambda diagnostic, _: told.append((diagnostic[0].severity, str(diagnostic[0].message))))
        result = getattr(self.library, name)(*arguments, tell, None)
        if not (result.pointer if isinstance(result, Handle) else result):
            raise ValueError("; ".join(text for severity, text in told if severity == 0))
        return result

    def plan(self, path, ranks, keys):
        with contextlib.ExitStack() as owned:
            context = self.call("tuttiContextCreate", False)
            owned.callback(self.library.tuttiContextDestroy, context)
            program = self.call("tuttiProgramRead", context, Ref.of(path))
            owned.callback(self.library.tuttiProgramDestroy, program)
            options = self.library.tuttiOptionsCreate(DISTRIBUTE)
            owned.callback(self.library.tuttiOptionsDestroy, options)
            for key, value in keys.items():
                self.call("tuttiOptionsSet", options, Ref.of(key), Ref.of(value))
            self.call("tuttiRunPipeline", program, options)
            self.call("tuttiSpecializeWorld", program, ctypes.c_int64(ranks))
            self.call("tuttiVerify", program)
            parts = []
            give = Give(lambda text, _: parts.append(str(text)))
            self.call("tuttiPlanAsJson", program, Ref.of(""), ctypes.c_int64(0), give, None)
            return json.loads("".join(parts))


def main():
    library, program, ranks, *keys = sys.argv[1:]
    try:
        plan = Tutti(library).plan(program, int(ranks), dict(key.split("=", 1) for key in keys))
    except ValueError as error:
        sys.exit(f"error: {error}")
    print(f"{plan['ranks']} ranks: {plan['step']['calls']} calls a step, {plan['step']['bytes']} bytes")


if __name__ == "__main__":
    main()
