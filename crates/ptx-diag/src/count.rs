//! Text for numbers of things.

/// A number of things: "1 operand", "2 operands".
pub fn counted(number: impl TryInto<u64>, noun: &str) -> String {
    // Default: a number that exceeds 64 bits is more than one.
    match number.try_into().unwrap_or(u64::MAX) {
        1 => format!("1 {noun}"),
        number => format!("{number} {noun}s"),
    }
}

/// The integers between two: "3", "1 or 2", "from 1 to 4".
pub fn between(low: i64, high: i64) -> String {
    match high.saturating_sub(low) {
        0 => low.to_string(),
        1 => format!("{low} or {high}"),
        _ => format!("from {low} to {high}"),
    }
}

#[cfg(test)]
mod tests {
    use super::{between, counted};

    #[test]
    fn one_thing_is_singular() {
        assert_eq!(counted(0usize, "operand"), "0 operands");
        assert_eq!(counted(1u32, "operand"), "1 operand");
        assert_eq!(counted(2u64, "byte"), "2 bytes");
    }

    #[test]
    fn a_range_of_one_or_two_is_enumerated() {
        assert_eq!(between(16, 16), "16");
        assert_eq!(between(0, 1), "0 or 1");
        assert_eq!(between(-1, 1), "from -1 to 1");
        assert_eq!(between(i64::MIN, i64::MAX), format!("from {} to {}", i64::MIN, i64::MAX));
    }
}
