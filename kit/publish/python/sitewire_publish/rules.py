"""Checks an event with the rules of rules.tsv, which kit/publish/rules.ts describes."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files


class InvalidSitePaidError(ValueError):
    """A field breaks a rule, and nothing was sent.

    The message names the field, what is wrong and the remedy, but no value. The
    attribute ``field`` is the name of the field, or of the header.
    """

    def __init__(self, field: str, wrong: str, remedy: str) -> None:
        super().__init__(f"site.paid was not published: {field} {wrong}. {remedy}")
        self.field = field


@dataclass(frozen=True)
class Check:
    """A pattern that a text must match, or must not."""

    pattern: re.Pattern[str]
    matches: bool
    wrong: str
    remedy: str


@dataclass(frozen=True)
class Field:
    """A field of the event, or a header of the record. Lengths are in code points."""

    name: str
    min: int
    max: int
    description: str
    checks: list[Check] = field(default_factory=list)

    def check(self, value: object) -> str:
        """Returns the value if it is valid. Raises ``InvalidSitePaidError``."""

        def fail(wrong: str, remedy: str) -> InvalidSitePaidError:
            return InvalidSitePaidError(self.name, wrong, remedy)

        if value is None:
            raise fail("is missing", f"Set it: {self.description}")
        if not isinstance(value, str):
            raise fail("is not text", "Convert it to text.")
        if any("\ud800" <= character <= "\udfff" for character in value):
            remedy = "Decode it with the encoding in which it was written."
            raise fail("is not valid Unicode", remedy)
        if len(value) < self.min:
            raise fail("is empty", f"Set it: {self.description}")
        if len(value) > self.max:
            raise fail(f"has more than {self.max} characters", "Shorten it.")
        for check in self.checks:
            if bool(check.pattern.search(value)) != check.matches:
                raise fail(check.wrong, check.remedy)
        return value


def check_event(event: Mapping[str, object]) -> dict[str, str]:
    """The eight fields. Raises ``InvalidSitePaidError``."""
    return {one.name: one.check(event.get(one.name)) for one in _FIELDS}


def check_headers(headers: Mapping[str, object]) -> dict[str, str]:
    """The headers that are not None. Raises ``InvalidSitePaidError``."""
    present = [one for one in _HEADERS if headers.get(one.name) is not None]
    return {one.name: one.check(headers[one.name]) for one in present}


def _read() -> tuple[list[Field], list[Field]]:
    read: dict[str, list[Field]] = {"field": [], "header": []}
    current: list[Check] = []
    text = files(__package__).joinpath("rules.tsv").read_text("ascii")
    for line in text.strip().split("\n"):
        kind, *parts = line.split("\t")
        if kind in read:
            name, least, most, description = parts
            read[kind].append(Field(name, int(least), int(most), description))
            current = read[kind][-1].checks
        else:
            pattern, wrong, remedy = parts
            # In Python, $ also matches before a line break at the end.
            compiled = re.compile(pattern.replace("$", r"\Z"))
            current.append(Check(compiled, kind == "match", wrong, remedy))
    return read["field"], read["header"]


_FIELDS, _HEADERS = _read()
