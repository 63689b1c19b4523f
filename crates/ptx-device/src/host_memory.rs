//! The size of the host's memory.

/// Bytes of the host's memory, if known: Linux tells it.
pub(crate) fn bytes() -> Option<u64> {
    if !cfg!(target_os = "linux") {
        return None;
    }
    total(&std::fs::read_to_string("/proc/meminfo").ok()?)
}

/// The total in the text of `/proc/meminfo`, which counts in units of 1,024 bytes.
fn total(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let number: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    number.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_total_is_in_kibibytes() {
        assert_eq!(total("MemTotal:       16 kB\nMemFree:        3 kB\n"), Some(16384));
        assert_eq!((total("MemFree: 3 kB\n"), total("MemTotal: many kB\n")), (None, None));
        assert_eq!(bytes().is_some(), cfg!(target_os = "linux"));
    }
}
