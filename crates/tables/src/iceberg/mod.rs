//! Iceberg metadata for the games of a lake: the same files, listed as Spark, Trino, DuckDB and pyiceberg expect them.
//!
//! Format version 2, one snapshot, no partitions: columns are identified by their names, because the files have no
//! numbers for them.
//!
//! Iceberg names files by their full path: a lake that is moved needs new metadata. So each file is there twice:
//! `v7.metadata.json` has full paths, and `here.metadata.json` has paths relative to the folder of the lake, which work
//! wherever that is, for programs that read it from inside.

mod avro;

use std::io::Write;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use tabiya_columns::ColumnType;
use tabiya_formats::lake::{LakeChange, LakeManifest, columns, manifest};
use tabiya_io::disk::Disk;
use tabiya_io::fingerprint::hash_all;
use tabiya_io::{held_folder, regular_file};
use tabiya_model::json::push_text;
use tabiya_model::{Error, Result};

use avro::{AvroRecord, file};

/// The folder of the metadata.
pub const FOLDER: &str = "metadata";

const LIST_SCHEMA: &str = r#"{"type":"record","name":"manifest_file","fields":[
{"name":"manifest_path","type":"string","field-id":500},
{"name":"manifest_length","type":"long","field-id":501},
{"name":"partition_spec_id","type":"int","field-id":502},
{"name":"content","type":"int","field-id":517},
{"name":"sequence_number","type":"long","field-id":515},
{"name":"min_sequence_number","type":"long","field-id":516},
{"name":"added_snapshot_id","type":"long","field-id":503},
{"name":"added_files_count","type":"int","field-id":504},
{"name":"existing_files_count","type":"int","field-id":505},
{"name":"deleted_files_count","type":"int","field-id":506},
{"name":"added_rows_count","type":"long","field-id":512},
{"name":"existing_rows_count","type":"long","field-id":513},
{"name":"deleted_rows_count","type":"long","field-id":514}]}"#;

const ENTRY_SCHEMA: &str = r#"{"type":"record","name":"manifest_entry","fields":[
{"name":"status","type":"int","field-id":0},
{"name":"snapshot_id","type":["null","long"],"default":null,"field-id":1},
{"name":"sequence_number","type":["null","long"],"default":null,"field-id":3},
{"name":"file_sequence_number","type":["null","long"],"default":null,"field-id":4},
{"name":"data_file","field-id":2,"type":{"type":"record","name":"r2","fields":[
{"name":"content","type":"int","field-id":134},
{"name":"file_path","type":"string","field-id":100},
{"name":"file_format","type":"string","field-id":101},
{"name":"partition","field-id":102,"type":{"type":"record","name":"r102","fields":[]}},
{"name":"record_count","type":"long","field-id":103},
{"name":"file_size_in_bytes","type":"long","field-id":104}]}}]}"#;

fn text(text: &str) -> String {
    let mut out = Vec::new();
    push_text(text, &mut out);
    String::from_utf8_lossy(&out).into_owned()
}

fn long(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

/// The columns as Iceberg's schema, and the names by which they are found in files.
fn schema(manifest: &LakeManifest) -> (String, String, usize) {
    let (mut fields, mut names) = (Vec::new(), Vec::new());
    for (id, field) in (1..).zip(columns(manifest)) {
        let kind = match field.kind {
            ColumnType::Int => "int",
            ColumnType::Long => "long",
            ColumnType::Day => "date",
            ColumnType::Real => "double",
            ColumnType::Text => "string",
            ColumnType::Bytes => "binary",
        };
        let (name, required) = (field.name, field.required);
        fields.push(format!(
            "{{\"id\":{id},\"name\":\"{name}\",\"required\":{required},\"type\":\"{kind}\"}}"
        ));
        names.push(format!("{{\"field-id\":{id},\"names\":[\"{name}\"]}}"));
    }
    let schema = format!(
        "{{\"type\":\"struct\",\"schema-id\":0,\"fields\":[{}]}}",
        fields.join(",")
    );
    (schema, format!("[{}]", names.join(",")), fields.len())
}

/// How paths of files are written.
#[derive(Copy, Clone, PartialEq, Eq)]
enum IcebergPathStyle {
    /// Including all folders.
    Absolute,
    /// Relative to the folder of the lake.
    Here,
}

/// The names of metadata files that are valid wherever the lake is.
const HERE: &str = "here";

/// The location of a lake in Iceberg's notation.
fn location(place: &Path) -> Result<String> {
    let named = |error: std::io::Error| Error::from(error).in_file(place.to_string_lossy());
    let place = std::path::absolute(place).map_err(named)?;
    let place = match (held_folder::real(&place), place.parent(), place.file_name()) {
        // The folder exists only when everything is written.
        (Err(_), Some(parent), Some(name)) => held_folder::real(parent).map_err(named)?.join(name),
        (real, ..) => real.map_err(named)?,
    };
    Ok(format!(
        "file://{}",
        place.to_string_lossy().replace('\\', "/")
    ))
}

/// Writes the metadata of the new state of a lake at its place, in addition to those of earlier states.
pub fn write(change: &mut LakeChange, place: &Path) -> Result<()> {
    let location = location(place)?;
    for named in [IcebergPathStyle::Absolute, IcebergPathStyle::Here] {
        write_as(change, &location, named)?;
    }
    Ok(())
}

fn write_as(change: &mut LakeChange, location: &str, named: IcebergPathStyle) -> Result<()> {
    let manifest = change.manifest.clone();
    let sequence = match named {
        IcebergPathStyle::Absolute => format!("{:06}", manifest.sequence),
        IcebergPathStyle::Here => format!("{:06}-{HERE}", manifest.sequence),
    };
    let at = |path: &str| match named {
        IcebergPathStyle::Absolute => format!("{location}/{path}"),
        IcebergPathStyle::Here => path.to_owned(),
    };
    let snapshot = long(manifest.sequence);
    let (schema, names, columns) = schema(&manifest);
    let games = manifest.table(manifest::GAMES);

    let entries: Vec<AvroRecord> = games
        .iter()
        .map(|entry| {
            let mut values = AvroRecord::default();
            // Added by this snapshot.
            values.long(1).some(snapshot).some(snapshot).some(snapshot);
            values.long(0).text(&at(&entry.path)).text("PARQUET");
            values.long(long(entry.rows)).long(long(entry.bytes));
            values
        })
        .collect();
    let notes = [
        ("schema", schema.as_str()),
        ("schema-id", "0"),
        ("partition-spec", "[]"),
        ("partition-spec-id", "0"),
        ("format-version", "2"),
        ("content", "data"),
    ];
    let entries_name = format!("{sequence}-games.avro");
    let entries = file(ENTRY_SCHEMA, &notes, &entries);
    put(change, &entries_name, &entries)?;

    let mut listed = AvroRecord::default();
    let entries_path = at(&format!("{FOLDER}/{entries_name}"));
    listed.text(&entries_path).long(long(entries.len() as u64));
    listed
        .long(0)
        .long(0)
        .long(snapshot)
        .long(snapshot)
        .long(snapshot);
    listed.long(long(games.len() as u64)).long(0).long(0);
    listed.long(long(manifest.games())).long(0).long(0);
    let list_name = format!("{sequence}-snapshot.avro");
    let number = manifest.sequence.to_string();
    let notes = [
        ("snapshot-id", number.as_str()),
        ("sequence-number", number.as_str()),
        ("format-version", "2"),
    ];
    put(change, &list_name, &file(LIST_SCHEMA, &notes, &[listed]))?;

    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_millis();
    let (id, _) = hash_all(location.as_bytes())?;
    let uuid = format!(
        "{:08x}-{:04x}-4{:03x}-8{:03x}-{:012x}",
        id >> 32,
        id >> 16 & 0xffff,
        id >> 4 & 0xfff,
        id >> 24 & 0xfff,
        id & 0xffff_ffff_ffff
    );
    let list_path = text(&at(&format!("{FOLDER}/{list_name}")));
    let (location, names) = match named {
        IcebergPathStyle::Absolute => (text(location), text(&names)),
        IcebergPathStyle::Here => (text("."), text(&names)),
    };
    let metadata = format!(
        r#"{{"format-version":2,"table-uuid":"{uuid}","location":{location},
"last-sequence-number":{snapshot},"last-updated-ms":{now},"last-column-id":{columns},
"current-schema-id":0,"schemas":[{schema}],
"default-spec-id":0,"partition-specs":[{{"spec-id":0,"fields":[]}}],"last-partition-id":999,
"default-sort-order-id":0,"sort-orders":[{{"order-id":0,"fields":[]}}],
"properties":{{"schema.name-mapping.default":{names}}},
"current-snapshot-id":{snapshot},
"snapshots":[{{"snapshot-id":{snapshot},"sequence-number":{snapshot},"timestamp-ms":{now},"schema-id":0,
"manifest-list":{list_path},"summary":{{"operation":"append"}}}}],
"snapshot-log":[],"metadata-log":[],"refs":{{"main":{{"snapshot-id":{snapshot},"type":"branch"}}}}}}
"#
    );
    let name = match named {
        IcebergPathStyle::Absolute => format!("v{}.metadata.json", manifest.sequence),
        IcebergPathStyle::Here => format!("{sequence}.metadata.json"),
    };
    put(change, &name, metadata.as_bytes())
}

fn put(change: &mut LakeChange, name: &str, bytes: &[u8]) -> Result<()> {
    let mut file = change.create_named(FOLDER, name)?;
    file.write_all(bytes)?;
    file.sync()
}

/// Points readers to the current metadata of a lake, once it is in its place.
pub fn point(lake: &Path, manifest: &LakeManifest) -> Result<()> {
    let folder = lake.join(FOLDER);
    let here = format!("{:06}-{HERE}.metadata.json", manifest.sequence);
    let here_path = folder.join(here);
    let bytes = regular_file::read(&here_path)
        .map_err(|error| Error::from(error).in_file(here_path.to_string_lossy()))?;
    replace(&folder, &format!("{HERE}.metadata.json"), &bytes)?;
    let sequence = manifest.sequence.to_string();
    replace(&folder, "version-hint.text", sequence.as_bytes())
}

/// Whether the metadata matches the current state and place of a lake.
pub fn is_current(lake: &Path) -> Result<bool> {
    let Some(manifest) = LakeManifest::of_folder(lake)? else {
        return Ok(false);
    };
    let folder = lake.join(FOLDER);
    let sequence = manifest.sequence;
    let hint = regular_file::read(&folder.join("version-hint.text")).unwrap_or_default();
    let metadata = regular_file::read(&folder.join(format!("v{sequence}.metadata.json")));
    let named = format!("\"location\":{}", text(&location(lake)?));
    let is_here = metadata.is_ok_and(|metadata| {
        metadata
            .windows(named.len())
            .any(|window| window == named.as_bytes())
    });
    let here = folder.join(format!("{HERE}.metadata.json"));
    Ok(is_here && hint == sequence.to_string().as_bytes() && held_folder::exists(&here))
}

/// Replaces a file as a whole.
fn replace(folder: &Path, name: &str, bytes: &[u8]) -> Result<()> {
    let disk = Disk::current();
    let path = folder.join(name);
    let write = || {
        match disk.create_folder(folder) {
            Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        let new = folder.join(format!(".{name}.new"));
        disk.remove(&new)?;
        let mut file = disk.create_new(&new)?;
        file.write_all(bytes)?;
        file.sync()?;
        disk.rename(&new, &path)?;
        disk.sync_folder_of(&path)
    };
    write().map_err(|error| Error::from(error).in_file(path.to_string_lossy()))
}
