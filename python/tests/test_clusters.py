"""docs/guides/clusters.md: its jobs for Spark, datatrove and Ray Data run as they stand there, as far as one machine goes. Its loop of
masks is run with the other guides (cli/tests/program/guides.rs).
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from archives import members, response
from conftest import ROOT
from stores import store

import heedful

RULES = b"User-agent: *\nDisallow: /private/"
# One for all, one that may not be trained on, one that a robots.txt may forbid.
PAGES = {"open/1": "<p>Rye", "open/2": "<meta name=robots content=noai><p>Spelt", "private/1": "<p>Oats"}


def is_here(*modules: str) -> bool:
    return all(importlib.util.find_spec(module) for module in modules)


def block(section: str, language: str) -> str:
    """What stands in a section of the guide, in a language."""
    guide = (ROOT / "docs/guides/clusters.md").read_text()
    (text,) = re.findall(rf"^## {section}\n(.*?)(?=^## |\Z)", guide, re.DOTALL | re.MULTILINE)
    (found,) = re.findall(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    return str(found)


def ran(folder: Path, *command: str, **environment: str) -> str:
    """What a command says that ends well. Modules that stand in the folder are not found: the package is the installed one."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("PYSPARK", "SPARK"))}
    variables = inherited | {"PATH": path, "PYTHONSAFEPATH": "1"} | environment
    done = subprocess.run(command, cwd=folder, env=variables, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    return done.stdout + done.stderr


def pages(site: str) -> list[bytes]:
    return [response(f"https://{site}.example/{path}", html.encode(), Content_Type="text/html") for path, html in PAGES.items()]


def rules(site: str) -> bytes:
    return response(f"https://{site}.example/robots.txt", RULES, Content_Type="text/plain")


@pytest.mark.skipif(not is_here("pyspark"), reason="Spark is not installed")
def test_a_job_that_is_sent_with_spark_submit(tmp_path: Path) -> None:
    import pyspark

    home = Path(pyspark.__file__).parent
    package = tmp_path / "package"
    shutil.copytree(Path(heedful.__file__).parent, package / "heedful")
    shutil.make_archive(str(tmp_path / "heedful"), "zip", package)
    with store() as server:
        server.objects |= {f"{site}.warc.gz": b"".join(members(pages(site))) for site in ("a", "b", "c")}
        # The robots.txt files stand in an archive of their own. Of the third site there is none.
        server.objects["robots.warc.gz"] = b"".join(members([rules("a"), rules("b")]))
        names = [server.s3(name).replace("s3://", "s3a://") for name in [*server.objects, "gone.warc.gz"]]
        (tmp_path / "manifest.txt").write_text("\n".join(names))
        told = ran(
            tmp_path,
            "bash",
            "-e",
            "-c",
            block("Spark", "bash"),
            PATH=f"{home / 'bin'}{os.pathsep}{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            MASTER="local-cluster[2,1,1024]",
            MANIFEST=str(tmp_path / "manifest.txt"),
            OUT=str(tmp_path / "texts"),
            SPARK_HOME=str(home),
            SPARK_LOCAL_IP="127.0.0.1",
            AWS_EC2_METADATA_DISABLED="true",
        )
    assert "1 of 5 archives failed" in told and "2 texts; 1 failed" in told
    rows = pq.read_table(tmp_path / "texts", partitioning=None).to_pylist()
    assert sorted(row["url"] for row in rows if row["error"] is None) == ["https://a.example/open/1", "https://b.example/open/1"]


@pytest.mark.skipif(not is_here("datatrove"), reason="datatrove is not installed")
def test_a_pipeline_of_datatrove(tmp_path: Path) -> None:
    (tmp_path / "crawl").mkdir()
    for site in ("a", "b", "c"):
        (tmp_path / "crawl" / f"pages-{site}.warc").write_bytes(b"".join(pages(site)))
    (tmp_path / "robots.warc").write_bytes(rules("a") + rules("b"))
    (tmp_path / "job.py").write_text(block("datatrove", "python"))
    ran(tmp_path, sys.executable, "job.py")
    ids = [row["id"] for file in (tmp_path / "texts").iterdir() for row in pq.read_table(file).to_pylist()]
    assert sorted(ids) == ["https://a.example/open/1", "https://b.example/open/1"]
    stats = (tmp_path / "logs" / "stats.json").read_text()
    assert "dropped_robots_txt" in stats and "dropped_no_train" in stats


@pytest.mark.skipif(not is_here("ray"), reason="Ray is not installed")
def test_ray_data(tmp_path: Path) -> None:
    rows = [{"url": f"https://{site}.example/{path}", "html": html} for site in "ab" for path, html in PAGES.items()]
    rows.insert(5, {"url": "https://a.example/robots.txt", "html": RULES.decode()})
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "pages.parquet", row_group_size=2)
    shutil.copy(ROOT / "python/examples/ray_data.py", tmp_path)
    ran(tmp_path, "bash", "-e", "-c", block("Ray Data", "bash"), RAY_USAGE_STATS_ENABLED="0")
    texts = {row["url"]: row["text"] for row in pq.read_table(tmp_path / "texts").to_pylist()}
    assert texts == {
        "https://a.example/open/1": "Rye",
        "https://b.example/open/1": "Rye",
        "https://b.example/private/1": "Oats",
    }
