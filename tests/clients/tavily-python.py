"""Every method of tavily-python, sync and async, against the gateway whose address and key are given; prints one JSON object."""

import asyncio
import json
import sys
import time

from tavily import AsyncTavilyClient, TavilyClient

url, key, poor = sys.argv[1:4]
MILL = "https://mill.example/"


def outcome(run):
    try:
        return run()
    except Exception as thrown:  # The name of the class is what a caller catches.
        return {"raised": type(thrown).__name__, "message": str(thrown)}


def polled(client, taken):
    for _ in range(200):
        state = client.get_research(taken["request_id"])
        if state["status"] in ("completed", "failed"):
            return state
        time.sleep(0.1)
    return {"status": "never"}


def sync():
    client = TavilyClient(api_key=key, api_base_url=url)
    wrong = TavilyClient(api_key="tvly-wrong", api_base_url=url)
    spent = TavilyClient(api_key=poor, api_base_url=url)
    seen = {
        "search": client.search("tidal mills"),
        "every_option": client.search(
            "tidal mills",
            search_depth="advanced",
            topic="news",
            days=7,
            max_results=3,
            include_answer="advanced",
            include_raw_content="markdown",
            include_images=True,
            include_favicon=True,
            include_usage=True,
            chunks_per_source=2,
            country="United States",
        ),
        "extract": client.extract([MILL, "https://gone.example/"]),
        "extract_one": client.extract(MILL, format="text"),
        "crawl": client.crawl(MILL, limit=2, max_depth=2, select_paths=["/.*"]),
        "map": client.map("mill.example", limit=5),
        "qna": client.qna_search("tidal mills"),
        # Counting tokens needs a file from the web the first time.
        "context": outcome(lambda: client.get_search_context("tidal mills")),
        "research": polled(client, client.research("tidal mills", model="mini")),
        "stream": b"".join(client.research("water wheels", model="mini", stream=True)).decode(),
        "unknown_research": outcome(lambda: client.get_research("5555")),
        "too_short": outcome(lambda: client.search("q")),
        "bad_topic": outcome(lambda: client.search("mills", topic="sports")),
        "wrong_key": outcome(lambda: wrong.search("tidal mills")),
        "no_start": outcome(lambda: client.crawl("")),
    }
    for index in range(10):
        spent.search(f"mills {index}", provider="tavily")
    seen["spent"] = outcome(lambda: spent.search("one more", provider="tavily"))
    return seen


async def asynchronous():
    client = AsyncTavilyClient(api_key=key, api_base_url=url)
    wrong = AsyncTavilyClient(api_key="tvly-wrong", api_base_url=url)

    async def failure(coroutine):
        try:
            return await coroutine
        except Exception as thrown:
            return {"raised": type(thrown).__name__, "message": str(thrown)}

    streamed = b""
    async for chunk in await client.research("water wheels", model="mini", stream=True):
        streamed += chunk
    return {
        "search": await client.search("tidal mills"),
        "extract": await client.extract([MILL]),
        "crawl": await client.crawl(MILL, limit=2),
        "map": await client.map(MILL),
        "qna": await client.qna_search("tidal mills"),
        "research": await client.research("tidal mills", model="mini"),
        "stream": streamed.decode(),
        "too_short": await failure(client.search("q")),
        "wrong_key": await failure(wrong.search("tidal mills")),
    }


print(json.dumps({"sync": sync(), "async": asyncio.run(asynchronous())}))
