//! `material`: whether some position of a game has this material.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, BooleanBuilder};
use datafusion::common::Result;
use tabiya::query::material::MaterialTest;

use super::arguments::{FunctionArguments, ParsedArgument};
use super::light_board::{LightBoard, codes};
use crate::roots::refuse;

fn question(text: &str) -> Result<MaterialTest> {
    MaterialTest::parse(text).map_err(|error| refuse(format!("material: {text:?}: {error}")))
}

/// Whether a game has it somewhere. The pieces change by captures and promotions alone, and a bishop keeps its colour.
fn is_met(question: &MaterialTest, start: &LightBoard, cell: &[u8]) -> bool {
    let mut light = start.clone();
    let holds = |light: &LightBoard| question.holds(&light.counts(), &light.squares());
    if holds(&light) {
        return true;
    }
    for code in codes(cell) {
        let before = light.count;
        light.play(code);
        if (light.count != before || code >> 12 != 0) && holds(&light) {
            return true;
        }
    }
    false
}

pub(super) fn material(arguments: &FunctionArguments) -> Result<ArrayRef> {
    let moves = arguments.moves(0)?;
    let mut questions = ParsedArgument::new(arguments.texts(1)?, question);
    let mut starts = arguments.starts(2)?;
    let mut found = BooleanBuilder::with_capacity(arguments.rows);
    for row in 0..arguments.rows {
        let start = starts.get(row);
        found.append_option(match (questions.get(row)?, start) {
            (Some(question), Some(start)) if moves.is_valid(row) => {
                Some(is_met(question, &start.light, moves.value(row)))
            }
            _ => None,
        });
    }
    Ok(Arc::new(found.finish()))
}
