"""Asks the explorer of this server with the client of Lichess, as it comes from PyPI.

    python3 explorer.py ADDRESS TOKEN WRONG

Prints what it was answered as JSON; WRONG is a token that is not the server's.
"""

import json
import sys

import berserk

address, token, wrong = sys.argv[1:]


def client(token):
    return berserk.Client(session=berserk.TokenSession(token), explorer_url=address).opening_explorer


ours = client(token)
answers = {
    "lichess": ours.get_lichess_games(),
    "played": ours.get_lichess_games(play=["e2e4", "e7e5"], moves=1, top_games=1, recent_games=1),
    "fen": ours.get_lichess_games(position="rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"),
    "since": ours.get_lichess_games(since="1900-01", until="1999-12"),
    "rated": ours.get_lichess_games(ratings=["2200", "2500"], speeds=["classical"]),
    "masters": ours.get_masters_games(since=1950, until=1960, top_games=2),
    "player": ours.get_player_games("Tal", "white", recent_games=2),
    "streamed": list(ours.stream_player_games("Tal", "black")),
}
refused = []
for other, ask in [
    (client(wrong), lambda explorer: explorer.get_lichess_games()),
    (ours, lambda explorer: explorer.get_lichess_games(position="nonsense")),
    (ours, lambda explorer: explorer.get_lichess_games(variant="atomic")),
]:
    try:
        ask(other)
        refused.append(200)
    except berserk.exceptions.ResponseError as error:
        refused.append(error.status_code)
answers["refused"] = refused
print(json.dumps(answers, default=str))
