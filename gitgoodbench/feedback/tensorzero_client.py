"""A TensorZero gateway over HTTP: what of it feedback needs, and what its answers mean.

| answer | means | raised |
|---|---|---|
| no connection, 429, 500, 503 (after some tries) | not taken, perhaps later | OSError |
| the connection broke while it was waited for, 502, 504 | perhaps taken | Unsure |
| 401, 403, a metric that is not configured, something that is no gateway | nothing will be taken | UserError |
| any other 4xx | this one will never be taken | Refused |

A 200 says that feedback is valid. It is stored later, and whether that worked is not said.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from gitgoodbench.errors import UserError
from gitgoodbench.feedback.contract import Place, Refused, Unsure
from gitgoodbench.text import one_line

if TYPE_CHECKING:  # it takes a while to import, and most commits talk to no gateway
    import requests

KEY: Final = "TENSORZERO_API_KEY"
"""The environment variable with the key of a gateway that asks for one."""

TIMEOUTS: Final = (5.0, 60.0)
"""Seconds for the connection, and for the answer: a gateway waits six seconds for an inference it does not know."""
PAUSES: Final = (0.5, 1.5)
"""Seconds before each further try."""
PAGE: Final = 100
"""Inferences that are asked for at once."""

UUID7: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")

_NEVER_LEFT: Final = re.compile("NewConnectionError|NameResolutionError")
"""Errors of connections that were never made."""
_BUSY: Final = (429, 500, 503)
_BROKEN: Final = (502, 504)
_CONFIGURATION: Final = re.compile(
    r"Unknown metric|Invalid metric name|is not a float metric|must be a boolean|Correct ID was not provided"
    r"|Unknown function"
)
"""What a gateway says of every item alike, since it is configured otherwise than this sink."""

Inference = Mapping[str, Any]


class Gateway:
    """A gateway. Any number of threads may use it."""

    def __init__(self, url: str, key: str | None = None, *, sleep: Callable[[float], None] = time.sleep) -> None:
        """Take its address.

        Raises:
            UserError: that is no address.
        """
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
            raise UserError(f"TensorZero: {one_line(url)!r} is no address: give url=http://HOST:PORT")
        self.url = url.rstrip("/")
        self.key = key
        self._sleep = sleep
        self._threads = threading.local()
        self._internal = True

    def feedback(self, body: Mapping[str, Any]) -> str:
        """Give feedback; its id.

        Raises:
            Refused, Unsure, OSError, UserError: see the table above.
        """
        answer = self._ask("POST", "/feedback", body, repeats=False)
        return str(answer.get("feedback_id", ""))

    def inferences(self, ids: Iterable[str], *, demonstrations: bool = False) -> dict[str, Inference]:
        """Inferences by id, those that are there; with their latest demonstration as output, where they have one."""
        body = {"ids": list(ids), "output_source": "demonstration" if demonstrations else "inference"}
        return {one["inference_id"]: one for one in self._listed("/v1/inferences/get_inferences", body)}

    def page(self, **body: Any) -> list[Inference]:
        """A page of inferences, as `POST /v1/inferences/list_inferences` takes its body."""
        return self._listed("/v1/inferences/list_inferences", {"output_source": "inference", **body})

    def feedback_of(self, inference: str) -> list[Mapping[str, Any]] | None:
        """All feedback of an inference with its tags; None where the gateway does not offer that (it may not)."""
        if not self._internal:
            return None
        try:
            answer = self._ask("GET", f"/internal/feedback/{inference}?limit={PAGE}", None, repeats=True)
        except (Refused, UserError):
            self._internal = False
            return None
        found = answer.get("feedback")
        return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else None

    def _listed(self, path: str, body: Mapping[str, Any]) -> list[Inference]:
        found = self._ask("POST", path, body, repeats=True).get("inferences")
        if not isinstance(found, list):
            raise UserError(f"{self.url} does not answer as a TensorZero gateway: {path} gives no inferences")
        return [one for one in found if isinstance(one, dict) and isinstance(one.get("inference_id"), str)]

    def _ask(self, method: str, path: str, body: Mapping[str, Any] | None, *, repeats: bool) -> dict[str, Any]:
        """Ask, and again where that is safe. repeats: it is, even if the request may have arrived."""
        for pause in (*PAUSES, None):
            try:
                return self._ask_once(method, path, body)
            except Unsure as problem:
                if pause is None or not repeats or isinstance(problem, _TooSlow):
                    raise
            except OSError:
                if pause is None:
                    raise
            self._sleep(pause)
        raise AssertionError("the last try returns or raises")

    def _ask_once(self, method: str, path: str, body: Mapping[str, Any] | None) -> dict[str, Any]:
        from requests.exceptions import RequestException

        try:
            response = self._session.request(
                method, f"{self.url}{path}", json=body, timeout=TIMEOUTS, allow_redirects=False
            )
        except RequestException as problem:
            raise _problem(self.url, problem) from problem
        text = _error_text(response)
        match response.status_code:
            case 200:
                return self._json(response)
            case 401 | 403:
                raise UserError(f"{self.url} refuses the key ({text}): set {KEY}")
            case status if status in _BUSY:
                raise OSError(f"{self.url} answers {status}: {text}")
            case status if status in _BROKEN:
                raise Unsure(f"{self.url} answers {status}: {text}")
            case 400 | 404 if _CONFIGURATION.search(text):
                raise UserError(f"{self.url} answers: {text}")
            case 404 | 405:
                raise UserError(f"{self.url}{path}: not found: is this the address of a TensorZero gateway? ({text})")
            case status if 400 <= status < 500:
                raise Refused(text)
            case status:
                raise UserError(f"{self.url} does not answer as a TensorZero gateway: status {status}")

    def _json(self, response: requests.Response) -> dict[str, Any]:
        try:
            answer = response.json()
        except ValueError:
            answer = None
        if not isinstance(answer, dict):
            raise UserError(f"{self.url} does not answer as a TensorZero gateway: it sends no JSON object")
        return answer

    @property
    def _session(self) -> requests.Session:
        """The connections of this thread."""
        session: requests.Session | None = getattr(self._threads, "session", None)
        if session is None:
            import requests

            session = self._threads.session = requests.Session()
            if self.key:
                session.headers["Authorization"] = f"Bearer {self.key}"
        return session


class _TooSlow(Unsure):
    """It was waited for as long as one may wait."""


def gateway_of(place: Place) -> Gateway:
    """The gateway that the options name.

    Raises:
        UserError: they name none.
    """
    url = place.options.get("url")
    if not url:
        raise UserError("TensorZero: no gateway is named: give url=http://HOST:PORT")
    return Gateway(url, place.environment.get(KEY))


def _problem(url: str, problem: requests.RequestException) -> OSError | UserError:
    """What an error of the connection means: whether the request may have arrived."""
    from requests import exceptions

    match problem:
        case exceptions.ReadTimeout():
            return _TooSlow(f"{url} does not answer within {TIMEOUTS[1]:.0f} s")
        case exceptions.ConnectTimeout():
            return OSError(f"{url} cannot be reached within {TIMEOUTS[0]:.0f} s")
        case exceptions.SSLError() | exceptions.ProxyError():
            return OSError(f"{url}: {one_line(str(problem))}")
        case exceptions.ConnectionError() if _NEVER_LEFT.search(repr(problem)):
            return OSError(f"{url} cannot be reached: is the gateway running?")
        case exceptions.ConnectionError():
            return Unsure(f"{url}: the connection broke")
        case exceptions.ChunkedEncodingError() | exceptions.ContentDecodingError():
            return Unsure(f"{url}: the answer broke off")
    return UserError(f"{url}: {one_line(str(problem))}")


def _error_text(response: requests.Response) -> str:
    """What the gateway says, on one line."""
    if response.status_code == 200:
        return ""
    try:
        said = response.json()
    except ValueError:
        said = response.text
    if isinstance(said, dict):
        said = said.get("error", said)
    if isinstance(said, dict):
        said = said.get("message", said)
    return one_line(str(said)) or response.reason
