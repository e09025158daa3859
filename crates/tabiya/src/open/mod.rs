//! Finds out what a path holds and opens it: databases, archives, folders, servers, and the index beside a database.

pub mod archive;
pub mod base;
pub mod database_server;
pub(crate) mod folder;
pub mod folder_listing;
pub mod foreign_formats;
pub mod identify;
pub(crate) mod inspection;
pub(crate) mod lake_tables;
pub(crate) mod open_settings;
pub mod opener;
pub mod sidecar;
pub(crate) mod temporary_folder;
pub mod window_list;
