//! What `ptxas -v` tells of each function.

use std::collections::BTreeMap;

/// What a function uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Usage {
    /// Registers of a thread; `None` where ptxas does not tell (functions that are called).
    pub registers: Option<usize>,
    /// Bytes stored and loaded for want of registers.
    pub spilled: usize,
    /// Bytes of local memory that a call takes: what is spilled, and variables.
    pub frame: usize,
    /// Bytes of shared memory of the functions' own variables.
    pub shared: usize,
}

/// What each function uses, from what `ptxas -v` prints. Lines of another form are passed over, as ptxas adds some with each version.
pub fn usage(printed: &str) -> BTreeMap<String, Usage> {
    let mut all: BTreeMap<String, Usage> = BTreeMap::new();
    let mut current: Option<String> = None;
    for line in printed.lines() {
        let named = line
            .split_once("Compiling entry function ")
            .or_else(|| line.split_once("Function properties for "))
            .and_then(|(_, rest)| rest.split_whitespace().next());
        if let Some(name) = named {
            current = Some(name.trim_matches('\'').to_owned());
        }
        let Some(name) = &current else { continue };
        let entry = all.entry(name.clone()).or_default();
        if let Some((_, rest)) = line.split_once("Used ") {
            entry.registers = rest.split_once(" registers").and_then(|(count, _)| count.parse().ok());
        }
        for part in line.split(',') {
            let words: Vec<&str> = part.split_whitespace().collect();
            let (Some(Ok(bytes)), Some(what)) =
                (words.first().map(|word| word.parse::<usize>()), words.get(1..))
            else {
                continue;
            };
            match what {
                ["bytes", "spill", "stores" | "loads"] => entry.spilled += bytes,
                ["bytes", "stack", "frame"] => entry.frame = bytes,
                ["bytes", "smem"] => entry.shared = bytes,
                _ => {}
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ptxas_prints_is_counted_for_the_function_it_names() {
        let printed = "ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'k' for 'sm_80'
ptxas info    : Function properties for k
    8 bytes stack frame, 4 bytes spill stores, 12 bytes spill loads
ptxas info    : Used 24 registers, used 0 barriers, 48 bytes smem, 384 bytes cmem[0]
ptxas info    : Function properties for f
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
";
        let usage = usage(printed);
        assert_eq!(usage["k"], Usage { registers: Some(24), spilled: 16, frame: 8, shared: 48 });
        assert_eq!(usage["f"], Usage { registers: None, spilled: 0, frame: 0, shared: 0 });
        assert_eq!(usage.len(), 2);
    }
}
