"""A gateway over plain HTTP, with Python's standard library only: search, read, and an error that says what to do.

    headgate serve
    HEADGATE_URL=http://127.0.0.1:8787 HEADGATE_API_KEY=hg_live_… python3 examples/plain_http.py "tidal mills"
"""

import json
import os
import sys
import time
import urllib.error
import urllib.request

BASE_URL = os.environ.get("HEADGATE_URL", "http://127.0.0.1:8787")
API_KEY = os.environ.get("HEADGATE_API_KEY", "")


class GatewayError(Exception):
    """What the gateway says when it refuses or fails."""

    def __init__(self, status, detail, retry_after):
        super().__init__(detail.get("error", f"The gateway answered {status} without a reason."))
        self.status = status
        self.code = detail.get("code")
        self.retryable = detail.get("retryable", status in (429, 503, 504))
        self.remediation = detail.get("remediation")
        self.retry_after = retry_after


def call(path, body, retries=2, timeout=60):
    """Posts JSON, and repeats what may succeed later. GET /usage and others work alike."""
    headers = {"Content-Type": "application/json"}
    if API_KEY:
        headers["Authorization"] = f"Bearer {API_KEY}"
    request = urllib.request.Request(BASE_URL + path, json.dumps(body).encode(), headers)
    for attempt in range(retries + 1):
        try:
            with urllib.request.urlopen(request, timeout=timeout) as response:
                return json.load(response)
        except urllib.error.HTTPError as refused:
            error = to_error(refused)
        if attempt == retries or not error.retryable:
            raise error
        time.sleep(min(10, error.retry_after if error.retry_after is not None else 2**attempt))


def to_error(refused):
    try:
        detail = json.load(refused).get("detail", {})
    except (ValueError, AttributeError):
        detail = {}  # A proxy answered, not the gateway.
    detail = {"error": detail} if isinstance(detail, str) else detail
    wait = refused.headers.get("Retry-After", "")
    return GatewayError(refused.code, detail, int(wait) if wait.isdigit() else None)


def main(query):
    found = call("/search", {"query": query, "max_results": 3})
    print(f"{found['outcome']}: {len(found['results'])} results")
    for hit in found["results"]:
        print(f"- {hit['title']} {hit['url']}")

    # A page that cannot be read is no error: it is listed apart, with the reason.
    read = call("/extract", {"urls": [hit["url"] for hit in found["results"][:2]], "query": query})
    for page in read["results"]:
        print(f"{page['url']}: {len(page['raw_content'])} characters")
    for page in read["failed_results"]:
        print(f"{page['url']}: {page['error']}")


if __name__ == "__main__":
    try:
        main(" ".join(sys.argv[1:]) or "tidal mills")
    except GatewayError as error:
        sys.exit(f"{error.status} {error.code}: {error} (retryable: {str(error.retryable).lower()})")
    except urllib.error.URLError as error:
        sys.exit(f"The gateway at {BASE_URL} cannot be reached: {error.reason}")
