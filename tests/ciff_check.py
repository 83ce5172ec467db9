"""An index in the Common Index File Format, read back by ciff-toolkit, which is made from the format's definition.

python3 tests/ciff_check.py FILE PAGES.jsonl

PAGES.jsonl is what `heedful filter` says of the same pages. Their words are compared where a page has ASCII alone.
"""

import json
import re
import sys
from collections import Counter
from pathlib import Path

from ciff_toolkit.read import CiffReader

path, filtered = sys.argv[1], Path(sys.argv[2])
told = {page["url"]: page for page in map(json.loads, filtered.read_text().splitlines())}
with CiffReader(path) as reader:
    header, lists, records = reader.header, list(reader.read_postings_lists()), list(reader.read_documents())
lengths = [record.doclength for record in records]
assert (header.version, header.num_postings_lists, header.num_docs) == (1, len(lists), len(records))
assert (header.total_postings_lists, header.total_docs) == (len(lists), len(records))
assert header.total_terms_in_collection == sum(lengths) and header.average_doclength == sum(lengths) / len(lengths)
urls = [record.collection_docid for record in records]
assert [record.docid for record in records] == list(range(len(urls))) and urls == sorted(urls)
assert set(urls) == {url for url, page in told.items() if page["verdict"]["index"]}

terms = [one.term.encode() for one in lists]
assert terms == sorted(set(terms))
found = [Counter() for _ in urls]
for one in lists:
    at = 0
    for number, posting in enumerate(one.postings):
        assert posting.tf > 0 and (posting.docid > 0 or number == 0)
        at += posting.docid
        found[at][one.term] = posting.tf
    assert (one.df, one.cf) == (len(one.postings), sum(posting.tf for posting in one.postings))
assert [counts.total() for counts in found] == lengths

compared = 0
for url, counts in zip(urls, found):
    texts = told[url]["title"] + told[url]["phrases"]
    if all(text.isascii() for text in texts):
        # What is a word is told by UAX #29: letters with an apostrophe or a stop between them, digits with a comma.
        words = re.findall(r"[a-z0-9_]+(?:(?<=[a-z])['.:](?=[a-z])[a-z0-9_]+|(?<=[0-9])[.,;'](?=[0-9])[a-z0-9_]+)*", "\n".join(texts).lower())
        assert counts == Counter(words), (url, counts - Counter(words), Counter(words) - counts)
        compared += 1
assert compared > 10
print(f"{path}: {len(lists)} words in {len(records)} pages, {sum(lengths)} occurrences; {compared} pages compared word by word")
