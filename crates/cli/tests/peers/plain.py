"""Reads PGN of bare games, without variations, in the plainest way: whole corpora in less than a minute."""

import re


def games_of(path):
    """The tags of each game, and the words of its moves."""
    tags, lines = {}, []
    with open(path, encoding="utf-8") as file:
        for line in file:
            found = re.fullmatch(r'\[(\w+) "(.*)"\]', line.rstrip())
            if found and lines:
                yield tags, words_of(tags, " ".join(lines))
                tags, lines = {}, []
            if found:
                tags[found[1]] = re.sub(r'\\(["\\])', r"\1", found[2])
            elif line.strip():
                lines.append(line.strip())
    if tags:
        yield tags, words_of(tags, " ".join(lines))


def words_of(tags, moves):
    # Men that are dropped are kept as text by Tabiya, and are no moves.
    if tags.get("Variant", "").lower() == "crazyhouse":
        return []
    words = []
    # What comments there are hold what engines said.
    parts = re.split(r"\d+\.+", re.sub(r"\{[^}]*\}", " ", moves))
    for some in parts:
        some = [word for word in some.split() if word not in ("1-0", "0-1", "1/2-1/2", "*")]
        # What cannot be played is kept as text, and has no numbers where all others have.
        if len(parts) > 1 and len(some) > 2:
            return words + some[:2]
        words += some
    return words


def date_of(text):
    """Year, month and day, nothing for what is not known; a month that is none has changed places with the day."""
    found = re.fullmatch(r"(\d{4}|\?{4})\.(\d\d|\?\?)\.(\d\d|\?\?)", text)
    parts = [int(part) if part.isdigit() else 0 for part in found.groups()] if found else [0, 0, 0]
    year, month, day = (part or None for part in parts)
    return [year, day, month] if month and day and month > 12 >= day else [year, month, day]


def dotted(text):
    """A date as it is shown: with its parts in their places."""
    year, month, day = date_of(text)
    return ".".join((f"{year:04}" if year else "????", f"{month:02}" if month else "??", f"{day:02}" if day else "??"))
