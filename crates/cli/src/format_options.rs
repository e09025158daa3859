//! The arguments that formats declare themselves.

use clap::builder::PossibleValue;
use clap::error::{Error, ErrorKind};
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use tabiya_formats::format::Format;
use tabiya_formats::options::{FormatOption, FormatSettings, OptionArgument};
use tabiya_formats::{pgn, registry};

/// Arguments made of what some formats declare.
macro_rules! declared {
    ($($(#[$doc:meta])* $name:ident = $options:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug)]
        pub(crate) struct $name(pub(crate) FormatSettings);

        impl Args for $name {
            fn augment_args(command: Command) -> Command {
                declare(command, $options)
            }

            fn augment_args_for_update(command: Command) -> Command {
                declare(command, $options)
            }
        }

        impl FromArgMatches for $name {
            fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
                settings(matches, $options).map($name)
            }

            fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
                self.0 = settings(matches, $options)?;
                Ok(())
            }
        }
    )*};
}

declared! {
    /// The options of the readers of all formats.
    OpenSettings = of_all(|format| format.open_options);
    /// The options of the writers of all formats.
    WriteSettings = of_all(|format| format.write_options);
    /// The options of the PGN writer.
    PgnSettings = pgn::FORMAT.write_options.iter().map(|option| (&pgn::FORMAT, option));
}

/// Each option once: versions of a format share theirs.
fn of_all(
    which: fn(&Format) -> &'static [FormatOption],
) -> impl Iterator<Item = (&'static Format, &'static FormatOption)> {
    let mut seen = Vec::new();
    registry::FORMATS
        .iter()
        .flat_map(move |format| which(format).iter().map(move |option| (*format, option)))
        .filter(move |(_, option)| {
            let is_new = !seen.contains(&option.name);
            seen.push(option.name);
            is_new
        })
}

fn declare(
    command: Command,
    options: impl Iterator<Item = (&'static Format, &'static FormatOption)>,
) -> Command {
    command.args(options.map(|(format, option)| {
        let argument = Arg::new(option.name)
            .long(option.name)
            .help(option.help)
            .help_heading(format.title);
        match option.takes {
            OptionArgument::Nothing => argument.action(ArgAction::SetTrue),
            OptionArgument::Number(value) => argument
                .value_name(value)
                .value_parser(clap::value_parser!(u64)),
            OptionArgument::Text(value) | OptionArgument::List(value) => argument.value_name(value),
            OptionArgument::OneOf(words) => argument.value_name("WHICH").value_parser(
                words
                    .iter()
                    .map(|(word, help)| PossibleValue::new(*word).help(*help))
                    .collect::<Vec<_>>(),
            ),
        }
    }))
}

fn settings(
    matches: &ArgMatches,
    options: impl Iterator<Item = (&'static Format, &'static FormatOption)>,
) -> Result<FormatSettings, Error> {
    let mut settings = FormatSettings::default();
    for (_, option) in options {
        let value = match option.takes {
            OptionArgument::Nothing if matches.get_flag(option.name) => String::new(),
            OptionArgument::Nothing => continue,
            OptionArgument::Number(_) => match matches.get_one::<u64>(option.name) {
                Some(number) => number.to_string(),
                None => continue,
            },
            _ => match matches.get_one::<String>(option.name) {
                Some(text) => text.clone(),
                None => continue,
            },
        };
        settings
            .set(option, &value)
            .map_err(|error| Error::raw(ErrorKind::InvalidValue, format!("{error}\n")))?;
    }
    Ok(settings)
}
