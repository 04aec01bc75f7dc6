"""The arguments of a track event as Chrome's JSON export writes them.

Chrome exports JSON by reading its own packets with Perfetto's trace processor, so what stands here follows what that
does (`proto_to_args_parser.cc`, `export_json.cc`): enumerations by name, pointers in hexadecimal, dots and brackets in
names as underscores, whole numbers without a fraction, messages without content as "0x0", and no trace of lists and
objects without content.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import msgspec

from harness.trace.proto_schema import Schema, text

Args = dict[str, Any]
Interned = Mapping[str, Mapping[int, Any]]  # field of InternedData -> iid -> its message

EMPTY_MESSAGE: Final = "0x0"
_IN_KEYS: Final = str.maketrans(".[]", "___")
_TYPED_FROM: Final = 24  # TrackEvent's own typed arguments; lower fields are its machinery
_MACHINERY: Final = frozenset((30, 31, 33, 34, 36, 42, 44, 45, 46, 47, 48, 52, 53, 54, 55, 56, 57))
_WHOLE: Final = 1e17  # from here on the export writes an exponent
_NOTHING: Final = object()


def arguments(fields: Iterable[tuple[Any, Any]], interned: Interned, schema: Schema) -> Args:
    """The args in a `TrackEvent` (its `ListFields`); `interned` are the words of its sequence at this moment."""
    args: Args = {}
    reader = _Reader(interned, schema)
    annotations: Any = ()
    for field, value in fields:
        number = field.number
        if number == 4:
            annotations = value
        elif number >= _TYPED_FROM:
            if number not in _MACHINERY:
                args[field.name] = reader.field(field, value)
            elif number == 34:  # source_location_iid
                args |= reader.source(value)
        elif number == 5:  # task_execution
            args |= reader.posted_from(value)
        elif number == 21:  # log_message
            args["track_event"] = {"log_message": {"message": reader.word("log_message_body", "body", value.body_iid)}}
    for annotation in annotations:
        reader.annotate(args, annotation)
    return args


class _Reader:
    def __init__(self, interned: Interned, schema: Schema) -> None:
        self._interned, self._schema = interned, schema

    def word(self, kind: str, attribute: str, iid: int) -> str:
        found = self._interned.get(kind, {}).get(iid)
        return text(getattr(found, attribute)) if found is not None else f"unknown({iid})"

    def source(self, iid: int) -> Args:
        location = self._location(iid)
        return {} if location is None else location

    def posted_from(self, execution: Any) -> Args:
        location = self._location(execution.posted_from_iid)
        if location is None:
            return {}
        return {
            "src_file": location["file_name"],
            "src_func": location["function_name"],
            "src_line": location.get("line_number", 0),
        }

    def _location(self, iid: int) -> Args | None:
        found = self._interned.get("source_locations", {}).get(iid)
        if found is None:
            return None
        location = {"file_name": text(found.file_name).replace("\\", "/"), "function_name": text(found.function_name)}
        return location | ({"line_number": found.line_number} if found.HasField("line_number") else {})

    def field(self, field: Any, value: Any) -> Any:
        convert = self._converter(field)
        return [convert(item) for item in value] if field.is_repeated else convert(value)

    def _converter(self, field: Any) -> Callable[[Any], Any]:
        if field.message_type is not None:
            return lambda value: self.message(value)
        if field.enum_type is not None:
            names = field.enum_type.values_by_number
            return lambda value: names[value].name if value in names else str(value)
        return text if field.type == field.TYPE_STRING else plain

    def message(self, message: Any) -> Any:
        """A typed message; one without content is "0x0", as the export writes it."""
        args: Args = {}
        for field, value in message.ListFields():
            name = field.name
            if name == "debug_annotations":
                for annotation in value:
                    self.annotate(args, annotation)
            elif name == "source_location_iid" and (location := self._location(value)) is not None:
                args |= location
            elif name == "mojo_interface_method_iid":
                args["mojo_interface_method"] = self._symbol(value)
            else:
                args[name] = self.field(field, value)
        return args or EMPTY_MESSAGE

    def _symbol(self, iid: int) -> Any:
        found = self._interned.get("unsymbolized_source_locations", {}).get(iid)
        if found is None:
            return f"unknown({iid})"
        return {"native_symbol": {"mapping_id": found.mapping_id, "rel_pc": found.rel_pc}}

    def annotate(self, args: Args, annotation: Any) -> None:
        """Add a debug annotation under its own name."""
        if (value := self._annotation(annotation)) is not _NOTHING:
            put(args, self._name(annotation), value)

    def _name(self, annotation: Any) -> str:
        if iid := annotation.name_iid:
            return self.word("debug_annotation_names", "name", iid).translate(_IN_KEYS)
        return text(annotation.name).translate(_IN_KEYS)

    def _annotation(self, annotation: Any) -> Any:
        if annotation.dict_entries:
            entries: Args = {}
            for entry in annotation.dict_entries:
                self.annotate(entries, entry)
            return entries or _NOTHING
        if annotation.array_values:
            items = [self._annotation(item) for item in annotation.array_values]
            return [item for item in items if item is not _NOTHING] or _NOTHING
        kind = annotation.WhichOneof("value")
        if kind is None:
            return self.typed(annotation) if annotation.HasField("proto_value") else _NOTHING
        value = getattr(annotation, kind)
        match kind:
            case "string_value":
                return text(value)
            case "string_value_iid":
                return self.word("debug_annotation_string_values", "str", value)
            case "pointer_value":
                return hex(value)
            case "legacy_json_value":
                return _shed(decode_json(text(value)))
            case "nested_value":
                return _nested(value)
            case _:
                return plain(value)

    def typed(self, annotation: Any) -> Any:
        """A message of a named type inside an annotation."""
        name = text(annotation.proto_type_name)
        if iid := annotation.proto_type_name_iid:
            name = self.word("debug_annotation_value_type_names", "name", iid)
        if (known := self._schema.message(name)) is None:
            return _NOTHING
        return self.message(known.FromString(annotation.proto_value))


def put(args: Args, name: str, value: Any) -> None:
    """Set an argument; of objects under one name the members are put together, and later ones win."""
    there = args.get(name)
    if isinstance(there, dict) and isinstance(value, dict):
        for key, member in value.items():
            put(there, key, member)
    else:
        args[name] = value


def merged(begin: bytes, end: bytes) -> bytes:
    """The arguments of a begin and its end together, all as JSON; empty is none."""
    if not begin:
        return end
    args = msgspec.json.decode(begin)
    for name, value in msgspec.json.decode(end).items():
        put(args, name, value)
    return msgspec.json.encode(args)


def plain(value: Any) -> Any:
    """A number or bytes as the export writes them."""
    if isinstance(value, float):
        if not math.isfinite(value):
            return "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
        # The export writes 1280.0 as 1280, which whoever reads it takes for a whole number.
        return int(value) if value.is_integer() and abs(value) < _WHOLE else value
    return base64.b64encode(value).decode() if isinstance(value, bytes) else value


def decode_json(said: str) -> Any:
    """A value that Chrome wrote as JSON text; None where it is cut."""
    try:
        return msgspec.json.decode(said)
    except (msgspec.DecodeError, UnicodeError):
        return None


def _shed(value: Any) -> Any:
    """JSON without what the export drops of it: nulls, and lists and objects without content."""
    if isinstance(value, dict):
        members = {key: _shed(item) for key, item in value.items()}
        return {key: item for key, item in members.items() if item is not _NOTHING} or _NOTHING
    if isinstance(value, list):
        return [item for item in map(_shed, value) if item is not _NOTHING] or _NOTHING
    return _NOTHING if value is None else plain(value)


def _nested(value: Any) -> Any:
    """Chrome's TracedValue. Its types: 1 a dictionary, 2 a list."""
    if value.nested_type == 1:
        members = {
            text(key).translate(_IN_KEYS): _nested(item)
            for key, item in zip(value.dict_keys, value.dict_values, strict=False)
        }
        return {key: item for key, item in members.items() if item is not _NOTHING} or _NOTHING
    if value.nested_type == 2:
        return [item for item in map(_nested, value.array_values) if item is not _NOTHING] or _NOTHING
    if value.HasField("string_value"):
        return text(value.string_value)
    for kind in ("int_value", "double_value", "bool_value"):
        if value.HasField(kind):
            return plain(getattr(value, kind))
    return _NOTHING
