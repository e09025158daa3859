//! The commands in the comments of a move.

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use tabiya::model::command::{
    BoardMark, ClockKind, CommentCommand, Evaluation, MarkShape, commands, plain_text,
};

use crate::tables::seconds;

/// The commands of a comment, each with its kind and its values.
#[pyfunction]
pub(crate) fn commands_of<'py>(
    py: Python<'py>,
    comment: &str,
) -> PyResult<Vec<Bound<'py, PyTuple>>> {
    let mut all = Vec::new();
    for command in commands(comment) {
        for mark in command.marks() {
            all.push(match mark {
                BoardMark::Arrow { from, to, colour } => {
                    ("arrow", from.to_string(), to.to_string(), colour.name()).into_pyobject(py)?
                }
                BoardMark::Square {
                    square,
                    shape,
                    colour,
                } => {
                    let shape = match shape {
                        MarkShape::Full => "full".to_owned(),
                        MarkShape::Named(name) => name,
                    };
                    ("square", square.to_string(), shape, colour.name()).into_pyobject(py)?
                }
            });
        }
        match command {
            CommentCommand::Clock(kind, time) => {
                let kind = match kind {
                    ClockKind::Remaining => "clk",
                    ClockKind::MoveTime => "emt",
                    ClockKind::GameTime => "egt",
                    ClockKind::Mechanical => "mct",
                };
                all.push((kind, seconds(time)).into_pyobject(py)?);
            }
            CommentCommand::Eval(score, depth) => {
                let (pawns, mate) = match score {
                    Evaluation::Centipawns(value) => (Some(value), None),
                    Evaluation::Mate(moves) => (None, Some(moves)),
                };
                all.push(("eval", pawns, mate, depth).into_pyobject(py)?);
            }
            CommentCommand::Other { name, args } => {
                all.push(("other", name, args).into_pyobject(py)?);
            }
            _ => {}
        }
    }
    Ok(all)
}

/// A comment without its commands.
#[pyfunction]
pub(crate) fn plain_comment(comment: &str) -> String {
    plain_text(comment)
}
