#!/usr/bin/env python3
"""A small subject: reads the record again by the id that the agent handed in, and looks at its status.

For every question one line of JSON comes in, reads go out and are answered line by line, and the last line out is
the verdict.
"""

import json
import sys


def ask(question):
    print(json.dumps(question), flush=True)
    return json.loads(sys.stdin.readline())


def at(path, value):
    """The value at a path such as `@.a.b`."""
    for name in path.split(".")[1:]:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def states(lifecycle, record):
    """The states of a record, or of its parts where they carry the outcome."""
    parts = lifecycle.get("parts")
    items = (at(parts["over"], record) or []) if parts else [record]
    return [at(lifecycle["path"], item) for item in items]


def verdict(case):
    waiting = "UNVERIFIABLE" if case["last"] else "PENDING"
    promise = case["ask"]["promise"]
    named = case["ask"]["record"] or (case["agent"]["ids"] or [None])[-1]
    if named is None:
        return waiting
    found = ask({"read": {"record": named}})
    if promise["kind"] == "gone":
        return "VERIFIED" if "nothing" in found else waiting
    if "record" not in found:
        return waiting
    lifecycle = case["model"]["lifecycle"]
    if promise["kind"] in ("changed", "altered", "present") or lifecycle is None:
        return "VERIFIED"
    classes = {state["name"]: state["class"] for state in lifecycle["states"]}
    if promise["kind"] == "reaches":
        done = set(promise["states"])
    else:
        done = {name for name, kind in classes.items() if kind in ("transitional", "terminal_success")}
    seen = states(lifecycle, found["record"])
    if seen and all(state in done for state in seen):
        return "VERIFIED"
    ended = ("terminal_failure", "terminal_neutral")
    if seen and all(classes.get(state) in ended for state in seen):
        return "FAILED"
    return waiting


while line := sys.stdin.readline():
    print(json.dumps({"verdict": verdict(json.loads(line))}), flush=True)
