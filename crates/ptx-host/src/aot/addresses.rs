//! The addresses of global variables.
//!
//! The memory of two images holds each variable at different addresses. A number that differs between the images must be the address of a variable
//! plus the same offset in both; any other difference is refused.

use std::collections::BTreeMap;
use std::sync::Arc;

use ptx_exec::Image;
use ptx_program::Program;

/// The target of an address in memory: a variable, by its number, and an offset.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Target {
    pub(super) variable: usize,
    pub(super) offset: i64,
}

/// A variable of an image, or its constant memory.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    /// Its addresses in the images.
    pub(super) addresses: [u64; 2],
    /// Its initial value.
    pub(super) bytes: Vec<u8>,
    /// Its 8-byte words that are addresses, by their offsets.
    pub(super) words: BTreeMap<usize, Target>,
}

/// The variables of a module, and the addresses that its kernels use.
#[derive(Debug)]
pub(super) struct Addresses {
    /// Its global variables.
    pub(super) variables: Vec<Memory>,
    /// Its constant memory, without the appended addresses.
    pub(super) constant: Memory,
    /// The addresses that kernels read from their constant memory, appended to it in this order.
    pub(super) used: Vec<Target>,
    /// Why an initial value is refused.
    pub(super) fault: Option<&'static str>,
}

const MIXED: &str = "before the launch it computes with the address of a global variable in another way than by adding an offset";

impl Addresses {
    pub(super) fn new(images: [&Arc<Image>; 2]) -> Self {
        let [first, second] = images.map(|image| image.initial());
        let constant_at = images.map(|image| image.constant());
        let none = Memory { addresses: [0; 2], bytes: Vec::new(), words: BTreeMap::new() };
        let mut all = Self { variables: Vec::new(), constant: none, used: Vec::new(), fault: None };
        for ((a, bytes), (b, _)) in first.iter().zip(second) {
            let memory = Memory { addresses: [*a, *b], bytes: bytes.clone(), words: BTreeMap::new() };
            if constant_at[0] == Some(*a) { all.constant = memory } else { all.variables.push(memory) }
        }
        let contents =
            |address: u64| second.iter().find(|(other, _)| *other == address).map(|(_, bytes)| bytes);
        for number in 0..=all.variables.len() {
            let memory = all.variables.get(number).unwrap_or(&all.constant);
            let Some(other) = contents(memory.addresses[1]) else {
                // Only the constant memory of a module without any is nowhere.
                if !memory.bytes.is_empty() {
                    all.fault = Some("the variables of one launch are not those of another");
                }
                continue;
            };
            match all.words(&memory.bytes, other) {
                Ok(words) => {
                    let memory = all.variables.get_mut(number).unwrap_or(&mut all.constant);
                    memory.words = words;
                }
                Err(fault) => all.fault = Some(fault),
            }
        }
        all
    }

    /// The words of initial values that are addresses.
    fn words(&self, first: &[u8], second: &[u8]) -> Result<BTreeMap<usize, Target>, &'static str> {
        let mut words = BTreeMap::new();
        if first.len() != second.len() {
            return Err(MIXED);
        }
        let mut at = 0;
        for (a, b) in first.chunks(8).zip(second.chunks(8)) {
            if a != b {
                let number = |bytes: &[u8]| bytes.try_into().map(u64::from_le_bytes).map_err(|_| MIXED);
                words.insert(at, self.target(number(a)?, number(b)?).ok_or(MIXED)?);
            }
            at += a.len();
        }
        Ok(words)
    }

    /// The target of an address, given in both images: a place in a variable, or near one.
    fn target(&self, first: u64, second: u64) -> Option<Target> {
        let fits = |(variable, memory): (usize, &Memory)| {
            let offset = first.wrapping_sub(memory.addresses[0]);
            let is_same = offset == second.wrapping_sub(memory.addresses[1]);
            is_same
                .then_some((Target { variable, offset: offset as i64 }, offset <= memory.bytes.len() as u64))
        };
        let mut found: Vec<(Target, bool)> = self.variables.iter().enumerate().filter_map(fits).collect();
        if found.len() > 1 {
            // Variables may have the same distance in both images; then the address must be inside one of them.
            found.retain(|(_, is_inside)| *is_inside);
        }
        match found[..] {
            [(target, _)] => Some(target),
            _ => None,
        }
    }

    /// The constants of a kernel that are addresses, each with its offset in the constant memory. `second` is the kernel of the other image.
    pub(super) fn rows(
        &mut self,
        first: &Program,
        second: &Program,
    ) -> Result<BTreeMap<u32, u32>, &'static str> {
        let (a, b) = (first.constants.rows(), second.constants.rows());
        // Equal instructions have equal debug output; constants are referred to by number.
        if a.len() != b.len() || format!("{:?}", first.code) != format!("{:?}", second.code) {
            return Err(MIXED);
        }
        let mut rows = BTreeMap::new();
        for (row, (a, b)) in a.iter().zip(b).enumerate() {
            if a == b {
                continue;
            }
            let target = self.target(a[0], b[0]).ok_or(MIXED)?;
            let known = self.used.iter().position(|used| *used == target);
            let number = known.unwrap_or_else(|| {
                self.used.push(target);
                self.used.len() - 1
            });
            rows.insert(row as u32, (self.constant.bytes.len().next_multiple_of(8) + 8 * number) as u32);
        }
        Ok(rows)
    }
}
