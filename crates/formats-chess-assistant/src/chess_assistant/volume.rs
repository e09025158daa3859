//! The small file system inside an EMB.
//!
//! A file is a length and the place of a table of fragments. The directory is a file too. Everything is checked when
//! the volume is opened, so that reading a file afterwards takes no more memory than the volume itself.

use thiserror::Error;

use super::layout::{EMB_VERSION, SIGNATURE, array, c_string, u32_at};

/// Bytes before the first fragment.
pub const VOLUME_HEADER_BYTES: usize = 144;
/// Bytes of a directory entry.
pub const ENTRY_BYTES: usize = 256;
/// The offset of the name in a directory entry.
const NAME_AT: usize = 28;
/// Bytes of one line in a table of fragments.
const PAIR_BYTES: usize = 8;

/// The damage of a file of the volume, and its place.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("inner file \"{file}\": {what}")]
pub struct CaVolumeDamage {
    /// The inner file, or another damaged part of the volume.
    pub file: String,
    /// The offset in the EMB.
    pub offset: u64,
    /// The damage.
    pub what: String,
}

/// A run of bytes of the EMB that belongs to a file.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
struct CaFragment {
    start: usize,
    end: usize,
}

/// A file of the volume.
#[derive(Clone, Debug)]
pub struct CaInnerFile {
    /// The name in the directory.
    pub name: Vec<u8>,
    /// The length that the directory claims.
    pub length: u32,
    /// The offset of its table of fragments.
    pub offset: u32,
    /// Whether the two numbers at the start of its entry are those of the description.
    pub is_usual: bool,
    fragments: Result<Vec<CaFragment>, CaVolumeDamage>,
}

impl CaInnerFile {
    /// The name for people.
    pub fn display_name(&self) -> String {
        String::from_utf8_lossy(&self.name).into_owned()
    }

    /// The damage of the file.
    pub fn damage(&self) -> Option<&CaVolumeDamage> {
        self.fragments.as_ref().err()
    }

    /// The number of its fragments.
    pub fn fragments(&self) -> usize {
        self.fragments.as_ref().map_or(0, Vec::len)
    }
}

/// An opened volume.
#[derive(Clone, Debug)]
pub struct CaVolume<'a> {
    bytes: &'a [u8],
    files: Vec<CaInnerFile>,
    /// The version text of the EMB.
    pub version: &'a [u8],
    /// Bytes after the last whole entry of the directory.
    pub directory_rest: usize,
}

/// Follows tables of fragments, but never more of them than the volume has room for.
struct CaFragmentWalker<'a> {
    bytes: &'a [u8],
    /// Lines of tables that may still be read: tables that share no bytes cannot have more.
    lines: usize,
}

impl CaFragmentWalker<'_> {
    /// The fragments of a file, and the range of its table.
    fn walk(
        &mut self,
        name: &str,
        length: u32,
        offset: u32,
    ) -> Result<(Vec<CaFragment>, CaFragment), CaVolumeDamage> {
        let damage = |offset: usize, what: String| CaVolumeDamage {
            file: name.to_owned(),
            offset: offset as u64,
            what,
        };
        let table = usize::try_from(offset).unwrap_or(usize::MAX);
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        let mut at = table;
        let mut fragments = Vec::new();
        let mut sum = 0_usize;
        if length > self.bytes.len() {
            let size = self.bytes.len();
            let what = format!("its length is {length} bytes, but the whole volume has {size}");
            return Err(damage(table, what));
        }
        while sum < length {
            if self.lines == 0 {
                return Err(damage(at, "tables of fragments overlap".to_owned()));
            }
            self.lines -= 1;
            let (Some(size), Some(start)) = (
                u32_at(self.bytes, at),
                at.checked_add(4).and_then(|at| u32_at(self.bytes, at)),
            ) else {
                let what = format!(
                    "its table of fragments is outside the volume after {sum} of {length} bytes"
                );
                return Err(damage(at, what));
            };
            let size = usize::try_from(size).unwrap_or(usize::MAX);
            let start = usize::try_from(start).unwrap_or(usize::MAX);
            let end = start
                .checked_add(size)
                .filter(|end| *end <= self.bytes.len());
            let Some(end) = end else {
                let what =
                    format!("a fragment of {size} bytes at byte {start} is outside the volume");
                return Err(damage(at, what));
            };
            if size == 0 {
                return Err(damage(at, "an empty fragment".to_owned()));
            }
            // Neither can overflow: both are at most the length of the volume.
            sum = sum.saturating_add(size);
            at = at.saturating_add(PAIR_BYTES);
            fragments.push(CaFragment { start, end });
        }
        if sum > length {
            let what = format!("its fragments have {sum} bytes, not {length}");
            return Err(damage(table, what));
        }
        Ok((
            fragments,
            CaFragment {
                start: table,
                end: at,
            },
        ))
    }
}

fn join(bytes: &[u8], fragments: &[CaFragment]) -> Vec<u8> {
    let size = fragments
        .iter()
        .map(|f| f.end.saturating_sub(f.start))
        .sum();
    let mut joined = Vec::with_capacity(size);
    for fragment in fragments {
        joined.extend_from_slice(bytes.get(fragment.start..fragment.end).unwrap_or_default());
    }
    joined
}

impl<'a> CaVolume<'a> {
    /// Reads the directory and follows every file to its end. Damage of single files is kept with them.
    pub fn open(bytes: &'a [u8]) -> Result<CaVolume<'a>, CaVolumeDamage> {
        let damage = |offset: usize, what: String| CaVolumeDamage {
            file: "directory".to_owned(),
            offset: offset as u64,
            what,
        };
        let (Some(version), Some(length), Some(offset)) =
            (bytes.get(64..128), u32_at(bytes, 136), u32_at(bytes, 140))
        else {
            let what = format!(
                "the volume has {} bytes, but its header alone has 144",
                bytes.len()
            );
            return Err(damage(bytes.len(), what));
        };
        let mut walker = CaFragmentWalker {
            bytes,
            lines: bytes.len() / PAIR_BYTES,
        };
        let (runs, table) = walker.walk("directory", length, offset)?;
        let directory = join(bytes, &runs);
        let entries = directory.chunks_exact(ENTRY_BYTES);
        let directory_rest = entries.remainder().len();
        // Every owner of bytes, to find those that share some; `None` is the volume itself.
        let mut claims = vec![(0, VOLUME_HEADER_BYTES, None)];
        if !runs.is_empty() {
            claims.push((table.start, table.end, None));
            claims.extend(runs.iter().map(|run| (run.start, run.end, None)));
        }
        let mut files = Vec::new();
        for entry in entries {
            let name = c_string(entry.get(NAME_AT..).unwrap_or_default());
            let length = u32_at(entry, 8).unwrap_or(0);
            let offset = u32_at(entry, 12).unwrap_or(0);
            let is_usual = array(entry, 0) == Some([0, 0, 0, 0, 2, 0, 0, 0]);
            let shown = String::from_utf8_lossy(name);
            let fragments = walker.walk(&shown, length, offset).map(|(runs, table)| {
                if !runs.is_empty() {
                    let number = Some(files.len());
                    claims.push((table.start, table.end, number));
                    claims.extend(runs.iter().map(|run| (run.start, run.end, number)));
                }
                runs
            });
            files.push(CaInnerFile {
                name: name.to_owned(),
                length,
                offset,
                is_usual,
                fragments,
            });
        }
        let mut volume = CaVolume {
            bytes,
            files,
            version: c_string(version),
            directory_rest,
        };
        volume.refuse_shared(claims)?;
        Ok(volume)
    }

    /// Marks the files that share bytes with each other or with the structure of the volume.
    fn refuse_shared(
        &mut self,
        mut claims: Vec<(usize, usize, Option<usize>)>,
    ) -> Result<(), CaVolumeDamage> {
        claims.sort_unstable();
        let (mut reached, mut by) = (0, None);
        for (start, end, owner) in claims {
            if start < reached {
                let name = |owner: Option<usize>| {
                    owner
                        .and_then(|at| self.files.get(at))
                        .map_or_else(|| "directory".to_owned(), CaInnerFile::display_name)
                };
                let damages = [(owner, by), (by, owner)].map(|(one, other)| {
                    let damage = CaVolumeDamage {
                        file: name(one),
                        offset: start as u64,
                        what: format!("it shares bytes with \"{}\"", name(other)),
                    };
                    (one, damage)
                });
                if owner.is_none() && by.is_none() {
                    let [(_, damage), _] = damages;
                    return Err(damage);
                }
                for (at, damage) in damages {
                    if let Some(file) = at.and_then(|at| self.files.get_mut(at)) {
                        file.fragments = Err(damage);
                    }
                }
            }
            if end > reached {
                (reached, by) = (end, owner);
            }
        }
        Ok(())
    }

    /// The files in the order of the directory.
    pub fn files(&self) -> &[CaInnerFile] {
        &self.files
    }

    /// The first file of a name; the case of letters does not matter.
    pub fn find(&self, name: &str) -> Option<&CaInnerFile> {
        self.files
            .iter()
            .find(|file| file.name.eq_ignore_ascii_case(name.as_bytes()))
    }

    /// The bytes of a file.
    pub fn read(&self, file: &CaInnerFile) -> Result<Vec<u8>, CaVolumeDamage> {
        match &file.fragments {
            Ok(fragments) => Ok(join(self.bytes, fragments)),
            Err(damage) => Err(damage.clone()),
        }
    }
}

/// Builds a volume from files, each in fragments of at most `fragment` bytes; `None` if it would exceed 4 GB.
pub fn build<N: AsRef<str>, C: AsRef<[u8]>>(files: &[(N, C)], fragment: usize) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    for text in [SIGNATURE, EMB_VERSION] {
        let end = out.len() + 64;
        out.extend_from_slice(text);
        out.resize(end, 0);
    }
    out.resize(VOLUME_HEADER_BYTES, 0);
    let mut directory = Vec::with_capacity(files.len() * ENTRY_BYTES);
    for (name, content) in files {
        let (name, content) = (name.as_ref(), content.as_ref());
        let offset = append(&mut out, content, fragment)?;
        let length = u32::try_from(content.len()).ok()?;
        let end = directory.len() + ENTRY_BYTES;
        for number in [0, 2, length, offset] {
            directory.extend_from_slice(&number.to_le_bytes());
        }
        directory.resize(end - ENTRY_BYTES + NAME_AT, 0);
        directory.extend_from_slice(name.as_bytes());
        directory.resize(end, 0);
    }
    let offset = append(&mut out, &directory, fragment)?;
    let length = u32::try_from(directory.len()).ok()?;
    for (place, number) in [(136, length), (140, offset)] {
        if let Some(field) = out.get_mut(place..place + 4) {
            field.copy_from_slice(&number.to_le_bytes());
        }
    }
    Some(out)
}

/// Appends the fragments of a file and their table; the result is the place of the table.
fn append(out: &mut Vec<u8>, content: &[u8], fragment: usize) -> Option<u32> {
    let mut table = Vec::new();
    for part in content.chunks(fragment.max(1)) {
        table.extend_from_slice(&u32::try_from(part.len()).ok()?.to_le_bytes());
        table.extend_from_slice(&u32::try_from(out.len()).ok()?.to_le_bytes());
        out.extend_from_slice(part);
    }
    let offset = u32::try_from(out.len()).ok()?;
    out.extend_from_slice(&table);
    Some(offset)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Vec<u8> {
        let files = [
            ("Players.a01", vec![1; 20]),
            ("Players.d01", (0..100).collect()),
            ("Empty", Vec::new()),
        ];
        build(&files, 16).expect("small")
    }

    /// The place of the table of the n-th file.
    fn table_of(bytes: &[u8], n: usize) -> usize {
        let volume = CaVolume::open(bytes).expect("whole");
        volume.files()[n].offset as usize
    }

    fn patch(bytes: &mut [u8], at: usize, value: u32) {
        bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
    }

    #[test]
    fn what_is_built_is_read() {
        let bytes = sample();
        let volume = CaVolume::open(&bytes).expect("whole");
        let file = volume.find("PLAYERS.D01").expect("there");
        assert_eq!(volume.read(file), Ok((0..100).collect()));
        assert_eq!(file.fragments(), 7);
        assert!(file.is_usual);
        let empty = volume.find("empty").expect("there");
        assert_eq!(volume.read(empty), Ok(Vec::new()));
        assert!(volume.find("Events.a01").is_none());
    }

    #[test]
    fn hostile_tables_are_refused_with_file_and_offset() {
        let good = sample();
        let table = table_of(&good, 1);
        let size = u32::try_from(good.len()).expect("small");
        let cases: [(usize, u32, &str); 8] = [
            (table, 0, "empty fragment"),
            (table, u32::MAX, "outside the volume"),
            (table + 4, size, "outside the volume"),
            (table + 4, u32::MAX, "outside the volume"),
            (table, 17, "shares bytes"),
            (table + 4, table as u32, "shares bytes"),
            (table + 4, 0, "shares bytes"),
            (table, 15, "outside the volume"),
        ];
        for (at, value, what) in cases {
            let mut bytes = good.clone();
            patch(&mut bytes, at, value);
            let volume = CaVolume::open(&bytes).expect("the directory is whole");
            let damage = volume.find("Players.d01").and_then(CaInnerFile::damage);
            // If the sum of the lengths is wrong, the walk continues into the bytes after the table.
            let damage = damage.expect("damaged").clone();
            assert!(
                damage.what.contains(what) || damage.what.contains("fragment"),
                "{at} {value}: {damage}"
            );
            assert_eq!(damage.file, "Players.d01");
        }
    }

    #[test]
    fn a_directory_that_is_its_own_fragment_is_refused() {
        let good = sample();
        let offset = u32::from_le_bytes(array(&good, 140).expect("there"));
        let mut bytes = good.clone();
        patch(&mut bytes, offset as usize + 4, offset);
        assert!(CaVolume::open(&bytes).is_err());
        let mut bytes = good.clone();
        patch(&mut bytes, 136, u32::MAX);
        let damage = CaVolume::open(&bytes).expect_err("too long");
        assert!(damage.what.contains("the whole volume has"), "{damage}");
        let mut bytes = good;
        patch(&mut bytes, 140, u32::MAX - 3);
        assert!(CaVolume::open(&bytes).is_err());
    }

    #[test]
    fn tables_over_each_other_do_not_take_the_time_of_their_product() {
        // Many entries that share one long table.
        let table = VOLUME_HEADER_BYTES;
        let mut bytes = vec![0; VOLUME_HEADER_BYTES];
        for _ in 0..4096 {
            bytes.extend_from_slice(&1_u32.to_le_bytes());
            bytes.extend_from_slice(&0_u32.to_le_bytes());
        }
        let directory = bytes.len();
        for _ in 0..512 {
            let mut entry = vec![0; ENTRY_BYTES];
            patch(&mut entry, 8, 4096);
            patch(&mut entry, 12, table as u32);
            bytes.extend(entry);
        }
        let end = bytes.len();
        bytes.extend_from_slice(&(512 * 256_u32).to_le_bytes());
        bytes.extend_from_slice(&(directory as u32).to_le_bytes());
        patch(&mut bytes, 136, 512 * 256);
        patch(&mut bytes, 140, end as u32);
        let volume = CaVolume::open(&bytes).expect("the directory is whole");
        assert!(volume.files().iter().all(|file| file.damage().is_some()));
        let walked: usize = volume.files().iter().map(CaInnerFile::fragments).sum();
        assert!(walked * PAIR_BYTES <= bytes.len());
    }

    #[test]
    fn every_truncation_and_flip_gives_an_answer() {
        let good = sample();
        for end in 0..good.len() {
            if let Ok(volume) = CaVolume::open(&good[..end]) {
                assert!(
                    volume
                        .files()
                        .iter()
                        .all(|f| volume.read(f).is_ok() == f.damage().is_none())
                );
            }
        }
        let mut damaged = 0;
        for at in 0..good.len() {
            for bit in [1, 0x80] {
                let mut bytes = good.clone();
                bytes[at] ^= bit;
                match CaVolume::open(&bytes) {
                    Err(_) => damaged += 1,
                    Ok(volume) => {
                        let total: usize = volume
                            .files()
                            .iter()
                            .filter_map(|f| volume.read(f).ok())
                            .map(|b| b.len())
                            .sum();
                        assert!(total <= bytes.len());
                    }
                }
            }
        }
        assert!(damaged > 0);
    }
}
