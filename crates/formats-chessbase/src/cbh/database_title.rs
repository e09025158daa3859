//! The title of a database in its settings (`.ini`): the only setting that is known.

use tabiya_model::Losses;
use tabiya_model::charset::Charset;
use tabiya_model::metadata::DatabaseMetadata;

use super::encode::name_bytes;

/// Takes the title of what is written, unless the user has given one; reports what the settings do not hold.
pub(crate) fn describe(given: &mut Option<String>, about: &DatabaseMetadata, losses: &mut Losses) {
    if about.is_part {
        return about.lose(losses);
    }
    if about.collections.len() > 1 {
        about.lose_collections(losses);
    }
    about.lose_settings(losses);
    if given.is_none() {
        let title = about.title();
        // A line of settings ends where the line does, and spaces around it go.
        let plain = title.replace(['\r', '\n', '\0'], " ");
        let plain = plain.trim_matches(' ').to_owned();
        if plain != title {
            about.lose_description(losses);
        }
        *given = Some(plain);
    }
}

/// The file of settings with a title, in the section that a version of the program reads.
pub(crate) fn settings(section: &str, title: Option<&str>, charset: Option<Charset>) -> Vec<u8> {
    let mut file = format!("[{section}]\r\nType=0\r\nTitle=").into_bytes();
    file.extend(name_bytes(title.unwrap_or(""), charset));
    file.extend(b"\r\n");
    file
}
