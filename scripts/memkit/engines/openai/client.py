"""The client that asks: no redirects, no proxy to this machine, and an end to answers that only trickle."""

from __future__ import annotations

import ssl
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

import httpx2
import openai

from memkit.errors import ConfigError

if TYPE_CHECKING:
    from memkit.engines.openai.server import Settings


def client(settings: Settings, *, tries: int) -> openai.OpenAI:
    """Raises ConfigError where the environment's proxies or certificates can't be used."""

    def limit(response: httpx2.Response) -> None:
        if isinstance(response.stream, httpx2.SyncByteStream):
            response.stream = _Limited(response.stream, seconds=settings.timeout, request=response.request)

    try:
        http = openai.DefaultHttpxClient(
            # A server that sends one elsewhere would get evidence to a host that nobody allowed.
            follow_redirects=False,
            # A proxy on the way to this machine is another machine.
            trust_env=not settings.here,
            # The client's own timeout is for each part of an answer, not for the whole.
            event_hooks={"response": [limit]},
        )
        return openai.OpenAI(
            base_url=settings.base_url,
            api_key=settings.api_key,
            timeout=settings.timeout,
            max_retries=tries,
            http_client=http,
        )
    except (ValueError, httpx2.InvalidURL, ssl.SSLError, OSError, ImportError, openai.OpenAIError) as error:
        raise ConfigError(
            f"the connection to the model's server can't be set up ({type(error).__name__})",
            mend="see to openai.base_url, HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and SSL_CERT_FILE",
        ) from error


class _Limited(httpx2.SyncByteStream):
    """A body that has to be there within some seconds from its first part on."""

    def __init__(self, body: httpx2.SyncByteStream, *, seconds: float, request: httpx2.Request) -> None:
        self._body = body
        self._end = time.monotonic() + seconds
        self._request = request

    def __iter__(self) -> Iterator[bytes]:
        for part in self._body:
            if time.monotonic() > self._end:
                raise httpx2.ReadTimeout("the answer did not come to its end", request=self._request)
            yield part

    def close(self) -> None:
        self._body.close()
