"""Looks through what `tabiya names --of players --json` says of a PGN file of bare games, by plain counting.

usage: names.py GAMES.pgn ANSWER.json

Every figure must be that of the games, no two names of a group may have what speaks against them, and of two names that differ in case,
accents and signs alone, or in that given names are cut to initials or missing, one must be shown unless something speaks against them.
Says how many figures and pairs it looked at; the first difference ends it.
"""

import collections
import json
import re
import sys
import unicodedata

from plain import date_of, games_of

LIFE, APART, NEAR = 80, 250, 50


class Name:
    def __init__(self):
        self.games = 0
        self.years = []
        self.elos = []
        self.opponents = set()
        self.events = set()
        self.rated = collections.defaultdict(list)


def gather(path):
    names = collections.defaultdict(Name)
    for tags, _ in games_of(path):
        year = date_of(tags.get("Date", ""))[0]
        both = [tags.get(side, "") for side in ("White", "Black")]
        for name in set(both):
            names[name].games += 1
        for side, name, opponent in (("White", both[0], both[1]), ("Black", both[1], both[0])):
            known = names[name]
            known.opponents.add(opponent)
            if year:
                known.years.append(year)
            if tags.get("Event", "") not in ("", "?"):
                known.events.add((tags["Event"], tags.get("Site", ""), year))
            elo = tags.get(f"{side}Elo", "")
            if elo.isascii() and elo.isdigit() and int(elo):
                known.elos.append(int(elo))
                if year:
                    known.rated[year].append(int(elo))
    return names


def span(values):
    return [min(values), max(values)] if values else None


def judge(names, one, other):
    """What speaks for two names being one, or nothing where something speaks against it."""
    a, b = names[one], names[other]
    if other in a.opponents or a.events & b.events:
        return None
    evidence, near = [], False
    for year in a.rated.keys() & b.rated.keys():
        low, high = span(a.rated[year])
        for elo in b.rated[year]:
            gap = max(low - elo, elo - high, 0)
            if gap > APART:
                return None
            near |= gap <= NEAR
    if a.years and b.years:
        (first, last), (their_first, their_last) = span(a.years), span(b.years)
        if max(last, their_last) - min(first, their_first) > LIFE:
            return None
        overlap = " overlap" if first <= their_last and their_first <= last else ""
        evidence.append(f"years {first}-{last} and {their_first}-{their_last}{overlap}")
    if a.elos and b.elos:
        alike = ", close in the same year" if near else ""
        (least, most), (their_least, their_most) = span(a.elos), span(b.elos)
        evidence.append(f"Elo {least}-{most} and {their_least}-{their_most}{alike}")
    common = len(a.opponents & b.opponents)
    if common:
        evidence.append("an opponent in common" if common == 1 else f"{common} opponents in common")
    return evidence + ["never in one event, never against each other"]


def bare(text):
    marks = unicodedata.normalize("NFD", text.casefold())
    return re.sub(r"[^a-z0-9]+", " ", "".join(sign for sign in marks if not unicodedata.combining(sign))).strip()


def pairs(names):
    """Names that are one in the plainest sense."""
    spelled, by_surname = collections.defaultdict(list), collections.defaultdict(list)
    for name in names:
        found = re.fullmatch(r"([^\W\d_]{3,}), ?([^\W\d_]+)(\.?)", name)
        if found:
            surname, given = bare(found[1]), bare(found[2])
            spelled[surname, given].append(name)
            if len(given) == 1 or len(given) >= 3 and not found[3]:
                by_surname[surname].append((given, name))
    for same in spelled.values():
        for at, name in enumerate(same):
            yield from ((name, other) for other in same[at + 1 :])
    for same in by_surname.values():
        for given, name in same:
            if len(given) == 1:
                yield from ((name, other) for longer, other in same if len(longer) > 1 and longer[0] == given)


def main(games, answer):
    names = gather(games)
    groups = json.load(open(answer, encoding="utf-8"))["groups"]
    figures, shown = 0, set()
    tops = {group["keep"]["name"]: group for group in groups}
    for group in groups:
        own = [group["keep"], *group["variants"]]
        for named in own:
            known = names[named["name"]]
            told = (named["games"], named["years"], named["elos"])
            plain = (known.games, span(known.years), span(known.elos))
            assert told == plain, f"{named['name']}: {told} and {plain}"
            figures += 3
            shown.add(named["name"])
        for variant in group["variants"]:
            others = [named["name"] for named in own]
            for top in variant["or"]:
                others += [top, *(named["name"] for named in tops.get(top, {}).get("variants", []))]
            all_evidence = [judge(names, one, two) for one in others for two in others if one != two]
            assert variant["evidence"] in all_evidence, f"{variant['name']}: {variant['evidence']}"
            figures += len(variant["evidence"])
    seen = 0
    for one, other in pairs(names):
        if judge(names, one, other) and judge(names, other, one):
            assert one in shown or other in shown, f"nobody says that {one!r} may be {other!r}"
            seen += 1
    print(f"{len(groups)} groups, {figures} figures, {seen} plain pairs")


main(*sys.argv[1:])
