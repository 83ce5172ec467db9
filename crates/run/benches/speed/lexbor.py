"""Reads the text and the links of all pages of a folder with lexbor, and prints the processor seconds that this took.

    lexbor.py FOLDER

It is what a user of Python would write: without scripts and styles, and without regard to what a publisher asks. The
start of Python and its modules is not counted.
"""

import pathlib
import sys
import time

from selectolax.lexbor import LexborHTMLParser

started = time.process_time()
read = 0
for path in pathlib.Path(sys.argv[1]).iterdir():
    page = LexborHTMLParser(path.read_bytes())
    page.strip_tags(["script", "style"])
    text = page.text()
    links = [link.attributes["href"] for link in page.css("a[href]")]
    read += len(text) + len(links)
print(time.process_time() - started)
