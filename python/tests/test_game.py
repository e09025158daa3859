"""Games: tags, moves, trees, texts."""

from __future__ import annotations

from pathlib import Path

import pytest
import tabiya

ANNOTATED = """[Event "Test"]
[White "A \\"quoted\\" name"]
[Black "Müller"]
[Result "1-0"]
[Note "one"]
[Note "two"]
[WhiteElo "2500"]
[Date "1999.12.31"]

{before} 1. e4 $1 {[%clk 1:02:03.5] [%eval 0.35,18] good [%cal Ge2e4,Rd1h5][%csl Yd4]} (1. d4 {queen's pawn} d5 (1... Nf6 $6) 2. c4)
({a start} 1. c4) 1... e5 {[%eval #-3]} 2. Nf3 Nc6 {[%emt 0:00:07]} 1-0
"""


def game() -> tabiya.Game:
    return tabiya.Game.from_pgn(ANNOTATED)


def test_tags_keep_order_and_repeats() -> None:
    tags = game().tags
    assert list(tags)[:3] == ["Event", "White", "Black"]
    assert tags["White"] == 'A "quoted" name' and tags["Note"] == "one"
    assert tags.get_all("Note") == ["one", "two"] and tags.get_all("Nothing") == []
    assert tags.pairs[4:6] == [("Note", "one"), ("Note", "two")]
    assert len(tags) == 7 and "ECO" not in tags and tags.get("ECO") is None
    assert tags == game().tags and tags != tabiya.Tags([])
    with pytest.raises(KeyError):
        tags["ECO"]
    one = game()
    assert (one.white, one.black, one.event, one.date) == ('A "quoted" name', "Müller", "Test", "1999.12.31")
    assert (one.white_elo, one.black_elo, one.year, one.result, one.eco) == (2500, None, 1999, "1-0", "")


def test_moves_are_told_in_two_ways() -> None:
    one = game()
    assert one.san == ["e4", "e5", "Nf3", "Nc6"]
    assert one.uci == ["e2e4", "e7e5", "g1f3", "b8c6"]
    assert one.plies == 4 and len(one.moves) == 4
    assert one.fen == one.fens()[-1] == "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3"
    assert one.start_fen.startswith("rnbqkbnr/")


def test_the_tree_has_everything() -> None:
    root = game().tree
    assert root.parent is None and root.comments == ["before"] and root.ply == 0
    e4 = root.next
    assert e4 is not None and (e4.san, e4.uci, e4.ply, e4.nags) == ("e4", "e2e4", 1, [1])
    assert e4.clock == 3723.5 and e4.text == "good"
    assert e4.eval == tabiya.Evaluation(35, None, 18) and e4.eval.pawns == 0.35
    assert e4.arrows == [tabiya.Arrow("e2", "e4", "green"), tabiya.Arrow("d1", "h5", "red")]
    assert e4.squares == [tabiya.Square("d4", "full", "yellow")]
    d4, c4 = root.variations
    assert (d4.san, d4.comment, c4.san, c4.comments_before) == ("d4", "queen's pawn", "c4", ["a start"])
    d5 = d4.next
    assert d5 is not None and [node.san for node in d4.children] == ["d5", "Nf6"]
    assert d4.children[1].nags == [6] and d4.children[1].parent is d4
    assert [node.san for node in d4.main_line()] == ["d5", "c4"]
    assert [node.san for node in root.walk()] == ["", "e4", "e5", "Nf3", "Nc6", "d4", "d5", "c4", "Nf6", "c4"]
    e5 = e4.next
    assert e5 is not None and e5.eval == tabiya.Evaluation(None, -3, None) and e5.eval.pawns is None
    moves = game().moves
    assert moves[-1].move_time == 7.0 and moves[0].clock == 3723.5 and moves[2].clock is None
    assert moves[1].fen == game().fens()[2] and d5.fen.split()[0].startswith("rnbqkbnr/ppp1pppp/8/3p4")
    assert "e4" in repr(e4) and "1..." in repr(e5) and "start" in repr(root)
    assert all(node.is_legal for node in root.walk())


def test_what_cannot_be_read_is_kept() -> None:
    odd = tabiya.Game.from_pgn("1. e4 e5 2. Ke3 zzz *")
    assert odd.is_damaged and odd.diagnostics
    extras = [extra for node in odd.tree.walk() for extra in node.extras]
    assert any(extra[0] == "raw" and "Ke3" in extra[1] for extra in extras)


def test_texts() -> None:
    one = game()
    assert tabiya.Game.from_pgn(one.pgn(keep_tag_order=True, width=0)) == one
    assert str(tabiya.Game.from_pgn(str(one))) == str(one)
    assert one.pgn(width=0, no_comments=True).count("{") == 0
    assert "\n1. e4" in one.pgn(width=0, no_comments=True, no_nags=True, no_variations=True, tags=["White"])
    with pytest.raises(tabiya.UsageError, match="has no option"):
        one.pgn(colour="red")
    with pytest.raises(tabiya.UsageError, match="give a value"):
        one.pgn(width=True)
    assert one.json().startswith("{") and '"Müller"' in one.json()
    assert repr(one) == '<tabiya.Game 1: A "quoted" name - Müller 1-0, 1999.12.31>'
    games = tabiya.read_pgn(ANNOTATED * 3)
    assert len(games) == 3 and games[1] == one and tabiya.read_pgn(b"") == []
    assert tabiya.read_pgn(ANNOTATED.encode("cp1252"))[0].black == "Müller"
    with pytest.raises(tabiya.NotFoundError):
        tabiya.Game.from_pgn("")


def test_games_are_values() -> None:
    one, same = game(), game()
    assert one == same and hash(one) == hash(same) and len({one, same}) == 1
    other = one.with_tags({"White": "B", "Note": None, "Round": "3"})
    assert other != one and other.white == "B" and "Note" not in other.tags and other.round == "3"
    assert one.white == 'A "quoted" name'
    assert other.san == one.san and other.tree.comments == ["before"]
    assert one != "a text" and not one == 17
    with pytest.raises(TypeError):
        one < other  # type: ignore[operator]
    with pytest.raises(AttributeError):
        one.white = "C"  # type: ignore[misc]
    with pytest.raises(tabiya.UsageError):
        one.with_tags({"FEN": "8/8/8/8/8/8/8/K1k5 w - - 0 1"})


def test_boards_are_shown(classics: Path) -> None:
    one = game()
    svg, html = one._repr_svg_(), one._repr_html_()
    assert svg.startswith("<svg") and svg.endswith("</svg>") and svg.count("<text") == 32
    assert "A &quot;quoted&quot; name" in html and "1. e4 e5 2. Nf3 Nc6 1-0" in html and svg in html
    assert one.moves[0]._repr_svg_().count("<line") == 2
    with tabiya.open(classics) as db:
        for each in db:
            assert each._repr_html_().endswith("</div>")
    hostile = one.with_tags({"White": "<script>alert(1)</script>"})
    assert "<script" not in hostile._repr_html_()


def test_tags_are_a_mapping() -> None:
    import pickle
    from collections.abc import Mapping

    tags = game().tags
    assert isinstance(tags, Mapping) and not isinstance(tags, dict)
    first = dict(tags)
    assert first == dict(tags.items()) and list(first) == list(tags.keys()) and list(first.values()) == list(tags.values())
    assert tags == first and first == tags and tags != {**first, "ECO": "C50"} and tags != "tags"
    assert tags.get("ECO", "none") == "none" and tags.get("ECO", default=None) is None and tags.get("Black") == "Müller"
    assert 17 not in tags and "Black" in tags and tags.number == 1
    with pytest.raises(KeyError, match="17"):
        tags[17]  # type: ignore[index]
    with pytest.raises(TypeError, match="unhashable"):
        hash(tags)
    again = pickle.loads(pickle.dumps(tags))
    assert again == tags and again.pairs == tags.pairs and again.number == 1
    assert repr(tabiya.Tags([("White", "A")])) == "Tags([('White', 'A')])"
    # Of many tags there is a list of the names: it finds what looking through them finds.
    many = [(f"Tag{at % 5000}", str(at)) for at in range(10_000)]
    tags = tabiya.Tags(many)
    expected: dict[str, str] = {}
    for name, value in many:
        expected.setdefault(name, value)
    assert len(tags) == 5000 and dict(tags) == expected and tags.pairs == many and tags.get_all("Tag7") == ["7", "5007"]
