//! `.2lcd`: the orders in which names are sorted, a balanced tree each.

use super::Cbh2GameTally;
use crate::cbh2::name_roles::Cbh2NameRole;
use crate::counted::counted;

const PAGE: usize = 4096;
/// The nodes of a page.
const NODES: u64 = 102;
/// The bytes of a node.
const NODE: usize = 40;
/// The pages that a directory names.
const DIRECTORY: u64 = 1024;
/// The bytes of an entry of the catalogue, which is the second page.
const ENTRY: usize = 128;
/// A balanced tree of all numbers is not deeper than this.
const DEEPEST: usize = 128;

fn array<const N: usize>(file: &[u8], at: usize) -> Option<[u8; N]> {
    file.get(at..)?.first_chunk().copied()
}

/// A tree as the catalogue has it.
#[derive(Copy, Clone, Debug)]
struct Cbh2OrderTree<'a> {
    file: &'a [u8],
    depth: i16,
    page: i32,
    root: i64,
    nodes: i64,
}

/// A node of a tree.
#[derive(Copy, Clone, Debug)]
struct Cbh2OrderNode {
    left: i64,
    right: i64,
    parent: i64,
    key: u64,
    balance: i16,
}

impl<'a> Cbh2OrderTree<'a> {
    fn of(file: &'a [u8], place: usize) -> Option<Cbh2OrderTree<'a>> {
        let at = PAGE.checked_add(place.checked_mul(ENTRY)?)?;
        Some(Cbh2OrderTree {
            file,
            depth: i16::from_be_bytes(array(file, at)?),
            page: i32::from_be_bytes(array(file, at + 2)?),
            root: i64::from_be_bytes(array(file, at + 6)?),
            nodes: i64::from_be_bytes(array(file, at + 14)?),
        })
    }

    /// The page that a directory names.
    fn entry(&self, page: i32, index: u64) -> Option<i32> {
        let page = usize::try_from(page).ok().filter(|page| *page > 0)?;
        let index = usize::try_from(index).ok()?;
        let at = page.checked_mul(PAGE)?.checked_add(4 * index)?;
        array(self.file, at).map(i32::from_le_bytes)
    }

    fn node(&self, id: u64) -> Option<Cbh2OrderNode> {
        let number = id / NODES;
        let page = match self.depth {
            0 => (number == 0).then_some(self.page)?,
            1 => self.entry(self.page, (number < DIRECTORY).then_some(number)?)?,
            2 => {
                let top = number / DIRECTORY;
                let directory = self.entry(self.page, (top < DIRECTORY).then_some(top)?)?;
                self.entry(directory, number % DIRECTORY)?
            }
            _ => return None,
        };
        let page = usize::try_from(page).ok().filter(|page| *page > 0)?;
        let index = usize::try_from(id % NODES).ok()?;
        let at = page.checked_mul(PAGE)?.checked_add(index * NODE)?;
        let bytes: [u8; NODE] = array(self.file, at)?;
        let word = |at: usize| array(&bytes, at).map(i64::from_le_bytes);
        Some(Cbh2OrderNode {
            left: word(0)?,
            right: word(8)?,
            parent: word(16)?,
            key: word(24)?.cast_unsigned(),
            balance: i16::from_le_bytes(array(&bytes, 32)?),
        })
    }
}

/// A node on the way down, with the height of its left side once that is known.
struct Cbh2OrderStep {
    id: i64,
    node: Cbh2OrderNode,
    left: Option<usize>,
}

/// Compares a tree with the names that have games in its role.
pub(super) fn compare(
    file: &[u8],
    role: Cbh2NameRole,
    tallies: &[Cbh2GameTally],
) -> Result<(), String> {
    let tree = Cbh2OrderTree::of(file, role as usize).ok_or("the catalogue is truncated")?;
    let mut seen = vec![false; tallies.len()];
    let mut way: Vec<Cbh2OrderStep> = Vec::new();
    // The height of the subtree that was just left.
    let mut height = 0;
    let mut next = Some((tree.root, -1));
    let mut before: Option<(i64, u64)> = None;
    loop {
        if let Some((id, parent)) = next.take() {
            if id != -1 {
                let slot = usize::try_from(id).ok().and_then(|id| seen.get_mut(id));
                let slot = slot.ok_or_else(|| format!("node {id} is not a name"))?;
                if std::mem::replace(slot, true) {
                    return Err(format!("node {id} is listed twice"));
                }
                let node = tree
                    .node(id.unsigned_abs())
                    .ok_or_else(|| format!("node {id} is not in the file"))?;
                if node.parent != parent {
                    return Err(format!("node {id} has the parent {}", node.parent));
                }
                if way.len() >= DEEPEST {
                    return Err(format!("it is deeper than {DEEPEST} levels"));
                }
                next = Some((node.left, id));
                way.push(Cbh2OrderStep {
                    id,
                    node,
                    left: None,
                });
                continue;
            }
            height = 0;
        }
        let Some(step) = way.last_mut() else { break };
        match step.left {
            None => {
                step.left = Some(height);
                let (id, key) = (step.id, step.node.key);
                if let Some((other, smaller)) = before
                    && smaller > key
                    && key != 0
                {
                    return Err(format!(
                        "node {id} is after node {other}, but its key is smaller"
                    ));
                }
                before = Some((id, key));
                next = Some((step.node.right, id));
            }
            Some(left) => {
                let (id, balance) = (step.id, i64::from(step.node.balance));
                let difference = height as i64 - left as i64;
                if balance != difference || difference.abs() > 1 {
                    return Err(format!(
                        "node {id} has balance {balance} instead of {difference}"
                    ));
                }
                height = height.max(left) + 1;
                way.pop();
            }
        }
    }
    let count = seen.iter().filter(|seen| **seen).count();
    if i64::try_from(count).ok() != Some(tree.nodes) {
        let noted = counted(tree.nodes, "name", "names");
        return Err(format!("it counts {noted}, but has {count}"));
    }
    let wrong = |(seen, tally): (&bool, &Cbh2GameTally)| *seen != (tally.count > 0);
    match seen.iter().zip(tallies).position(wrong) {
        Some(id) => Err(format!(
            "name {id} has games and no node, or a node and no games"
        )),
        None => Ok(()),
    }
}
