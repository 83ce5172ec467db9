"""What the wrappers in Python share: the protocol of corpus/suite, for subjects that read a robots.txt."""
import base64
import glob
import importlib.metadata
import io
import json
import os
import signal
import sys
import urllib.error
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
DIR = os.environ.get("SUITE_DIR") or os.path.join(HERE, "..", "..", "target", "suite")
sys.path[:0] = glob.glob(os.path.join(DIR, "venv", "lib", "python3*", "site-packages"))


def body(case):
    """The bytes of the robots.txt; None if the case has none."""
    if "robots_b64" in case:
        return base64.b64decode(case["robots_b64"])
    return case["robots"].encode() if "robots" in case else None


def serve(robots, status):
    """Lets urllib, in this process, get this answer for any URL."""

    def urlopen(*_, **__):
        if status // 100 != 2:
            raise urllib.error.HTTPError("/robots.txt", status, "", {}, None)
        return io.BytesIO(robots)

    urllib.request.urlopen = urlopen


def version(package):
    """The installed version; ends with 3 if there is none."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        print(f"{package} is not installed in {DIR}", file=sys.stderr)
        sys.exit(3)


def late(_signal, _frame):
    raise TimeoutError("no answer within 5 seconds")


def run(name, version_of, promises, load, fetches=False):
    """load() imports the program and returns may(bot, url, bytes); if it fetches, serve() has what it gets."""
    if "--promises" in sys.argv:
        return print("\n".join(promises))
    number = version_of()
    if "--version" in sys.argv:
        return print(name, number)
    may = load()
    signal.signal(signal.SIGALRM, late)
    for line in sys.stdin:
        case = json.loads(line)
        answer = {"id": case["id"]}
        robots, status = body(case), case.get("robots_status", 200)
        if robots is None or (status // 100 != 2 and not fetches):
            answer["unsupported"] = True
        else:
            serve(robots, status)
            signal.alarm(5)
            try:
                answer["uses"] = {"enter": bool(may(case["bot"], case["url"], robots))}
            except Exception as error:  # whatever a subject raises is its failure
                answer["error"] = repr(error)[:200]
            signal.alarm(0)
        print(json.dumps(answer), flush=True)
