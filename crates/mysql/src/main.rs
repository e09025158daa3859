//! The program `tabiya-mysql`: the command line of Tabiya, which opens databases on servers too.

use std::process::ExitCode;

fn main() -> ExitCode {
    tabiya::database_server::use_client(&tabiya_mysql::MysqlClient);
    tabiya_cli::main()
}
