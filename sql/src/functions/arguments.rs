//! The arguments of a function, whatever type of Arrow they come in.

use datafusion::arrow::array::{Array, ArrayRef, AsArray, BinaryViewArray, StringViewArray};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Int64Type};
use datafusion::common::{DataFusionError, Result, ScalarValue};
use datafusion::logical_expr::{ColumnarValue, ScalarFunctionArgs};
use shakmaty::Color;
use tabiya::model::Board;

use super::light_board::LightBoard;
use crate::roots::refuse;

/// What a function was called with.
pub(super) struct FunctionArguments {
    values: Vec<ColumnarValue>,
    pub(super) rows: usize,
    usage: &'static str,
}

/// Texts: the same for all rows, or one for each.
pub(super) enum TextArgument {
    One(Option<String>),
    Each(StringViewArray),
}

/// Numbers: the same for all rows, or one for each.
pub(super) enum NumberArgument {
    One(Option<i64>),
    Each(ArrayRef),
}

impl FunctionArguments {
    pub(super) fn new(args: ScalarFunctionArgs, usage: &'static str) -> FunctionArguments {
        FunctionArguments {
            values: args.args,
            rows: args.number_rows,
            usage,
        }
    }

    fn wrong(&self) -> DataFusionError {
        refuse(format!("call the function as {}", self.usage))
    }

    fn get(&self, at: usize) -> Result<&ColumnarValue> {
        self.values.get(at).ok_or_else(|| self.wrong())
    }

    fn cast(&self, at: usize, to: &DataType) -> Result<ArrayRef> {
        let array = self.get(at)?.to_array(self.rows)?;
        if array.data_type() == to {
            return Ok(array);
        }
        cast(&array, to).map_err(|_| self.wrong())
    }

    /// A column of plies.
    pub(super) fn moves(&self, at: usize) -> Result<BinaryViewArray> {
        match self.get(at)?.data_type() {
            DataType::Binary | DataType::LargeBinary | DataType::BinaryView | DataType::Null => {}
            DataType::FixedSizeBinary(_) => {}
            _ => return Err(self.wrong()),
        }
        Ok(self
            .cast(at, &DataType::BinaryView)?
            .as_binary_view()
            .clone())
    }

    /// Texts.
    pub(super) fn texts(&self, at: usize) -> Result<TextArgument> {
        match self.get(at)? {
            ColumnarValue::Scalar(ScalarValue::Null) => Ok(TextArgument::One(None)),
            ColumnarValue::Scalar(value) => match value.try_as_str() {
                Some(text) => Ok(TextArgument::One(text.map(str::to_owned))),
                None => Err(self.wrong()),
            },
            ColumnarValue::Array(array) => match array.data_type() {
                DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View | DataType::Null => {
                    let array = self.cast(at, &DataType::Utf8View)?;
                    Ok(TextArgument::Each(array.as_string_view().clone()))
                }
                DataType::Dictionary(_, _) => {
                    let array = self.cast(at, &DataType::Utf8View)?;
                    Ok(TextArgument::Each(array.as_string_view().clone()))
                }
                _ => Err(self.wrong()),
            },
        }
    }

    /// Whole numbers.
    pub(super) fn numbers(&self, at: usize) -> Result<NumberArgument> {
        let value = self.get(at)?;
        if !(value.data_type().is_integer() || value.data_type() == DataType::Null) {
            return Err(self.wrong());
        }
        match value {
            ColumnarValue::Scalar(value) => match value.cast_to(&DataType::Int64)? {
                ScalarValue::Int64(number) => Ok(NumberArgument::One(number)),
                _ => Err(self.wrong()),
            },
            ColumnarValue::Array(_) => Ok(NumberArgument::Each(self.cast(at, &DataType::Int64)?)),
        }
    }

    /// Where games start, if the argument is there.
    pub(super) fn starts(&self, at: usize) -> Result<StartArgument> {
        let texts = match self.values.get(at) {
            Some(_) => self.texts(at)?,
            None => TextArgument::One(None),
        };
        Ok(StartArgument {
            texts,
            last: None,
            standard: StartBoard::new(Board::standard()),
        })
    }
}

impl TextArgument {
    /// The text of a row.
    pub(super) fn get(&self, row: usize) -> Option<&str> {
        match self {
            TextArgument::One(text) => text.as_deref(),
            TextArgument::Each(texts) => texts.is_valid(row).then(|| texts.value(row)),
        }
    }
}

impl NumberArgument {
    /// The number of a row.
    pub(super) fn get(&self, row: usize) -> Option<i64> {
        match self {
            NumberArgument::One(number) => *number,
            NumberArgument::Each(numbers) => {
                let numbers = numbers.as_primitive::<Int64Type>();
                numbers.is_valid(row).then(|| numbers.value(row))
            }
        }
    }
}

/// A position that a game starts from.
pub(super) struct StartBoard {
    pub(super) board: Board,
    pub(super) light: LightBoard,
    pub(super) turn: Color,
}

impl StartBoard {
    fn new(board: Board) -> StartBoard {
        StartBoard {
            light: LightBoard::new(&board),
            turn: board.turn(),
            board,
        }
    }
}

/// Where the game of each row starts.
pub(super) struct StartArgument {
    texts: TextArgument,
    /// The last one that was read: games of one column often have the same.
    last: Option<(String, StartBoard)>,
    standard: StartBoard,
}

impl StartArgument {
    /// The start of the game of a row; `None` where the FEN is none.
    pub(super) fn get(&mut self, row: usize) -> Option<&StartBoard> {
        let Some(fen) = self.texts.get(row) else {
            return Some(&self.standard);
        };
        if self.last.as_ref().is_none_or(|(last, _)| last != fen) {
            let (board, _) = Board::from_fen(fen).ok()?;
            self.last = Some((fen.to_owned(), StartBoard::new(board)));
        }
        self.last.as_ref().map(|(_, start)| start)
    }
}

/// What the texts of a column mean, each read once while it stays the same.
pub(super) struct ParsedArgument<T> {
    texts: TextArgument,
    last: Option<(String, T)>,
    read: fn(&str) -> Result<T>,
}

impl<T> ParsedArgument<T> {
    pub(super) fn new(texts: TextArgument, read: fn(&str) -> Result<T>) -> ParsedArgument<T> {
        ParsedArgument {
            texts,
            last: None,
            read,
        }
    }

    /// The meaning of the text of a row.
    pub(super) fn get(&mut self, row: usize) -> Result<Option<&T>> {
        let Some(text) = self.texts.get(row) else {
            return Ok(None);
        };
        if self.last.as_ref().is_none_or(|(last, _)| last != text) {
            self.last = Some((text.to_owned(), (self.read)(text)?));
        }
        Ok(self.last.as_ref().map(|(_, meaning)| meaning))
    }
}
