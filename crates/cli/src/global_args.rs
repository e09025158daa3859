//! Options of every command: how much is said, and in which colours.

use std::ffi::OsStr;
use std::sync::OnceLock;

use clap::builder::{EnumValueParser, PossibleValue, TypedValueParser};
use clap::{Args, ValueEnum};

/// How much is said, and in which colours.
#[derive(Args, Debug, Clone, Copy, Default)]
pub(crate) struct GlobalArgs {
    /// Print only results and errors: no notes, no progress
    #[arg(long, short, global = true, help_heading = "Messages")]
    quiet: bool,
    /// Also print the time taken
    #[arg(
        long,
        short,
        global = true,
        conflicts_with = "quiet",
        help_heading = "Messages"
    )]
    verbose: bool,
    /// When to use colours: auto (on a terminal, unless NO_COLOR is set), always or never
    #[arg(
        long,
        global = true,
        value_parser = ColorChoiceValues,
        value_name = "WHEN",
        default_value = "auto",
        hide_default_value = true,
        hide_possible_values = true,
        help_heading = "Messages"
    )]
    color: ColorChoice,
    /// Do not show progress
    #[arg(long, global = true, help_heading = "Messages")]
    no_progress: bool,
    /// Do not show long output in a pager
    #[arg(long, global = true, help_heading = "Messages")]
    no_pager: bool,
}

/// When colours are used.
#[derive(ValueEnum, Copy, Clone, PartialEq, Eq, Debug, Default)]
pub(crate) enum ColorChoice {
    /// On a terminal, unless NO_COLOR is set
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// Reads them; the colour of a player was once asked for by the same option of `explore`.
#[derive(Copy, Clone, Debug)]
struct ColorChoiceValues;

impl TypedValueParser for ColorChoiceValues {
    type Value = ColorChoice;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<Self::Value, clap::Error> {
        if let Some(side @ ("white" | "black")) = value.to_str() {
            let help = format!("to choose the colour of a player, use --side {side}");
            let refuse = move |_: &str| Err::<ColorChoice, _>(help.clone());
            return refuse.parse_ref(command, arg, value);
        }
        EnumValueParser::<ColorChoice>::new().parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let all = ColorChoice::value_variants().iter();
        Some(Box::new(all.filter_map(ColorChoice::to_possible_value)))
    }
}

static GIVEN: OnceLock<GlobalArgs> = OnceLock::new();

fn given() -> GlobalArgs {
    GIVEN.get().copied().unwrap_or_default()
}

impl GlobalArgs {
    /// Makes these the options of this run.
    pub(crate) fn take_effect(self) {
        let _ = GIVEN.set(self);
    }
}

/// Whether notes are printed.
pub(crate) fn has_notes() -> bool {
    !given().quiet
}

/// Whether the time of the command is printed.
pub(crate) fn is_verbose() -> bool {
    given().verbose
}

/// Whether progress is shown.
pub(crate) fn has_progress() -> bool {
    !given().no_progress && !given().quiet
}

/// Whether long output may go to a pager.
pub(crate) fn has_pager() -> bool {
    !given().no_pager
}

/// When colours are used.
pub(crate) fn color() -> ColorChoice {
    given().color
}
