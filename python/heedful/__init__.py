"""heedful: what an indexer may have of a page, as its publisher says.

>>> import heedful
>>> page = heedful.Filter("FooBot").page(
...     b"Dark rye <!-- robots content='none' --><a href=/ad>ad</a><!-- /robots --> bread. <a href=/rye>Rye</a>",
...     url="https://example.com/recipes",
...     headers=[("X-Robots-Tag", "nosnippet")],
... )
>>> page.phrases
['Dark rye', 'bread. Rye']
>>> [link.url for link in page.links if link.follow]
['https://example.com/rye']
>>> page.verdict.snippet
False
"""

from ._heedful import (
    Block,
    Census,
    Directive,
    Error,
    Exclusion,
    Filter,
    Link,
    Note,
    Page,
    Pass,
    RobotsTxt,
    Ruling,
    Verdict,
    Writer,
    census,
    census_batch,
    mask,
    mask_batch,
    read,
    survey,
    survey_batch,
    words,
)
from ._stream import filter_batches

__all__ = [
    "Block",
    "Census",
    "Directive",
    "Error",
    "Exclusion",
    "Filter",
    "Link",
    "Note",
    "Page",
    "Pass",
    "RobotsTxt",
    "Ruling",
    "Verdict",
    "Writer",
    "census",
    "census_batch",
    "filter_batches",
    "mask",
    "mask_batch",
    "read",
    "survey",
    "survey_batch",
    "words",
]
