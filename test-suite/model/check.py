#!/usr/bin/env python3
"""Holds a transcript of executed instructions against the model.

    check.py < TRANSCRIPT

A transcript has a line `home VERSION TARGET`, a line `case TEXT` for each instruction, `registers NAME:TYPE ...`, and for each execution a line
`run BEFORE:AFTER ...` with the hexadecimal bits of each register.  Printed are the executions that the model computes
otherwise, at most three of an instruction, and a last line with the number of executions and of wrong ones.
"""

import sys

from instructions import execute
from registers import State, Unknown

SHOWN = 3


def wrong(text, names, types, before, after):
    """What the model says of an execution that differs; nothing when they agree."""
    state = State(dict(zip(names, before)), types)
    execute(text, state)
    for name, got in zip(names, after):
        loose = state.loose.get(name)
        if loose is not None and loose.accepts(got):
            continue
        if loose is None and state.values[name] == got:
            continue
        wanted = loose.text if loose is not None else "%#x" % state.values[name]
        inputs = ", ".join("%s = %#x" % pair for pair in zip(names, before))
        return "%s is %#x, not %s; %s" % (name, got, wanted, inputs)
    return None


def main():
    text, names, types, shown = "", [], {}, 0
    executions, failures, unknown = 0, 0, set()
    # Printed at the end, when nobody waits to be read from.
    lines = []
    for line in sys.stdin:
        word, _, rest = line.rstrip("\n").partition(" ")
        if word == "case":
            text, shown = rest, 0
        elif word == "registers":
            pairs = [one.split(":") for one in rest.split()]
            names, types = [name for name, _ in pairs], dict(pairs)
        elif word == "run":
            values = [one.split(":") for one in rest.split()]
            before, after = ([int(value[side], 16) for value in values] for side in (0, 1))
            executions += 1
            try:
                found = wrong(text, names, types, before, after)
            except Unknown as error:
                unknown.add("%s: the model does not know %s" % (text, error))
                continue
            if found:
                failures += 1
                shown += 1
                if shown <= SHOWN:
                    lines.append("%s: %s" % (text, found))
    for one in lines + sorted(unknown):
        print(one)
    print("%d executions, %d wrong, %d instructions unknown" % (executions, failures, len(unknown)))
    return 1 if failures or unknown or not executions else 0


if __name__ == "__main__":
    sys.exit(main())
