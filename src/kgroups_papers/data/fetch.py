"""A file from the network: over https alone, and within limits of time and size."""

import time
from collections.abc import Callable
from http.client import HTTPException, HTTPResponse
from typing import IO, Any
from urllib.error import HTTPError, URLError
from urllib.request import HTTPRedirectHandler, Request, build_opener

from kgroups import __version__
from kgroups.exceptions import DataError

#: Told the address, the bytes that are here, and how many there will be where the server says so.
Progress = Callable[[str, int, int | None], None]

#: No original file has a quarter of this, packed or unpacked.
MOST_BYTES = 1 << 26
_SILENCE = 30.0
_MOST_SECONDS = 600.0
_PIECE = 1 << 16
# Python refuses to read numbers of thousands of digits.
_MOST_DIGITS = 20


def fetch(url: str, progress: Progress | None = None, *, prefix: str = "https://") -> bytes:
    """What lies at ``url``; this address and all it is redirected to begin with ``prefix``.

    Raises
    ------
    DataError
        With the address and the reason, when nothing or too much comes.
    """
    _check_prefix(url, prefix)
    opener = build_opener(_Redirects(prefix))
    opener.addheaders = [("User-Agent", f"kgroups/{__version__}")]
    try:
        with opener.open(url, timeout=_SILENCE) as response:
            return _body(response, url, progress)
    # ValueError is what redirections to addresses that are none end in.
    except (OSError, HTTPException, ValueError) as error:
        raise DataError(f"{url} could not be fetched: {_reason(error)}.") from error


class _Redirects(HTTPRedirectHandler):
    """Follows redirections, but none to another scheme."""

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix

    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: Any, newurl: str
    ) -> Request | None:
        """Follow to addresses of the same kind only."""
        fp.close()
        _check_prefix(newurl, self.prefix)
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _check_prefix(url: str, prefix: str) -> None:
    if not url.startswith(prefix):
        raise DataError(f"{url} is not fetched: its address does not begin with {prefix}.")


def _body(response: HTTPResponse, url: str, progress: Progress | None) -> bytes:
    total = _announced(response, url)
    deadline = time.monotonic() + _MOST_SECONDS
    body = bytearray()
    # What has come, however little: to wait for a whole piece may take longer than allowed.
    while piece := response.read1(_PIECE):
        body += piece
        if len(body) > MOST_BYTES:
            raise _too_large(url)
        if time.monotonic() > deadline:
            raise TimeoutError(f"it was not here after {_MOST_SECONDS:.0f} seconds")
        if progress is not None:
            progress(url, len(body), total)
    if total is not None and len(body) != total:
        raise ConnectionError(f"{len(body):,} of {total:,} bytes came")
    return bytes(body)


def _announced(response: HTTPResponse, url: str) -> int | None:
    """How many bytes there will be, where the server says so."""
    text = response.headers.get("Content-Length", "")
    if not text.isdecimal():
        return None
    if len(text) > _MOST_DIGITS or int(text) > MOST_BYTES:
        raise _too_large(url)
    return int(text)


def _too_large(url: str) -> DataError:
    return DataError(f"{url} sends more than {MOST_BYTES >> 20} MiB; it is not the file.")


def _reason(error: Exception) -> str:
    if isinstance(error, HTTPError):
        error.close()
        return f"the server answers {error.code} {error.reason}"
    reason = error.reason if isinstance(error, URLError) else error
    if isinstance(reason, OSError) and reason.strerror:
        return reason.strerror
    return str(reason) or type(reason).__name__
