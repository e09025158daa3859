"""Talks to Tabiya's tools with the official client, in both versions of the protocol.

usage: mcp_client.py stdio PROGRAM FOLDER
       mcp_client.py http ADDRESS TOKEN
"""

import asyncio
import json
import sys

import httpx2
import mcp
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client


async def talk(server, mode):
    """Everything that a client asks; the client itself compares answers with the schemas of the tools."""
    async with mcp.Client(server, mode=mode) as client:
        version = client.session.protocol_version
        assert version == ("2025-11-25" if mode == "legacy" else "2026-07-28"), version
        tools = (await client.list_tools()).tools
        names = [tool.name for tool in tools]
        assert names[:4] == ["bases", "search", "game", "position"] and len(names) <= 20, names
        assert all(tool.input_schema["additionalProperties"] is False for tool in tools)
        assert all(tool.output_schema["type"] == "object" for tool in tools)
        resources = (await client.list_resources()).resources
        assert [str(resource.uri) for resource in resources] == ["tabiya://query", "tabiya://guide"]
        text = (await client.read_resource("tabiya://query")).contents[0].text
        assert "material:" in text

        async def call(name, /, **arguments):
            result = await client.call_tool(name, arguments)
            assert not result.is_error, (name, result.content[0].text)
            assert json.loads(result.content[0].text) == result.structured_content
            told = result.structured_content
            while told.get("job", {}).get("state") == "running":
                told = (await client.call_tool("job", {"job": told["job"]["id"]})).structured_content
            return told.get("answer", told) if name != "job" else told

        base = (await call("bases"))["bases"][0]["base"]
        assert (await call("bases", base=base))["bases"][0]["info"]["games"] == 37
        found = await call("search", query="ends:mate eco:C")
        assert found["total"] == 5
        number = found["rows"][0]["number"]
        game = await call("game", base=base, game=number)
        assert game["nodes"][0]["id"] == "start"
        node = game["nodes"][-1]["id"]
        assert (await call("position", base=base, game=number, node=node))["state"] == "checkmate"
        assert (await call("position"))["legal_moves"].count("Nf3") == 1
        assert (await call("explore", line="1.e4"))["games"] > 10
        assert (await call("stats"))["games"] == 37
        assert (await call("player", name="Morphy"))["player"] == "Morphy"
        assert (await call("crosstable", event="World Championship"))["whole"]
        assert (await call("novelty", games="31"))["games"] == 1
        assert (await call("duplicates"))["count"] == 2
        assert (await call("convert", format="cbf"))["written"] is False
        assert (await call("job"))["jobs"] is not None
        for name, arguments in [
            ("search", {"query": "white:("}),
            ("search", {"nonsense": 1}),
            ("position", {"line": "1.e5"}),
            ("game", {"base": base, "game": 999}),
        ]:
            result = await client.call_tool(name, arguments)
            assert result.is_error and json.loads(result.content[0].text)["code"], name
        for name, arguments in [("no-such-tool", {})]:
            try:
                await client.call_tool(name, arguments)
            except mcp.MCPError as error:
                assert error.code == -32602, error
            else:
                raise AssertionError(f"{name} is no tool")


async def main():
    kind, where, what = sys.argv[1:]
    for mode in ("legacy", "2026-07-28", "auto"):
        if kind == "stdio":
            await talk(StdioServerParameters(command=where, args=["mcp", what]), mode)
        else:
            headers = {"Authorization": f"Bearer {what}"}
            async with httpx2.AsyncClient(headers=headers) as http:
                await talk(streamable_http_client(where, http_client=http), mode)
        print(f"{kind}, {mode}: as it should be")


asyncio.run(main())
