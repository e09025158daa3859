//! Archives of ChessBase, the other way round: a packer of our own that only tests use. It shares no code with the reader.

use des::Des;
use des::cipher::{BlockCipherEncrypt, KeyInit};

/// Files as an archive. The blocks of a stream are packed in different ways in turn.
pub(crate) fn archive(members: &[(String, Vec<u8>)]) -> Vec<u8> {
    let count = u16::try_from(members.len()).expect("few");
    let mut bytes = [&[8, 0][..], &count.to_le_bytes(), &[173, 0, 3, 0]].concat();
    let streams: Vec<Vec<u8>> = members.iter().map(|(_, file)| stream(file)).collect();
    let mut offset = 8 + 173 * members.len();
    for ((name, file), stream) in members.iter().zip(&streams) {
        let mut entry = vec![0; 173];
        entry[..name.len()].copy_from_slice(name.as_bytes());
        for (at, number) in [offset, stream.len(), file.len()].into_iter().enumerate() {
            let number = u32::try_from(number).expect("small").to_le_bytes();
            entry[128 + 4 * at..][..4].copy_from_slice(&number);
        }
        bytes.extend(entry);
        offset += stream.len();
    }
    bytes.extend(streams.concat());
    bytes
}

/// An encrypted archive, with a password of eight bytes.
pub(crate) fn enciphered(archive: &[u8], password: [u8; 8]) -> Vec<u8> {
    let cipher = Des::new(&password.into());
    let blocks = archive.chunks(8).map(|part| {
        let mut block = [0; 8];
        block[..part.len()].copy_from_slice(part);
        let mut block = block.into();
        cipher.encrypt_block(&mut block);
        <[u8; 8]>::from(block)
    });
    blocks.flatten().collect()
}

/// The number of bytes in a block.
const BLOCK: usize = 700;

fn stream(file: &[u8]) -> Vec<u8> {
    let mut stream = Vec::new();
    for (number, at) in (0..file.len()).step_by(BLOCK).enumerate() {
        let end = file.len().min(at + BLOCK);
        let plain = &file[at..end];
        let payload = match number % 4 {
            0 => [&[1][..], &lz(file, at, end)].concat(),
            1 => [&[3][..], &huffman(&lz(file, at, end))].concat(),
            2 => [&[2][..], &huffman(plain)].concat(),
            _ => [&[0][..], plain].concat(),
        };
        stream.extend(u16::try_from(payload.len()).expect("short").to_le_bytes());
        stream.extend([0, 0]);
        stream.extend(payload);
    }
    stream
}

/// The longest match before a place, with its distance; distances from 3 to 4,098 can be encoded.
fn longest(file: &[u8], at: usize, end: usize) -> (usize, usize) {
    let reach = (end - at).min(271);
    let same = |distance: usize| {
        (0..reach)
            .take_while(|place| file[at + place] == file[at + place - distance])
            .count()
    };
    let mut longest = (0, 0);
    for distance in 3..=at.min(4_098) {
        if longest.0 == reach {
            break;
        }
        if file[at] == file[at - distance] && same(distance) > longest.0 {
            longest = (same(distance), distance);
        }
    }
    longest
}

fn byte(value: usize) -> u8 {
    u8::try_from(value).expect("a byte")
}

/// A part of a file as tokens, sixteen of them after each control word.
fn lz(file: &[u8], mut at: usize, end: usize) -> Vec<u8> {
    let mut tokens: Vec<(bool, Vec<u8>)> = Vec::new();
    while at < end {
        let run = file[at..end]
            .iter()
            .take_while(|it| **it == file[at])
            .count();
        let (length, distance) = longest(file, at, end);
        let (low, high) = (
            byte((distance.max(3) - 3) % 16),
            byte((distance.max(3) - 3) / 16),
        );
        let (token, length) = if run >= 19 {
            let run = run.min(19 + 4_095);
            let (low, high) = (byte((run - 19) % 16), byte((run - 19) / 16));
            (vec![0x10 | low, high, file[at]], run)
        } else if run >= 4 && run >= length {
            let run = run.min(18);
            (vec![byte(run - 3), file[at]], run)
        } else if length >= 16 {
            (vec![0x20 | low, high, byte(length - 16)], length)
        } else if length >= 3 {
            (vec![byte(length) << 4 | low, high], length)
        } else {
            (vec![file[at]], 1)
        };
        tokens.push((token.len() > 1, token));
        at += length;
    }
    let mut bytes = Vec::new();
    for tokens in tokens.chunks(16) {
        if let [(false, literal)] = tokens {
            // If only one byte is left where a control word should be, it is a literal.
            bytes.extend(literal);
            continue;
        }
        let control = tokens
            .iter()
            .enumerate()
            .fold(0_u16, |control, (place, (is_tag, _))| {
                control | u16::from(*is_tag) << (15 - place)
            });
        bytes.extend(control.to_le_bytes());
        bytes.extend(tokens.iter().flat_map(|(_, token)| token));
    }
    bytes
}

/// Bytes in codes whose lengths depend on their order by frequency: 1, 2, 3 … and nine bits for all others.
fn huffman(plain: &[u8]) -> Vec<u8> {
    let mut counts = [0_usize; 256];
    for byte in plain {
        counts[usize::from(*byte)] += 1;
    }
    let mut order: Vec<usize> = (0..256).filter(|byte| counts[*byte] > 0).collect();
    order.sort_by_key(|byte| std::cmp::Reverse(counts[*byte]));
    // The most frequent ones have 0, 10, 110; the others 111 and eight bits.
    let mut codes = vec![String::new(); 256];
    for (rank, byte) in order.iter().enumerate() {
        codes[*byte] = match rank {
            0 => "0".to_owned(),
            1 => "10".to_owned(),
            2 => "110".to_owned(),
            rank => format!("111{rank:08b}"),
        };
    }
    let table = codes.iter().map(|code| format!("{:04b}{code}", code.len()));
    let data = plain.iter().map(|byte| codes[usize::from(*byte)].clone());
    let bits: String = table.chain(data).collect();
    let length = u16::try_from(plain.len()).expect("short");
    let mut bytes = length.to_be_bytes().to_vec();
    bytes.extend(bits.as_bytes().chunks(8).map(|bits| {
        let bits = bits.iter().map(|bit| bit - b'0');
        let (byte, count) = bits.fold((0, 0), |(byte, count), bit| (byte << 1 | bit, count + 1));
        byte << (8 - count)
    }));
    bytes
}
