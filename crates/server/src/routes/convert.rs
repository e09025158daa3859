//! Conversion, merging, splitting and repairing as jobs: a rehearsal reports what would be lost, and the report what was
//! lost or found.

use std::collections::BTreeMap;
use std::path::{Component, Path as FilePath, PathBuf};
use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use serde::Deserialize;
use tabiya::bulk::{
    self, AppendTarget, ConvertPlan, ConvertSelection, ConvertTargets, DuplicateCriterion, SplitKey,
};
use tabiya::convert::ConvertOptions;
use tabiya::edit;
use tabiya::{Base, Target, TemporaryFolder};
use tabiya_answers::server::{
    FormatOptionAnswer, JobFoundAnswer, JobReportAnswer, OptionArgumentAnswer, OptionWordAnswer,
    ServerJobAnswer, WritableFormatAnswer,
};
use tabiya_formats::format::{Format, WriteOptions};
use tabiya_formats::options::{FormatOption, OptionArgument};
use tabiya_formats::{csv, registry};
use tabiya_io::compression::Compression;
use tabiya_io::{held_folder, regular_file};
use tabiya_model::{Control, Error, Result};

use super::selection::{SelectionParameters, nothing_else};
use super::slow_work;
use crate::answer::{Refusal, RouteResult};
use crate::error_codes;
use crate::jobs::{JobFiles, JobResult};
use crate::library::LibraryChange;
use crate::{ServerState, limits, stream};

/// The formats that can be written, with what their files are called, and what their writers can be told.
pub(super) async fn formats() -> Json<Vec<WritableFormatAnswer>> {
    let all = registry::FORMATS
        .iter()
        .filter(|format| format.create.is_some());
    let all = all.map(|format| {
        let options = format
            .write_options
            .iter()
            .map(|option| FormatOptionAnswer {
                name: option.name,
                help: option.help,
                takes: takes(&option.takes),
                usual: usual(option),
            });
        WritableFormatAnswer {
            name: format.name,
            title: format.title,
            extensions: format.extensions.to_vec(),
            edit: format.edit.is_some(),
            options: options.collect(),
        }
    });
    Json(all.collect())
}

/// What an option is set to unless a page says something else: tables are opened in spreadsheets.
fn usual(option: &FormatOption) -> Option<&'static str> {
    (option.name == csv::CELLS.name).then_some(csv::GUARDED)
}

fn takes(takes: &OptionArgument) -> OptionArgumentAnswer {
    match takes {
        OptionArgument::Nothing => OptionArgumentAnswer::Nothing,
        OptionArgument::Number(_) => OptionArgumentAnswer::Number,
        OptionArgument::Text(name) => OptionArgumentAnswer::Text { name },
        OptionArgument::List(name) => OptionArgumentAnswer::List { name },
        OptionArgument::OneOf(words) => OptionArgumentAnswer::One {
            words: words
                .iter()
                .map(|(word, help)| OptionWordAnswer { word, help })
                .collect(),
        },
    }
}

/// Options of a format as a page sends them: those without a value have an empty one.
pub(super) type FormatOptionValues = BTreeMap<String, String>;

/// What a writer is told.
pub(super) fn write_options(
    format: &'static Format,
    settings: &FormatOptionValues,
) -> std::result::Result<WriteOptions, Refusal> {
    let mut options = WriteOptions::default();
    for option in format.write_options {
        if let Some(value) = usual(option) {
            options.settings.set(option, value)?;
        }
    }
    for (name, value) in settings {
        let all = format.write_options;
        let option = all.iter().find(|option| option.name == name);
        let option = option.ok_or_else(|| {
            Refusal::bad(
                &error_codes::BAD_OPTION,
                format!("{} has no option {name:.40}", format.title),
            )
        })?;
        options.settings.set(option, value)?;
    }
    Ok(options)
}

#[derive(Clone, Deserialize)]
pub(super) struct ConvertRequest {
    /// The databases to copy, one after another, by their ids.
    #[serde(default)]
    sources: Vec<String>,
    /// Instead of them: the path of a damaged one that may not even open.
    #[serde(default)]
    damaged: Option<String>,
    /// The path of the copy; its name determines the format. With `split` a folder, with `download` only a name.
    path: String,
    /// The format of the files in a folder.
    #[serde(default)]
    format: Option<String>,
    /// Options of the format.
    #[serde(default)]
    settings: FormatOptionValues,
    #[serde(default)]
    verify: bool,
    /// Which games.
    #[serde(flatten)]
    games: SelectionParameters,
    /// Each game once: `game` or `moves`.
    #[serde(default)]
    unique: Option<String>,
    /// A folder with files split by this.
    #[serde(default)]
    split: Option<String>,
    /// The games are added to the database at the path, if there is one.
    #[serde(default)]
    append: bool,
    /// Damaged databases are salvaged.
    #[serde(default)]
    repair: bool,
    /// The copy is kept for the browser, and deleted with the job.
    #[serde(default)]
    download: bool,
    /// Nothing is kept: only report what would be lost.
    #[serde(default)]
    dry: bool,
    #[serde(flatten, deserialize_with = "nothing_else")]
    _rest: (),
}

/// A path in a folder that the user has named when the server was started, where something may be made: nothing hidden, and
/// in the place of nothing but a file.
pub(crate) fn place(shared: &ServerState, path: &str) -> std::result::Result<PathBuf, Refusal> {
    let path = inside(shared, path)?;
    if shared.library.is_hidden(&path) {
        return Err(Refusal::bad(
            &error_codes::BAD_PATH,
            format!(
                "{}: files with hidden names cannot be made here",
                path.display()
            ),
        ));
    }
    if let Ok(real) = held_folder::full_path(&path)
        && !shared.library.is_within(&real)
    {
        return Err(Refusal::new(
            StatusCode::FORBIDDEN,
            &error_codes::OUTSIDE_FOLDERS,
            format!(
                "{}: this leads out of the folders that `tabiya serve` was given",
                path.display()
            ),
        ));
    }
    if let Ok(there) = held_folder::metadata(&path)
        && !there.is_dir()
        && let Some(what) = regular_file::what_else(&there)
    {
        return Err(Refusal::bad(
            &error_codes::BAD_PATH,
            format!("{}: this is {what} and not a file", path.display()),
        ));
    }
    Ok(path)
}

/// Refuses a name that is none of files of a format: the app makes databases and nothing else.
pub(super) fn check_name(path: &FilePath, format: &Format) -> std::result::Result<(), Refusal> {
    let inner = Compression::of_target(path).map(|(_, inner)| inner);
    let extension = inner.as_deref().unwrap_or(path).extension();
    let extension = extension.map(|it| it.to_string_lossy().to_ascii_lowercase());
    let fits = extension.is_some_and(|extension| {
        let own = format.extensions.contains(&extension.as_str());
        own || registry::by_extension(&extension).is_some()
    });
    let is_plain = path
        .components()
        .all(|part| !matches!(part, Component::ParentDir));
    match (fits || format.extensions.is_empty()) && is_plain {
        true => Ok(()),
        false => Err(Refusal::bad(
            &error_codes::TARGET_NAME,
            format!(
                "{}: the extension of {} is .{}",
                path.display(),
                format.title,
                format.extensions.first().unwrap_or(&"pgn")
            ),
        )),
    }
}

/// A path in a folder that the user has named when the server was started. Names are compared here; what is opened or made goes
/// through the held folder.
fn inside(shared: &ServerState, path: &str) -> std::result::Result<PathBuf, Refusal> {
    let path = FilePath::new(path);
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(Refusal::bad(
            &error_codes::BAD_PATH,
            "a path with a file name is required",
        ));
    };
    let real = held_folder::full_path(folder).map_err(|error| {
        Refusal::bad(
            &error_codes::BAD_PATH,
            format!("{}: {error}", folder.display()),
        )
    })?;
    if !shared.library.is_within(&real) {
        return Err(Refusal::new(
            StatusCode::FORBIDDEN,
            &error_codes::OUTSIDE_FOLDERS,
            format!(
                "{} is not in a folder that `tabiya serve` was given",
                folder.display()
            ),
        ));
    }
    Ok(real.join(name))
}

impl ConvertRequest {
    /// Whether nothing of it stays in the user's folders.
    fn is_passing(&self) -> bool {
        self.dry || self.download
    }

    /// What is copied.
    fn bases(&self, shared: &ServerState) -> std::result::Result<Vec<Base>, Refusal> {
        let library = &shared.library;
        let salvage = |path: &FilePath| {
            let mut opener = library.opener().clone();
            opener.salvage = true;
            Ok(opener.open_all(&[path]).or_fail()?.bases)
        };
        if let Some(path) = &self.damaged {
            let path = inside(shared, path)?;
            // A link may lead elsewhere.
            let real =
                held_folder::full_path(&path).map_err(|error| Refusal::of_file(&path, error))?;
            let within = real
                .parent()
                .is_some_and(|folder| library.is_within(folder));
            if !within {
                return Err(Refusal::missing(
                    &error_codes::NO_SUCH_DATABASE,
                    "this database is not here",
                ));
            }
            return salvage(&real);
        }
        let mut bases = Vec::new();
        for id in &self.sources {
            let base = library.get(id)?;
            match self.repair {
                true => bases.extend(salvage(base.path())?),
                false => bases.push(base),
            }
        }
        Ok(bases)
    }

    fn target(&self, path: PathBuf) -> std::result::Result<Target, Refusal> {
        let named = |name: &String| {
            let all = registry::FORMATS;
            let found = all.iter().copied().find(|format| format.name == *name);
            found.ok_or_else(|| {
                Refusal::bad(
                    &error_codes::NO_SUCH_FORMAT,
                    format!("{name:.40}: there is no such format"),
                )
            })
        };
        let mut format = self.format.as_ref().map(named).transpose()?;
        if self.split.is_some() {
            // A folder: its name says no format.
            format = format.or(Some(&tabiya_formats::pgn::FORMAT));
        }
        let mut target = Target::new(path, format, WriteOptions::default())?;
        target.options = write_options(target.format, &self.settings)?;
        Ok(target)
    }

    fn bulk(
        &self,
        shared: &ServerState,
        bases: Vec<Base>,
    ) -> std::result::Result<ConvertPlan, Refusal> {
        let unique = match self.unique.as_deref() {
            None | Some("") => None,
            Some("game") => Some(DuplicateCriterion::Game),
            Some("moves") => Some(DuplicateCriterion::Moves),
            Some(_) => {
                return Err(Refusal::bad(
                    &error_codes::BAD_PARAMETER,
                    "duplicates are compared by `game` or by `moves`",
                ));
            }
        };
        let split = self.split.as_deref().map(SplitKey::parse).transpose()?;
        Ok(ConvertPlan {
            choose: ConvertSelection {
                games: self.games.of(shared, bases)?,
                unique,
                ..ConvertSelection::default()
            },
            split,
            ..ConvertPlan::default()
        })
    }
}

pub(super) async fn start(
    State(shared): State<ServerState>,
    Json(asked): Json<ConvertRequest>,
) -> RouteResult<ServerJobAnswer> {
    if shared.guard.read_only && !asked.is_passing() {
        return Err(Refusal::read_only());
    }
    slow_work(&shared, move |shared| {
        if asked.sources.is_empty() == asked.damaged.is_none() {
            return Err(Refusal::bad(
                &error_codes::BAD_PARAMETER,
                "a database to copy is required",
            ));
        }
        if asked.sources.len() > limits::BASES {
            return Err(Refusal::busy());
        }
        if asked.is_passing() && (asked.append || asked.split.is_some()) && !asked.dry {
            return Err(Refusal::bad(
                &error_codes::BAD_PARAMETER,
                "one new database can be downloaded, but not a folder",
            ));
        }
        let bases = asked.bases(shared)?;
        let path = match asked.is_passing() {
            // Of what does not stay only the name counts.
            true => PathBuf::from(FilePath::new(&asked.path).file_name().unwrap_or_default()),
            false => place(shared, &asked.path)?,
        };
        // What cannot be written is said at once.
        let target = asked.target(path)?;
        if asked.split.is_none() {
            check_name(&target.path, target.format)?;
        }
        let bulk = asked.bulk(shared, bases)?;
        let kind = match (asked.dry, asked.repair || asked.damaged.is_some()) {
            (true, false) => "rehearsal",
            (true, true) => "examination",
            (false, false) => "convert",
            (false, true) => "repair",
        };
        let base = asked.sources.first().cloned().unwrap_or_default();
        let what = target.path.display().to_string();
        let inner = shared.clone();
        let job = shared.jobs.start(kind, &base, &what, move |control| {
            run(&inner, &asked, &bulk, target, control)
        });
        Ok(Json(job.ok_or_else(Refusal::busy)?.answer()))
    })
    .await
}

fn run(
    shared: &ServerState,
    asked: &ConvertRequest,
    bulk: &ConvertPlan,
    mut target: Target,
    control: &Control,
) -> Result<JobResult> {
    let options = ConvertOptions {
        verify: asked.verify && !asked.dry,
        strict: false,
    };
    let own = target.path.clone();
    let passing = match asked.is_passing() {
        true => Some(Arc::new(TemporaryFolder::new()?)),
        false => None,
    };
    if let Some(folder) = &passing {
        target.path = folder.path().join(&own);
    }
    let appending = match asked.append && !asked.dry && held_folder::exists(&own) {
        true => Some(AppendTarget::begin(&mut target)?),
        false => None,
    };
    let targets = ConvertTargets {
        main: &target,
        rest: None,
        doubles: None,
    };
    let done = bulk::run(bulk, targets, &options, control)?;
    let main = &done.main;
    if let Some(fault) = &main.fault {
        return Err(Error::new(&error_codes::CONVERSION_FAILED, fault.clone()));
    }
    let is_whole = main.ended.is_whole();
    let mut report = main.answer(&target);
    let mut notes = Vec::new();
    if let Some(appending) = appending
        && is_whole
    {
        let options = edit::EditOptions::of_user()?;
        let added = appending.end(shared.library.opener(), &options, control)?;
        notes = added.notes;
        if let Some(id) = shared.library.at(&own) {
            let _ = shared.library.renew(&id, LibraryChange::Edited);
        }
    }
    report.target = own.display().to_string();
    report.double = Some(done.double);
    if passing.is_some() || asked.append {
        // They lie in a folder that goes.
        report.files = None;
    }
    report.notes.extend(notes);
    let mut files = None;
    match passing {
        None if main.summary.is_some() => {
            // One that is shown already is opened anew when it is next asked.
            let _ = shared.library.open_path(&own, None, &Control::default());
        }
        Some(folder) if is_whole && !asked.dry => {
            let written = main.summary.as_ref().map(|summary| summary.files.clone());
            files = JobFiles::keep(folder, written.unwrap_or_default());
        }
        _ => {}
    }
    report.downloads = files.as_ref().map(JobFiles::names);
    let report = JobFoundAnswer::Conversion(Box::new(report));
    let mut found = JobResult::from((main.ended, Some(report)));
    found.files = files;
    Ok(found)
}

/// What a job has found, when it has ended.
pub(super) async fn report(
    State(shared): State<ServerState>,
    Path(id): Path<String>,
) -> RouteResult<JobReportAnswer> {
    let job = shared
        .jobs
        .get(&id)
        .ok_or_else(|| Refusal::missing(&error_codes::NO_SUCH_JOB, "there is no such job"))?;
    Ok(Json(JobReportAnswer {
        job: job.answer(),
        report: job.report(),
    }))
}

/// A file that a job has made for the browser.
pub(super) async fn download(
    State(shared): State<ServerState>,
    Path((id, number)): Path<(String, usize)>,
) -> std::result::Result<Response, Refusal> {
    let missing = || Refusal::missing(&error_codes::NO_SUCH_FILE, "there is no such file");
    let job = shared.jobs.get(&id).ok_or_else(missing)?;
    let path = job.file(number).ok_or_else(missing)?;
    Ok(stream::file(&path, job)?)
}
