"""The server side over HTTP: POST /recommend {"query": …} → {"recs": [[query, score], …]}.

It keeps no log of requests. One query per request, no id.
"""

from __future__ import annotations

from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from crowdlog.applications.recommendation.merge import RecommendationServer
from crowdlog.json_safe import strict_json
from crowdlog.log.normalise import normalise

LONGEST = 1_000  # characters of a query
MOST = 1_000  # recommendations of an answer


def recommendation_app(server: RecommendationServer) -> Starlette:
    """An application that answers from one graph."""

    async def recommend(request: Request) -> JSONResponse:
        try:
            data: Any = strict_json(await request.body())
            query, top = data["query"], data.get("top", 100)
            good = isinstance(query, str) and len(query) <= LONGEST and isinstance(top, int)
        except (ValueError, KeyError, TypeError, AttributeError):
            good = False
        if not good:
            return JSONResponse({"error": 'Send {"query": a text of at most 1000 characters}.'}, 400)
        return JSONResponse({"recs": server.answer(normalise(query), max(1, min(top, MOST)))})

    return Starlette(routes=[Route("/recommend", recommend, methods=["POST"])])
