//! How much of their inputs tests take.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, PoisonError};

/// The variable that asks for all inputs.
pub const EXTENT: &str = "PTX_TESTS";
/// The variable with the seed of samples.
pub const SEED: &str = "PTX_SEED";
/// The variable with the folder of records of what is left out.
pub const LEFT_OUT: &str = "PTX_LEFT_OUT";

/// Whether tests take all of their inputs.
///
/// # Panics
/// When the variable has another value than `all` and `sample`.
pub fn takes_all() -> bool {
    static ALL: LazyLock<bool> = LazyLock::new(|| match std::env::var(EXTENT).as_deref() {
        Ok("all") => true,
        Ok("sample") | Err(_) => false,
        Ok(other) => panic!("{EXTENT}={other}: it is `all` or `sample`"),
    });
    *ALL
}

/// The seed that `PTX_SEED` names.
///
/// # Panics
/// When it is no number.
pub fn asked_seed() -> Option<u64> {
    let text = std::env::var(SEED).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{SEED}={text}: it is a number")))
}

/// `few` of the items in their order, which the seed chooses, or all of them.
///
/// `what` names the items for those who read what was left out, in the plural.
pub fn sample<T>(what: &str, items: Vec<T>, few: usize) -> Vec<T> {
    sample_of(what, "", items, few)
}

/// As [`sample`], but another sample for each test: where many tests take the same few items, each item is taken by some of them.
pub fn sample_of_test<T>(what: &str, items: Vec<T>, few: usize) -> Vec<T> {
    // libtest names a thread after the test that it runs.
    let thread = std::thread::current();
    sample_of(what, thread.name().unwrap_or_default(), items, few)
}

fn sample_of<T>(what: &str, test: &str, items: Vec<T>, few: usize) -> Vec<T> {
    if takes_all() || items.len() <= few {
        return items;
    }
    let all = items.len();
    // The same sample in each run.
    let name = what.bytes().chain(test.bytes());
    let seed = name.fold(asked_seed().unwrap_or(0), |seed, byte| seed.rotate_left(9) ^ u64::from(byte));
    let mut chosen: Vec<usize> = (0..all).collect();
    fastrand::Rng::with_seed(seed).shuffle(&mut chosen);
    let chosen: BTreeSet<usize> = chosen.into_iter().take(few).collect();
    record(what, test, few, all);
    items.into_iter().enumerate().filter(|(at, _)| chosen.contains(at)).map(|(_, item)| item).collect()
}

/// How many of `all` inputs that are generated one after the other a test takes: `few`, or all of them.
pub fn count<N: Copy + Ord + TryInto<usize>>(what: &str, all: N, few: N) -> N {
    if takes_all() || all <= few {
        return all;
    }
    let number = |count: N| count.try_into().unwrap_or(usize::MAX);
    record(what, "", number(few), number(all));
    few
}

/// Whether a test is run that takes too long to be run by default.
pub fn takes(what: &str) -> bool {
    count(what, 1_u8, 0) == 1
}

/// Adds a line to the record of this process: what, how many are taken, of how many. What a test takes again is not counted again.
fn record(what: &str, test: &str, taken: usize, all: usize) {
    static FILE: LazyLock<Option<PathBuf>> = LazyLock::new(|| {
        let folder = PathBuf::from(std::env::var_os(LEFT_OUT)?);
        fs::create_dir_all(&folder).ok().map(|()| folder.join(format!("{}.tsv", std::process::id())))
    });
    static RECORDED: Mutex<BTreeSet<(String, String)>> = Mutex::new(BTreeSet::new());
    let Some(path) = FILE.as_ref().filter(|_| !cfg!(test)) else { return };
    let line = format!("{what}\t{taken}\t{all}\n");
    if !RECORDED.lock().unwrap_or_else(PoisonError::into_inner).insert((line.clone(), test.to_owned())) {
        return;
    }
    let file = OpenOptions::new().create(true).append(true).open(path);
    let written = file.and_then(|mut file| file.write_all(line.as_bytes()));
    written.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}

/// How many inputs of a kind were taken, of how many.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Left {
    /// Those that were taken.
    pub taken: usize,
    /// All of them.
    pub all: usize,
}

/// What test programs left out, by what it is, from their records below a folder; nothing where the folder is missing.
///
/// # Errors
/// When a record cannot be read.
pub fn read_left_out(folder: &Path) -> io::Result<BTreeMap<String, Left>> {
    let mut left_out: BTreeMap<String, Left> = BTreeMap::new();
    let Ok(entries) = fs::read_dir(folder) else { return Ok(left_out) };
    for entry in entries {
        for line in fs::read_to_string(entry?.path())?.lines() {
            let mut fields = line.split('\t');
            let (what, taken, all) = (fields.next(), fields.next(), fields.next());
            let number = |text: Option<&str>| text.and_then(|text| text.parse::<usize>().ok());
            let (Some(what), Some(taken), Some(all)) = (what, number(taken), number(all)) else {
                return Err(io::Error::other(format!("not a record: {line}")));
            };
            let sum = left_out.entry(what.to_owned()).or_default();
            *sum = Left { taken: sum.taken + taken, all: sum.all + all };
        }
    }
    Ok(left_out)
}

#[cfg(test)]
mod tests {
    use super::{sample, takes_all};

    #[test]
    fn a_sample_is_the_same_each_time_and_in_order() {
        let items: Vec<u32> = (0..1000).collect();
        let first = sample("numbers", items.clone(), 30);
        assert_eq!(first, sample("numbers", items.clone(), 30));
        assert_eq!(first.len(), if takes_all() { 1000 } else { 30 });
        assert!(first.is_sorted() && first.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(takes_all() || first != sample("other numbers", items, 30));
    }

    #[test]
    fn few_items_are_all_taken() {
        assert_eq!(sample("few", vec![1, 2, 3], 3), [1, 2, 3]);
    }
}
