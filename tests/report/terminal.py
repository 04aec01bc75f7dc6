"""As much of a terminal as it takes to know what a person sees after everything that was written to it."""

from __future__ import annotations

import re

_TOKEN = re.compile(r"\x1b\[([0-9;?]*)([A-Za-z])|(.)", re.S)


def screen(written: str, columns: int) -> list[str]:
    """The lines on a terminal of so many columns, without the empty ones at its end.

    Knows cursor up, erase in line, carriage return, line feed, and wraps; colours and the like take no room.
    """
    lines: list[list[str]] = [[]]
    row = column = 0
    for token in _TOKEN.finditer(written.replace("\n", "\r\n")):
        number, command, character = token.groups()
        if command == "A":
            row = max(0, row - int(number or 1))
        elif command == "K":
            lines[row] = [] if number == "2" else lines[row][:column]
        elif character == "\n":
            row += 1
        elif character == "\r":
            column = 0
        elif character:
            if column == columns:
                row, column = row + 1, 0
            while len(lines) <= row:
                lines.append([])
            lines[row] += [" "] * (column + 1 - len(lines[row]))
            lines[row][column] = character
            column += 1
        while len(lines) <= row:
            lines.append([])
    shown = ["".join(line).rstrip() for line in lines]
    while shown and not shown[-1]:
        shown.pop()
    return shown
