//! The files of a cache: a magic number, the key, metadata of the object, the LLVM that made it, the object, and a checksum of all that.

use std::fs::File;
use std::io::{self, Read};

use ptx_llvm_core::Identity;

use super::key::Key;
use crate::code::Runs;

/// The magic number of each file; another format has another number.
const MARK: &[u8; 8] = b"PTXHOST\x02";

/// Bytes of the magic number, the key, the kind of function, and the length of the LLVM's name, which follows.
const HEAD: usize = MARK.len() + Key::BYTES + 1 + 4;

/// Larger than any kernel's code; larger files are not read.
const MOST_BYTES: u64 = 1 << 30;

/// A kernel as stored in a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Entry {
    /// What one call of its function executes.
    pub(crate) runs: Runs,
    /// The LLVM that compiled it. Another LLVM may generate other code, so that the entry is invalid for it.
    pub(crate) llvm: Identity,
    /// The object file.
    pub(crate) object: Vec<u8>,
}

/// The contents of a file.
pub(super) fn bytes(entry: &Entry, key: &Key) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(HEAD + entry.object.len() + blake3::OUT_LEN);
    bytes.extend_from_slice(MARK);
    bytes.extend_from_slice(key.as_bytes());
    bytes.push(match entry.runs {
        Runs::Warp => 0,
        Runs::Block => 1,
        Runs::Cluster => 2,
        Runs::PatientWarp => 3,
        Runs::PatientCluster => 4,
    });
    let llvm = entry.llvm.to_string();
    bytes.extend_from_slice(&(llvm.len() as u32).to_le_bytes());
    bytes.extend_from_slice(llvm.as_bytes());
    bytes.extend_from_slice(&entry.object);
    let sum = blake3::hash(&bytes);
    bytes.extend_from_slice(sum.as_bytes());
    bytes
}

/// Reads a file, and returns it with the entry.
///
/// # Errors
/// It cannot be read, or is corrupt.
pub(super) fn read(mut file: File, key: &Key) -> io::Result<(Entry, File)> {
    let size = file.metadata()?.len();
    if size > MOST_BYTES {
        return Err(io::Error::other("it is too large"));
    }
    // It is copied, so that it cannot change after it has been checked.
    let mut bytes = Vec::with_capacity(size as usize);
    (&mut file).take(MOST_BYTES).read_to_end(&mut bytes)?;
    let entry = parse(bytes, key).ok_or_else(|| io::Error::other("it is truncated"))?;
    Ok((entry, file))
}

fn parse(mut bytes: Vec<u8>, key: &Key) -> Option<Entry> {
    let (contents, sum) = bytes.split_last_chunk::<{ blake3::OUT_LEN }>()?;
    if blake3::hash(contents) != *sum {
        return None;
    }
    let (head, rest) = contents.split_at_checked(HEAD)?;
    let (named, rest_of_head) = head.strip_prefix(MARK)?.split_at_checked(Key::BYTES)?;
    let (runs, length) = rest_of_head.split_last_chunk::<4>()?;
    let (llvm, object) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    let llvm = str::from_utf8(llvm).ok()?.parse().ok()?;
    if named != key.as_bytes() {
        return None;
    }
    let runs = match runs {
        [0] => Runs::Warp,
        [1] => Runs::Block,
        [2] => Runs::Cluster,
        [3] => Runs::PatientWarp,
        [4] => Runs::PatientCluster,
        _ => return None,
    };
    let (start, length) = (contents.len() - object.len(), object.len());
    bytes.drain(..start);
    bytes.truncate(length);
    Some(Entry { runs, llvm, object: bytes })
}
