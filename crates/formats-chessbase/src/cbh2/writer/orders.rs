//! The orders of names: a balanced tree for every role, in pages.

use std::io::{self, Seek, SeekFrom, Write};

use super::letters::Cbh2NamePlace;
use super::uses::Cbh2RoleGames;
use crate::cbh2::entities::Cbh2EntityTable;
use crate::cbh2::name_roles::Cbh2NameRole;
use crate::writer::name_list::CbhNameList;

/// The bytes of a page.
const PAGE: usize = 4096;
/// The nodes of a page, and the bytes of one.
const NODES: usize = 102;
const NODE: usize = 40;
/// The pages that a directory names.
const DIRECTORY: usize = 1024;
/// The bytes of an entry of the catalogue, which is the second page.
const ENTRY: usize = 128;
/// The first pages of the orders stand behind the catalogue.
const FIRST: u32 = 2;

/// The names of the orders, and their numbers.
const ORDERS: [(&str, u8); 8] = [
    ("Default Spieler", 1),
    ("Default Turnier", 2),
    ("Default Quelle", 3),
    ("Default Kommentator", 4),
    ("Default Mannschaften", 5),
    ("Default Partietitle", 6),
    ("Texttitel", 6),
    ("Analysen", 6),
];

/// A node of a tree.
#[derive(Copy, Clone, Debug)]
struct Cbh2TreeNode {
    left: i64,
    right: i64,
    parent: i64,
    balance: i16,
}

/// No node.
const NONE: i64 = -1;

/// Links names in their order to a tree whose halves differ by one level at most; gives its root and its height.
fn link(part: &[u32], parent: i64, nodes: &mut [Option<Cbh2TreeNode>]) -> (i64, i16) {
    let Some((before, [middle, after @ ..])) = part.split_at_checked(part.len() / 2) else {
        return (NONE, 0);
    };
    let own = i64::from(*middle);
    // No deeper than a number has bits.
    let (left, left_height) = link(before, own, nodes);
    let (right, right_height) = link(after, own, nodes);
    if let Some(slot) = nodes.get_mut(*middle as usize) {
        *slot = Some(Cbh2TreeNode {
            left,
            right,
            parent,
            balance: right_height - left_height,
        });
    }
    (own, left_height.max(right_height) + 1)
}

/// A page of bytes.
fn page_of(numbers: impl IntoIterator<Item = u32>) -> Vec<u8> {
    let mut page: Vec<u8> = numbers.into_iter().flat_map(u32::to_le_bytes).collect();
    page.resize(PAGE, 0);
    page
}

/// A file of orders that is being written.
struct Cbh2OrderFile<'a, W> {
    out: &'a mut W,
    /// The first page that is free.
    next: u32,
    catalogue: Vec<u8>,
}

impl<W: Write + Seek> Cbh2OrderFile<'_, W> {
    fn put(&mut self, page: u32, bytes: &[u8]) -> io::Result<()> {
        self.out
            .seek(SeekFrom::Start(u64::from(page) * PAGE as u64))?;
        self.out.write_all(bytes)
    }

    /// Gives pages their numbers and writes them; a page without content has number 0.
    fn add(&mut self, pages: impl Iterator<Item = Option<Vec<u8>>>) -> io::Result<Vec<u32>> {
        let mut numbers = Vec::new();
        for page in pages {
            match page {
                None => numbers.push(0),
                Some(page) => {
                    let number = self.next;
                    self.put(number, &page)?;
                    self.next += 1;
                    numbers.push(number);
                }
            }
        }
        Ok(numbers)
    }

    /// Writes the tree of a role.
    fn order(
        &mut self,
        role: Cbh2NameRole,
        names: &CbhNameList,
        games: &Cbh2RoleGames,
    ) -> io::Result<()> {
        let first = FIRST + role as u32;
        let used = (0..names.len()).filter(|name| !games.of(*name).is_empty());
        let mut places: Vec<(Cbh2NamePlace, u32)> = used
            .map(|name| (Cbh2NamePlace::of(role.table(), names.get(name)), name))
            .collect();
        places.sort_unstable();
        let order: Vec<u32> = places.iter().map(|(_, name)| *name).collect();
        let count = order.iter().max().map_or(0, |name| *name as usize + 1);
        let mut keys = vec![0; count];
        for (place, name) in &places {
            if let Some(slot) = keys.get_mut(*name as usize) {
                *slot = place.key;
            }
        }
        drop(places);
        let mut nodes = vec![None; count];
        let (root, _) = link(&order, NONE, &mut nodes);
        let mut pages = nodes.chunks(NODES).zip(keys.chunks(NODES)).map(node_page);
        let depth: u16 = match count.div_ceil(NODES) {
            0 | 1 => {
                let page = pages.next().flatten().unwrap_or_else(|| vec![0; PAGE]);
                self.put(first, &page)?;
                0
            }
            2..=DIRECTORY => {
                let numbers = self.add(pages)?;
                self.put(first, &page_of(numbers))?;
                1
            }
            _ => {
                let numbers = self.add(pages)?;
                let directories = numbers.chunks(DIRECTORY);
                let tops = self.add(directories.map(|part| Some(page_of(part.iter().copied()))))?;
                self.put(first, &page_of(tops))?;
                2
            }
        };
        self.entry(role, depth, first, root, order.len());
        Ok(())
    }

    fn entry(&mut self, role: Cbh2NameRole, depth: u16, page: u32, root: i64, nodes: usize) {
        let Some((name, number)) = ORDERS.get(role as usize) else {
            return;
        };
        let table = u8::try_from(role.table().number()).unwrap_or(0);
        let start = self.catalogue.len();
        self.catalogue.extend(depth.to_be_bytes());
        self.catalogue.extend(page.to_be_bytes());
        self.catalogue.extend(root.to_be_bytes());
        self.catalogue.extend((nodes as u64).to_be_bytes());
        self.catalogue.extend([table + 1, 3, *number, 1]);
        let length = u16::try_from(name.len()).unwrap_or(0);
        self.catalogue.extend(length.to_be_bytes());
        self.catalogue.extend_from_slice(name.as_bytes());
        self.catalogue.resize(start + ENTRY, 0);
    }
}

/// The page of some nodes with their keys; nothing where there are none.
fn node_page((nodes, keys): (&[Option<Cbh2TreeNode>], &[u64])) -> Option<Vec<u8>> {
    nodes.iter().find(|node| node.is_some())?;
    let mut page = Vec::with_capacity(PAGE);
    for ((place, node), key) in (0_u32..).zip(nodes).zip(keys) {
        match node {
            None => page.resize(page.len() + NODE, 0),
            Some(node) => {
                for link in [node.left, node.right, node.parent] {
                    page.extend(link.to_le_bytes());
                }
                page.extend(key.to_le_bytes());
                page.extend(node.balance.to_le_bytes());
                page.extend([0; 2]);
                page.extend(place.to_le_bytes());
            }
        }
    }
    page.resize(PAGE, 0);
    Some(page)
}

/// Writes the file of all orders; gives its size. The names are those of each role.
pub(super) fn write<W: Write + Seek>(
    out: &mut W,
    roles: &[Cbh2RoleGames; 8],
    names: &[CbhNameList; 5],
) -> io::Result<u64> {
    let mut file = Cbh2OrderFile {
        out,
        next: FIRST + 8,
        catalogue: Vec::new(),
    };
    for (role, games) in Cbh2NameRole::ALL.into_iter().zip(roles) {
        let mut own = Cbh2EntityTable::ALL.into_iter().zip(names);
        if let Some((_, names)) = own.find(|(table, _)| *table == role.table()) {
            file.order(role, names, games)?;
        }
    }
    let mut catalogue = std::mem::take(&mut file.catalogue);
    catalogue.resize(PAGE, 0);
    file.put(1, &catalogue)?;
    let mut head: Vec<u8> = [1, file.next, PAGE as u32]
        .into_iter()
        .flat_map(u32::to_be_bytes)
        .collect();
    head.resize(PAGE, 0);
    file.put(0, &head)?;
    Ok(u64::from(file.next) * PAGE as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The height of a part; every balance and every parent is looked at.
    fn height(at: i64, parent: i64, nodes: &[Option<Cbh2TreeNode>]) -> i16 {
        let Ok(index) = usize::try_from(at) else {
            return 0;
        };
        let node = nodes[index].expect("a node");
        let (left, right) = (height(node.left, at, nodes), height(node.right, at, nodes));
        assert_eq!((right - left, parent), (node.balance, node.parent));
        assert!((right - left).abs() <= 1);
        left.max(right) + 1
    }

    #[test]
    fn trees_are_balanced() {
        for count in 0..200_u32 {
            let order: Vec<u32> = (0..count).rev().collect();
            let mut nodes = vec![None; count as usize];
            let (root, levels) = link(&order, NONE, &mut nodes);
            assert_eq!(height(root, NONE, &nodes), levels, "{count}");
        }
    }
}
