//! The Python module of Tabiya: what Python code cannot do itself, or not as fast. What users see is in `tabiya/`.

mod comments;
mod conversion;
mod database;
mod editing;
mod failure;
mod game;
mod game_builder;
mod game_stream;
mod job;
mod repertoire;
mod reports;
mod selection;
mod sql;
mod tables;
mod tags;
mod tensors;
mod text_options;
mod text_readings;
mod text_source;

use pyo3::prelude::*;

/// The names of the formats, each with its title, and whether it can be read and written.
#[pyfunction]
fn formats() -> Vec<(&'static str, &'static str, bool, bool)> {
    let all = tabiya::formats::registry::FORMATS.iter();
    all.map(|format| {
        let is_read = format.open.is_some() || format.stream.is_some();
        (format.name, format.title, is_read, format.create.is_some())
    })
    .collect()
}

#[pymodule]
fn _tabiya(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<database::PythonBase>()?;
    module.add_class::<selection::PythonSelection>()?;
    module.add_class::<game::PythonGame>()?;
    module.add_class::<game_stream::PythonGameStream>()?;
    module.add_class::<game_stream::PythonHeaderStream>()?;
    module.add_class::<tags::PythonTags>()?;
    module.add_class::<repertoire::PythonRepertoire>()?;
    module.add_class::<sql::PythonSqlAnswer>()?;
    module.add_class::<tables::PythonTable>()?;
    module.add_class::<tensors::PythonTensorStream>()?;
    module.add_class::<tensors::PythonFlatTags>()?;
    module.add_function(wrap_pyfunction!(formats, module)?)?;
    module.add_function(wrap_pyfunction!(comments::commands_of, module)?)?;
    module.add_function(wrap_pyfunction!(comments::plain_comment, module)?)?;
    module.add_function(wrap_pyfunction!(database::open_bases, module)?)?;
    module.add_function(wrap_pyfunction!(game::game_of_draft, module)?)?;
    module.add_function(wrap_pyfunction!(game::games_of_pgn, module)?)?;
    module.add_function(wrap_pyfunction!(game_builder::game_of_ops, module)?)?;
    module.add_function(wrap_pyfunction!(conversion::convert, module)?)?;
    module.add_function(wrap_pyfunction!(conversion::write_games, module)?)?;
    module.add_function(wrap_pyfunction!(editing::edit, module)?)?;
    module.add_function(wrap_pyfunction!(repertoire::read_repertoire, module)?)?;
    module.add_function(wrap_pyfunction!(sql::begin_sql, module)?)?;
    module.add_function(wrap_pyfunction!(tensors::flat_texts, module)?)?;
    Ok(())
}
