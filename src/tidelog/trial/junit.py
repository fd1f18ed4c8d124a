"""Results as JUnit XML, which build servers show.

Law: one test suite for each file of cases, one test case for each case; the text of a failure lists the expectations
that did not hold.
"""

from __future__ import annotations

from itertools import groupby
from xml.etree import ElementTree

from tidelog.trial.suite import Results


def to_junit(results: Results) -> str:
    """The XML document as text."""
    root = ElementTree.Element("testsuites")
    for path, group in groupby(results.outcomes, key=lambda pair: str(pair[0].path)):
        outcomes = [outcome for _, outcome in group]
        failed = sum(not outcome.passed for outcome in outcomes)
        seconds = sum(outcome.seconds for outcome in outcomes)
        counts = {"tests": str(len(outcomes)), "failures": str(failed), "time": f"{seconds:.3f}"}
        suite = ElementTree.SubElement(root, "testsuite", {"name": path, **counts})
        for outcome in outcomes:
            case = ElementTree.SubElement(
                suite, "testcase", name=outcome.case.name, classname=path, time=f"{outcome.seconds:.3f}"
            )
            if not outcome.passed:
                texts = [f"{path}:{broken.line}: {broken.message}" for broken in outcome.broken]
                failure = ElementTree.SubElement(case, "failure", message=texts[0].splitlines()[0])
                failure.text = "\n".join(texts)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True)
