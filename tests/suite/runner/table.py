"""Counts of results, and the table that is printed."""

from collections import Counter

from .score import RESULTS

TITLES = {"pass": "pass", "leak": "leak", "over": "over", "unsupported": "not supported", "error": "error"}


def counts(checked, files):
    """The results of a subject's checks, counted by convention."""
    return {
        stem: Counter(check.result for case in file["cases"] for check in checked[case["id"]] if check.result != "may")
        for stem, file in files.items()
    }


def grouped(subject, checked):
    """The results in what the subject promises, and in the rest."""
    groups = Counter(), Counter()
    for case, checks in checked.items():
        groups[0 if subject.promised(case) else 1].update(check.result for check in checks if check.result != "may")
    return groups


def summary(judged):
    """A line a subject: its results in what it promises, and in the rest."""
    rows = [["subject", *RESULTS, *RESULTS]]
    for subject, checked in judged:
        groups = grouped(subject, checked)
        rows.append([subject.version, *(str(group[result]) for group in groups for result in RESULTS)])
    widths = [max(map(len, column)) for column in zip(*rows)]
    first = widths[0] + 2
    second = first + sum(widths[1 : 1 + len(RESULTS)]) + 2 * len(RESULTS)
    lines = ["checks".ljust(first) + "promised".ljust(second - first) + "the rest"]
    for row in rows:
        numbers = (cell.rjust(width) for cell, width in zip(row[1:], widths[1:]))
        lines.append("  ".join([row[0].ljust(widths[0]), *numbers]))
    return "\n".join(lines)
