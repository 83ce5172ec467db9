"""Sphinx with the index of an export, on a port of its own and in a folder of its own."""

import re
import shutil
import socket
import subprocess
import time

try:
    import pymysql
except ImportError:
    pymysql = None


def missing():
    """What is needed and not there."""
    programs = [name for name in ("searchd", "mysql") if not shutil.which(name)]
    return programs + ([] if pymysql else ["pymysql"])


class Server:
    """Sphinx with the index of an export, in a folder, until the end of a `with`."""

    def __init__(self, folder, configuration):
        (folder / "data").mkdir(parents=True)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        text = configuration.replace("/var/lib/sphinxsearch/data", str(folder / "data")).replace(":9306:", f":{self.port}:")
        text = re.sub(r"/var/(log|run)/sphinxsearch", str(folder), text)
        self.folder, self.file = folder, folder / "sphinx.conf"
        self.file.write_text(text)

    def __enter__(self):
        self.process = subprocess.Popen(["searchd", "--config", str(self.file), "--nodetach"], stdout=subprocess.DEVNULL)
        for _ in range(100):
            try:
                self.connection = pymysql.connect(host="127.0.0.1", port=self.port, user="", charset="utf8mb4", autocommit=True)
                return self
            except pymysql.err.OperationalError:
                assert self.process.poll() is None, (self.folder / "searchd.log").read_text()
                time.sleep(0.1)
        raise AssertionError("searchd does not answer")

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    def load(self, export):
        for file in sorted(export.glob("statements-*.sql")):
            with open(file, "rb") as statements:
                command = ["mysql", "-h127.0.0.1", f"-P{self.port}", "--default-character-set=utf8mb4", "--max-allowed-packet=128M"]
                subprocess.run(command, stdin=statements, check=True)

    def ask(self, statement):
        with self.connection.cursor() as cursor:
            cursor.execute(statement)
            return cursor.fetchall()

    def found(self, query, url=None):
        """The URLs of the pages that match; of one page, True if it does."""
        text = query.replace("\\", "\\\\").replace("'", "\\'")
        where = f" AND url = '{url}'" if url else ""
        urls = [row[0] for row in self.ask(f"SELECT url FROM heedful WHERE MATCH('{text}'){where} LIMIT 1000")]
        return bool(urls) if url else urls
