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


def call(path, body, retries=2, timeout=60):
    """Posts JSON, and repeats what may succeed later."""
    headers = {"Content-Type": "application/json"}
    if API_KEY:
        headers["Authorization"] = f"Bearer {API_KEY}"
    request = urllib.request.Request(BASE_URL + path, json.dumps(body).encode(), headers)
    for attempt in range(retries + 1):
        try:
            with urllib.request.urlopen(request, timeout=timeout) as response:
                return json.load(response)
        except urllib.error.HTTPError as refused:
            try:
                detail = json.load(refused)["detail"]
            except (ValueError, KeyError):
                detail = {"error": "A proxy answered, not the gateway."}
            if attempt == retries or not detail.get("retryable", False):
                retryable = str(detail.get("retryable", False)).lower()
                sys.exit(f"{refused.code} {detail.get('code')}: {detail['error']} (retryable: {retryable})")
            wait = refused.headers.get("Retry-After", "")
            time.sleep(min(10, int(wait) if wait.isdigit() else 2**attempt))
        except urllib.error.URLError as error:
            sys.exit(f"The gateway at {BASE_URL} cannot be reached: {error.reason}")


query = " ".join(sys.argv[1:]) or "tidal mills"
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
