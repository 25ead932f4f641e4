"""What a module takes and gives, as a flat list of named tensors and back: tensors in tuples, lists, dictionaries, dataclasses."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import dataclasses
import re


class Leaf:
    """The place of tensor number `index`."""

    def __init__(self, index):
        self.index = index


class Record:
    """The place of an object of a dataclass, with those of its fields."""

    def __init__(self, kind, fields):
        self.kind, self.fields = kind, fields


def _fields(value):
    """[(name, part)] of something that holds others, or None. Outputs of Transformers are dictionaries."""
    if isinstance(value, dict) or hasattr(value, "keys") and hasattr(value, "values"):
        return [(str(key), value[key]) for key in value.keys()]
    if hasattr(value, "_fields"):  # a named tuple
        return list(zip(value._fields, value))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return [(field.name, getattr(value, field.name)) for field in dataclasses.fields(value)]
    if isinstance(value, (tuple, list)):
        return [(str(index), part) for index, part in enumerate(value)]
    return None


def _plain(name):
    return re.sub(r"\W+", "_", name).strip("_") or "value"


class Structure:
    """A value whose tensors have been taken out. `tensors` are they, in order; `names` their names: those of fields and keys, joined
    by underscores where they are nested, and made different where they would be equal."""

    def __init__(self, value, is_tensor, name=""):
        self.tensors, self.names, self._is_tensor = [], [], is_tensor
        self.form = self._take(value, name)

    def _take(self, value, name):
        if self._is_tensor(value):
            self.tensors.append(value)
            self.names.append(self._unique(_plain(name)))
            return Leaf(len(self.tensors) - 1)
        fields = _fields(value)
        if fields is None:
            return value
        parts = [(key, self._take(part, f"{name}_{key}" if name else key)) for key, part in fields]
        if isinstance(value, dict):
            return dict(zip(value, (part for _, part in parts)))
        if hasattr(value, "_fields"):
            return type(value)(*(part for _, part in parts))
        if isinstance(value, (tuple, list)):
            return type(value)(part for _, part in parts)
        return Record(type(value), dict(parts)) if dataclasses.is_dataclass(value) else dict(parts)

    def _unique(self, name):
        number, found = 1, name
        while found in self.names:
            number, found = number + 1, f"{name}_{number}"
        return found

    def fill(self, tensors):
        """The value again, with these tensors in place of its own."""
        return _filled(self.form, tensors)


def name_of_output(value):
    """The name of a module's output that has none; the fields of others have names."""
    return "" if hasattr(value, "keys") or hasattr(value, "_fields") or hasattr(value, "__dataclass_fields__") else "output"


def _filled(form, tensors):
    if isinstance(form, Leaf):
        return tensors[form.index]
    if isinstance(form, Record):
        return form.kind(**{key: _filled(part, tensors) for key, part in form.fields.items()})
    if isinstance(form, dict):
        return {key: _filled(part, tensors) for key, part in form.items()}
    if hasattr(form, "_fields"):
        return type(form)(*(_filled(part, tensors) for part in form))
    if isinstance(form, (tuple, list)):
        return type(form)(_filled(part, tensors) for part in form)
    return form
