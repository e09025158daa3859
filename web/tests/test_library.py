"""The library: cards, languages, what is live."""

import base64
import shutil

from app import ROOT, Held, axe, expect, many_games, picture, served, tabiya, themes, until


def test_open_shows_the_base_at_once(page, folder):
    base = folder / "opera.pgn"
    shutil.copy(ROOT / "corpus/pgn/ok/opera.pgn", base)
    with served(base, command="open") as url:
        page.goto(url)
        expect(page.locator(".list .window .row").first).to_contain_text("Morphy")
        assert "/base/" in page.url and "token" not in page.url


def test_a_changed_base_is_told_and_jobs_come_along(page, folder):
    base = folder / "many.pgn"
    many_games(base, 300)
    with served(base) as url:
        page.goto(url)
        page.get_by_role("button", name="Build an index").click()
        expect(page.locator(".badge.index-fresh")).to_be_visible()
        page.get_by_role("link", name="many.pgn").click()
        expect(page.locator("#query-state")).to_have_text("300 games")
        expect(page.get_by_role("button", name="Reload")).to_have_count(0)
        many_games(base, 301)
        page.get_by_role("button", name="Reload").click()
        expect(page.locator("#query-state")).to_have_text("301 games")
        expect(page.get_by_role("button", name="Reload")).to_have_count(0)
        # It goes: what was read stays, the card says what has become of it, and it is there again when it is.
        base.rename(folder / "elsewhere")
        expect(page.locator(".changed")).to_contain_text("can no longer be read")
        expect(page.locator(".list .window .row").first).to_contain_text("Player")
        page.keyboard.press("h")
        expect(page.locator(".card")).to_contain_text("No such file")
        axe(page, "a database that is gone")
        page.evaluate("localStorage.setItem('language', 'de')")
        page.reload()
        expect(page.locator(".card .trouble")).to_have_text(f"{base}: Diese Datei oder diesen Ordner gibt es nicht.")
        page.evaluate("localStorage.removeItem('language')")
        many_games(base, 3)
        page.reload()
        expect(page.locator(".card")).to_contain_text("3 games")
        # An address of a database that is not open leads on.
        page.goto(page.url + "base/0123456789abcdef/game/3?at=4")
        expect(page.get_by_role("heading", name="This database is not open")).to_be_visible()
        axe(page, "a database that is not open")
        page.get_by_role("link", name="Databases").last.click()
        expect(page.get_by_role("heading", name="many.pgn")).to_be_visible()


def dropped(page, *files):
    """Drops files as a file manager does, once the app is there."""
    page.locator(".app").wait_for()
    names = [(file.name, base64.b64encode(file.read_bytes()).decode()) for file in files]
    page.evaluate(
        """files => {
            const dataTransfer = new DataTransfer();
            for (const [name, bytes] of files) {
                dataTransfer.items.add(new File([Uint8Array.from(atob(bytes), one => one.charCodeAt(0))], name));
            }
            const target = document.querySelector('.app');
            for (const kind of ['dragover', 'drop']) {
                target.dispatchEvent(new DragEvent(kind, {dataTransfer, bubbles: true, cancelable: true}));
            }
        }""",
        names,
    )


def test_a_failure_stays_when_the_first_page_comes_after_it(page, folder):
    shown, own = folder / "shown", folder / "own"
    shown.mkdir()
    own.mkdir()
    (own / "picture.jpg").write_bytes(b"no games at all")
    with served(shown) as url:
        held = Held(page, r"/home-[^/]*\.js")
        page.goto(url)
        held.arrived()
        with page.expect_response(lambda answer: answer.status >= 400):
            dropped(page, own / "picture.jpg")
        held.release()
        expect(page.get_by_role("heading", name="Databases")).to_be_visible()
        expect(page.get_by_role("alert")).to_have_text("picture.jpg: there is no chess database here Close")
        # Whatever is opened next takes it away.
        shutil.copy(ROOT / "corpus/pgn/ok/opera.pgn", own / "opera.pgn")
        dropped(page, own / "opera.pgn")
        expect(page.locator(".list .window .row").first).to_contain_text("Morphy")
        expect(page.get_by_role("alert")).to_have_count(0)


def test_copies_are_told_as_copies_and_checked(page, folder):
    shown, own = folder / "shown", folder / "own"
    shown.mkdir()
    own.mkdir()
    shutil.copy(ROOT / "corpus/pgn/ok/opera.pgn", own / "opera.pgn")
    tabiya("convert", str(own / "opera.pgn"), str(own / "opera.si4"))
    (own / "broken.pgn").write_text("[White \"A\"]\n\n1. e4 e5 2. Ke3 Nc6 *\n", encoding="utf-8")
    (own / "picture.jpg").write_bytes(b"no games at all")
    with served(shown) as url:
        page.goto(url)
        trouble = page.get_by_role("alert")
        # What is missing, and what is none, is told in the names that the user knows.
        dropped(page, own / "opera.si4", own / "opera.sn4")
        expect(trouble).to_contain_text('opera.si4: its companion "opera.sg4" is missing in the same folder')
        dropped(page, own / "picture.jpg")
        expect(trouble).to_contain_text("picture.jpg: there is no chess database here")
        trouble.get_by_role("button", name="Close").click()
        expect(trouble).to_have_count(0)
        dropped(page, *[own / f"opera.{part}" for part in ["si4", "sg4", "sn4"]])
        expect(page.locator(".list .window .row").first).to_contain_text("Morphy")
        expect(page.get_by_role("button", name="Annotate")).to_have_count(0)
        # Over a database too it is told what could not be opened or pasted.
        dropped(page, own / "picture.jpg")
        expect(trouble).to_contain_text("no chess database")
        page.get_by_role("button", name="Close").click()
        expect(trouble).to_have_count(0)
        # Whoever enters another database has seen it.
        dropped(page, own / "picture.jpg")
        expect(trouble).to_contain_text("no chess database")
        page.keyboard.press("h")
        expect(trouble).to_contain_text("no chess database")
        page.locator(".card").get_by_role("link", name="opera.si4").click()
        expect(page.locator(".list .window .row").first).to_contain_text("Morphy")
        expect(trouble).to_have_count(0)
        paste = "text => document.body.dispatchEvent(new ClipboardEvent('paste', {bubbles: true, clipboardData: (data => (data.setData('text/plain', text), data))(new DataTransfer())}))"
        page.evaluate(paste, "8/8/8/8/8/8/8/8 w - - 0 1")
        expect(trouble).to_contain_text("a king is missing")
        page.evaluate(paste, "words of another kind")
        expect(trouble).to_contain_text("neither a game (PGN) nor a position (FEN)")
        # A position alone stands on the board at once.
        page.evaluate(paste, "8/8/8/4k3/8/8/4P3/4K3 w - - 0 1")
        expect(page.locator("[data-square=e5]")).to_have_attribute("aria-label", "e5, black king")
        dropped(page, own / "broken.pgn")
        expect(page.locator(".list .window .row").first).to_contain_text("A")
        page.keyboard.press("h")
        card = page.locator(".card", has=page.get_by_role("heading", name="broken.pgn"))
        expect(card).to_contain_text("copy, not saved")
        card.get_by_role("button", name="Check").click()
        expect(card).to_contain_text("damaged: 1 issue")
        expect(page.locator(".findings")).to_contain_text("broken.pgn")
        # It is saved under a name, and is an ordinary database then.
        card.get_by_role("link", name="Save as…").click()
        page.get_by_label("Format").select_option(label="PGN")
        expect(page.get_by_label("Path of the copy")).to_have_value(str(shown / "broken-copy.pgn"))
        page.get_by_role("button", name="Make the copy").click()
        until(page, lambda: (shown / "broken-copy.pgn").exists(), "the copy is written")


def test_a_missing_file_is_told_in_the_language_of_the_app(page, folder):
    shown, own = folder / "shown", folder / "own"
    shown.mkdir()
    own.mkdir()
    tabiya("convert", str(ROOT / "corpus/pgn/ok/opera.pgn"), str(own / "opera.si4"))
    # In the folder of the server, the games are missing as well.
    for part in ["si4", "sn4"]:
        shutil.copy(own / f"opera.{part}", shown)
    page.add_init_script("localStorage.setItem('language', 'de')")
    missing = (
        "Der Datenbank fehlt eine ihrer Dateien: Legen Sie alle in denselben Ordner (bei Scid etwa games.si5, games.sg5 und games.sn5), "
        "oder ziehen Sie sie zusammen auf diese Seite."
    )
    with served(shown) as url:
        page.goto(url)
        trouble = page.get_by_role("alert")
        dropped(page, own / "opera.si4", own / "opera.sn4")
        expect(trouble).to_have_text(f"opera.si4: {missing} Schließen")
        picture(page, "missing-file-de")
        # Opened by its path, it is told with its path.
        page.get_by_label("Pfad").fill(str(shown / "opera.si4"))
        page.get_by_role("button", name="Öffnen").click()
        expect(trouble).to_have_text(f"{shown / 'opera.si4'}: {missing} Schließen")
        # A ChessBase database can be repaired without its headers.
        dropped(page, ROOT / "corpus/cbh/ok/modern.cbg")
        expect(trouble).to_have_text(f"modern.cbg: {missing} Eine Reparatur findet Partien auch ohne die fehlende Datei. Schließen")
        # The advice is right: all files together are the database.
        dropped(page, *[own / f"opera.{part}" for part in ["si4", "sg4", "sn4"]])
        expect(page.locator(".list .window .row").first).to_contain_text("Morphy")


def test_what_was_opened_last_is_there_in_the_next_run(page, folder):
    base, home = folder / "opera.pgn", folder / "home"
    shutil.copy(ROOT / "corpus/pgn/ok/opera.pgn", base)
    (home / "Chess").mkdir(parents=True)
    many_games(home / "Chess/many.pgn", 20)
    with served(base, home=home) as url:
        page.goto(url)
        page.get_by_role("link", name="opera.pgn").click()
        expect(page.locator(".list .window .row").first).to_contain_text("Morphy")
        # Games are copied together, and stay when the server has ended.
        page.locator(".list .scroll").focus()
        page.keyboard.press(" ")
        page.get_by_role("button", name="Copy to the clipboard base").click()
        expect(page.locator(".tools [role=status]")).to_have_text("1 selected · 1 copied")
    # Without paths: what was opened last, the folder Chess, and the clipboard.
    with served(home=home) as url:
        page.goto(url)
        for name in ["opera.pgn", "many.pgn", "Clipboard"]:
            expect(page.get_by_role("heading", name=name)).to_be_visible()
        page.get_by_role("link", name="Clipboard").click()
        expect(page.locator(".list .window .row").first).to_contain_text("Morphy")
        expect(page.get_by_role("navigation").locator("b")).to_have_text("Clipboard")
    # With a path: the others are named, and open with a click.
    with served(home / "Chess/many.pgn", home=home) as url:
        page.goto(url)
        themes(page, "recent")
        page.locator(".recent").get_by_role("button", name="opera.pgn").click()
        expect(page.locator(".list .window .row").first).to_contain_text("Morphy")
    # The settings file names another folder.
    settings = home / ".config/tabiya/app.conf"
    settings.parent.mkdir(parents=True)
    settings.write_text(f"# mine\nfolder = {home}\nbrowser = no\n")
    many_games(home / "own.pgn", 3)
    (home / ".local/share/tabiya/recent.json").unlink()
    with served(home=home) as url:
        page.goto(url)
        expect(page.get_by_role("heading", name="own.pgn")).to_be_visible()
        expect(page.get_by_role("heading", name="opera.pgn")).to_have_count(0)
        page.get_by_role("button", name="Empty").click()
        expect(page.get_by_role("button", name="Empty")).to_have_count(0)


def test_languages_have_their_letters(page, folder):
    base = folder / "opera.pgn"
    shutil.copy(ROOT / "corpus/pgn/ok/opera.pgn", base)
    with served(base) as url:
        page.goto(url)
        for language, title, knight in [("de", "Datenbanken", "Sf3"), ("ru", "Базы данных", "Кf3"), ("fr", "Bases de données", "Cf3")]:
            page.evaluate("language => localStorage.setItem('language', language)", language)
            page.goto(url.split("?")[0])
            expect(page.get_by_role("heading", name=title)).to_be_visible()
            page.get_by_role("link", name="opera.pgn").click()
            page.locator(".list .window .row").first.click()
            expect(page.get_by_role("treeitem", name=knight, exact=True)).to_be_visible()
