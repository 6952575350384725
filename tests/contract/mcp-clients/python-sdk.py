"""The Python SDK."""

import asyncio
import json
import sys

import httpx2
from mcp import Client
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client


async def visit(url: str, wire: str, headers: dict[str, str], call: dict) -> dict:
    async with httpx2.AsyncClient(headers=headers) as http:
        transport = sse_client(url, headers) if wire == "sse" else streamable_http_client(url, http_client=http)
        async with Client(transport, mode="2026-07-28" if wire == "stateless" else "legacy") as client:
            names = [tool.name for tool in (await client.list_tools()).tools]
            result = await client.call_tool(call["name"], call["arguments"])
    return {"names": names, "result": result.model_dump(by_alias=True)}


async def main() -> None:
    print(json.dumps([await visit(**each) for each in json.loads(sys.argv[1])]))


asyncio.run(main())
