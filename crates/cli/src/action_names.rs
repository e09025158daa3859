//! The actions of a user, as the command line names them.

use tabiya_model::UserAction;

/// The command or the flag of an action.
pub(crate) fn action_name(action: UserAction) -> String {
    match action {
        UserAction::Repair => "`tabiya repair`",
        UserAction::Convert => "`tabiya convert`",
        UserAction::Eco => "`tabiya eco`",
        UserAction::RawInfo => "`tabiya info --raw`",
        UserAction::Lake => "`tabiya lake`",
        UserAction::Formats => "`tabiya formats`",
        UserAction::SourceFormat => "--from FORMAT",
        UserAction::TargetFormat => "--to FORMAT",
        UserAction::Target => "-o FILE",
        UserAction::Replace => "--force",
        UserAction::Verify => "--verify",
        UserAction::NoPartition => "--partition none",
        UserAction::Encoding => "--encoding",
        UserAction::ShiftedDates => "--dates shifted",
        UserAction::PieceLetters => "--piece-letters",
        UserAction::RawBytes => "--raw",
        UserAction::DropLosses => "--lossy=drop",
        UserAction::CommentLosses => "--lossy=comment",
        UserAction::NoHistory => "--keep 0",
        UserAction::Undo => "`tabiya edit BASE undo`",
        UserAction::Restore => "`tabiya edit BASE restore --version N`",
        UserAction::Password => "--password-file FILE, or the password when it is requested",
        UserAction::Depth => "a smaller --depth",
        UserAction::MinGames => "a larger --min-games",
        UserAction::WithoutHints => "`tabiya search --disable hints`",
        UserAction::MaxWindow => "--max-window BYTES",
        UserAction::MaxRatio => "--max-ratio N",
        UserAction::InstallServerClient => {
            "`cargo install --locked --path crates/mysql` in the project's folder"
        }
    }
    .to_owned()
}

/// A text of the library with its actions as the command line calls them.
pub(crate) fn with_commands(text: &str) -> String {
    tabiya_model::user_hint::with_actions(text, action_name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn every_action_is_a_command_or_a_flag_that_there_is() {
        let mut program = crate::commands::Cli::command();
        program.build();
        for action in UserAction::ALL {
            let name = action_name(*action);
            if *action == UserAction::InstallServerClient {
                continue;
            }
            let words = name.split([' ', '`', ',', '=']);
            for word in words.filter(|word| !word.is_empty()) {
                if let Some(flag) = word.strip_prefix("--") {
                    let has = |command: &clap::Command| {
                        command
                            .get_arguments()
                            .any(|arg| arg.get_long() == Some(flag))
                    };
                    let mut all = vec![&program];
                    let mut found = false;
                    while let Some(command) = all.pop() {
                        found |= has(command);
                        all.extend(command.get_subcommands());
                    }
                    assert!(found, "{name}: there is no --{flag}");
                }
            }
            if let Some(rest) = name.strip_prefix("`tabiya ") {
                let command = rest.split([' ', '`']).next().unwrap_or_default();
                let found = program.get_subcommands().any(|it| it.get_name() == command);
                assert!(found, "{name}: there is no command {command}");
            }
        }
    }
}
