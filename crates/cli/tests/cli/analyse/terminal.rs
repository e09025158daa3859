//! One position in the terminal.

use super::{Place, fake, run, settings, tabiya};

#[test]
fn a_position_is_shown_in_the_terminal() {
    let Some(fake) = fake() else { return };
    let place = Place::new();
    let settings = settings(&place, &fake, "");
    let show = |options: &[&str]| {
        let output = run(tabiya()
            .arg("analyse")
            .args(options)
            .arg("--engines")
            .arg(&settings));
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        (
            output.status.code(),
            String::from_utf8_lossy(&output.stdout).into_owned(),
            said,
        )
    };
    let (code, shown, said) = show(&[
        "--fen",
        "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1",
        "--nodes",
        "100",
        "--lines",
        "1",
    ]);
    assert_eq!(code, Some(0), "{said}");
    assert!(
        shown.contains("Fake 1: depth 1") && shown.contains("1. "),
        "{shown}"
    );
    let (code, shown, _) = show(&["--line", "1. e4 e5 2. Nf3", "--nodes", "100", "--threat"]);
    assert_eq!(code, Some(0));
    assert!(
        shown.contains("3. "),
        "White is to move in the threat: {shown}"
    );
    for (options, part) in [
        (
            &["--fen", "8/8/8/8/8/8/8/8 w - - 0 1"][..],
            "a king is missing",
        ),
        (
            &["--fen", "4k3/8/8/8/8/8/8/4K3 w - - 0 1\ngo infinite"],
            "extra text",
        ),
        (&["--fen", "x"], "bad FEN"),
        (&["--line", "e4 e4"], "--line: column 4: e4: no such move"),
        (&["--line", "e2e4 e2e4"], "column 6: e2e4: no such move"),
        (&["--line", "f3 e5 g4 Qh4"], "the game is over"),
    ] {
        let (code, _, said) = show(options);
        assert_eq!(code, Some(2), "{options:?}");
        assert!(said.contains(part), "{options:?}: {said}");
    }
}
