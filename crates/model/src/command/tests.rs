//! Commands as programs write them, and as they are written again.

use std::time::Duration;

use proptest::prelude::*;

use super::marks::COLOURS;
use super::*;

#[test]
fn commands_go_both_ways() {
    for text in [
        "[%clk 1:02:03]",
        "[%clk 0:09:59.9]",
        "[%emt 0:00:05]",
        "[%egt 1:00:00]",
        "[%mct 0:17:42]",
        "[%eval 0.35]",
        "[%eval -1.20,18]",
        "[%eval #-3]",
        "[%eval #5,20]",
        "[%eval -0.05]",
        "[%csl Gd4,Re5]",
        "[%cal Ge2e4]",
        "[%cal Ge2e4,Yd1h5,Bb8c6]",
        "[%draw arrow,e2,e4,green]",
        "[%draw full,e4,red]",
        "[%draw circle,e4,blue]",
        "[%draw +,e4,yellow]",
        "[%mdl 64]",
        "[%tqu \"En\",\"Find it [now]\",\"\",\"e4\",\"\",10]",
    ] {
        let all: Vec<_> = commands(text).collect();
        assert_eq!(all.len(), 1, "{text}");
        assert!(
            !all.iter()
                .any(|c| matches!(c, CommentCommand::Other { .. })),
            "{text}"
        );
        assert_eq!(
            all.iter().map(ToString::to_string).collect::<String>(),
            text
        );
    }
}

#[test]
fn what_makes_no_sense_is_kept() {
    for text in [
        "[%clk]",
        "[%clk soon]",
        "[%clk 1:2:3:4]",
        "[%eval 0.355]",
        "[%eval x]",
        "[%eval 99999999999]",
        "[%csl]",
        "[%csl Zd4]",
        "[%csl Gd9,Re5]",
        "[%cal Ge2]",
        "[%cal Gé2e4]",
        "[%draw arrow,e2]",
        "[%mdl -1]",
        "[%evp 0,34,19]",
        "[%draw full,e4,mauve]",
        "[%tqu \"a\"b]",
    ] {
        let all: Vec<_> = commands(text).collect();
        assert!(
            matches!(all.as_slice(), [CommentCommand::Other { .. }]),
            "{text}"
        );
        assert_eq!(
            all.iter().map(ToString::to_string).collect::<String>(),
            text
        );
    }
}

#[test]
fn values() {
    let clock = |text: &str| ClockTime::parse(text).map(|t| t.amount.as_millis());
    assert_eq!(clock("1:02:03"), Some(3_723_000));
    assert_eq!(clock("12:30"), Some(750_000));
    assert_eq!(clock("5.2"), Some(5_200));
    assert_eq!(ClockTime::parse("-0:00:01").map(|t| t.negative), Some(true));
    assert_eq!(
        CommentCommand::new("eval", "+1.5"),
        CommentCommand::Eval(Evaluation::Centipawns(150), None)
    );
    assert_eq!(
        CommentCommand::new("eval", "-0.05"),
        CommentCommand::Eval(Evaluation::Centipawns(-5), None)
    );
    let green = CommentCommand::Squares(vec![(MarkColour::Green, Square::D4)]);
    assert_eq!(CommentCommand::new("csl", "gd4"), green);
    let arrow = BoardMark::Arrow {
        from: Square::E2,
        to: Square::E4,
        colour: MarkColour::Red,
    };
    assert_eq!(
        CommentCommand::new("arrow", "e2 e4 red"),
        CommentCommand::Draw(arrow.clone())
    );
    assert_eq!(
        CommentCommand::new("draw", "arrow,e2,e4"),
        CommentCommand::Draw(arrow)
    );
    let mark = BoardMark::Square {
        square: Square::E4,
        shape: MarkShape::Full,
        colour: MarkColour::Blue,
    };
    assert_eq!(
        CommentCommand::new("mark", "e4,blue"),
        CommentCommand::Draw(mark)
    );
}

#[test]
fn comments_are_cut() {
    let cut = |text: &str| -> Vec<(bool, String)> {
        pieces(text)
            .map(|p| {
                (
                    matches!(p, CommentPart::Command { .. }),
                    p.text().to_owned(),
                )
            })
            .collect()
    };
    let t = |s: &str| (false, s.to_owned());
    let c = |s: &str| (true, s.to_owned());
    assert_eq!(cut(""), []);
    assert_eq!(cut("good"), [t("good")]);
    assert_eq!(
        cut("a [%clk 1:0:0] b [%eval 0.1]"),
        [t("a "), c("[%clk 1:0:0]"), t(" b "), c("[%eval 0.1]")]
    );
    assert_eq!(cut("[%clk 1:0:0"), [t("[%clk 1:0:0")]);
    assert_eq!(cut("[% ] [%] [%é 1]"), [t("[% ] [%] [%é 1]")]);
    assert_eq!(cut("[%a [%clk 5]"), [t("[%a "), c("[%clk 5]")]);
    assert_eq!(cut("[%a \"] b"), [c("[%a \"]"), t(" b")]);
    assert_eq!(cut("[%clk\n1:00:00]"), [c("[%clk\n1:00:00]")]);
    assert_eq!(
        plain_text("[%clk 1:0:0] good [%eval 0.1] move [%emt 5]"),
        "good move"
    );
}

#[test]
fn marks_are_translated() {
    let marks: Vec<_> = commands("[%csl Gd4,Re5][%cal Ge2e4]")
        .flat_map(|c| c.marks())
        .collect();
    let scid: String = marks_to_scid(&marks)
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        scid,
        "[%draw full,d4,green][%draw full,e5,red][%draw arrow,e2,e4,green]"
    );
    let again: Vec<_> = commands(&scid).flat_map(|c| c.marks()).collect();
    assert_eq!(again, marks);
    let (lichess, reshaped) = marks_to_lichess(&again);
    assert_eq!(
        lichess.iter().map(ToString::to_string).collect::<String>(),
        "[%csl Gd4,Re5][%cal Ge2e4]"
    );
    assert_eq!(reshaped, 0);
    let circle: Vec<_> = commands("[%draw circle,d4,green]")
        .flat_map(|c| c.marks())
        .collect();
    assert_eq!(marks_to_lichess(&circle).1, 1);
}

#[test]
fn colours_go_both_ways() {
    for (colour, letter, name) in COLOURS {
        assert_eq!(MarkColour::from_letter(char::from(letter)), Some(colour));
        assert_eq!(MarkColour::from_name(name), Some(colour));
        assert_eq!((colour.letter(), colour.name()), (char::from(letter), name));
    }
}

#[test]
fn long_hostile_comments_end() {
    for unit in [
        "[%",
        "[%a",
        "[%a \"",
        "[%a \"]",
        "[%a \"]\"",
        "]",
        "\"",
        "[%a \"][%a \"",
    ] {
        let text = unit.repeat(100_000);
        assert_eq!(
            pieces(&text).map(|p| p.text().len()).sum::<usize>(),
            text.len()
        );
    }
}

proptest! {
    #[test]
    fn pieces_are_the_comment(text in r#"(\[%|[a-z]{1,3}| |"|\]|,|é|[0-9:.#-]){0,30}"#) {
        let mut at = 0;
        let mut joined = String::new();
        for piece in pieces(&text) {
            prop_assert_eq!(piece.span().start, at);
            prop_assert_eq!(text.get(piece.span()), Some(piece.text()));
            at = piece.span().end;
            joined.push_str(piece.text());
            if let Some(command) = piece.command() {
                // The written text is read as the same command.
                let written = command.to_string();
                prop_assert_eq!(commands(&written).collect::<Vec<_>>(), vec![command]);
            }
        }
        prop_assert_eq!(joined, text);
    }

    #[test]
    fn any_arguments_are_read(name in "clk|emt|eval|csl|cal|draw|mark|arrow|mdl|tqu", args in ".{0,20}|[a-hGR0-9,:.#\" -]{0,20}") {
        let command = CommentCommand::new(&name, &args);
        prop_assert!(command.marks().len() <= args.len());
    }

    #[test]
    fn clocks_go_both_ways(seconds in 0u64..1_000_000, tenths in 0u32..10) {
        let time = ClockTime { negative: false, amount: Duration::new(seconds, tenths * 100_000_000) };
        prop_assert_eq!(ClockTime::parse(&time.to_string()), Some(time));
    }

    #[test]
    fn scores_go_both_ways(value in any::<i32>(), depth in any::<Option<u32>>()) {
        for score in [Evaluation::Centipawns(value.max(-i32::MAX)), Evaluation::Mate(value)] {
            let command = CommentCommand::Eval(score, depth);
            prop_assert_eq!(commands(&command.to_string()).next(), Some(command));
        }
    }
}
