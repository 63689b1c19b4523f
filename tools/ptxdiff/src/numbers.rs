//! Numbers for people.

/// `12,345`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// An estimated count, as a whole number.
pub fn whole(number: f64) -> u64 {
    // Negative numbers and more than 64 bits are no counts.
    number.round() as u64
}

/// `12 -> 10`, or `12` if both are.
pub fn both<T: PartialEq + ToString>(before: &T, after: &T) -> String {
    if before == after {
        before.to_string()
    } else {
        format!("{} -> {}", before.to_string(), after.to_string())
    }
}

/// `1,024 -> 980 warps (0.957)`, or what is known of it.
pub fn warps(before: Option<u64>, after: Option<u64>) -> Option<String> {
    Some(match (before, after) {
        (Some(before), Some(after)) if before == after => format!("{} warps", grouped(before)),
        (Some(before), Some(after)) => {
            let ratio = match before {
                0 => String::new(),
                before => format!(" ({:.3})", after as f64 / before as f64),
            };
            format!("{} -> {} warps{ratio}", grouped(before), grouped(after))
        }
        (Some(before), None) => format!("{} warps before", grouped(before)),
        (None, Some(after)) => format!("{} warps after", grouped(after)),
        (None, None) => return None,
    })
}

/// `9 the same, 2 removed`: the first count, and of the others those that are not 0.
pub fn what_became<const N: usize>(counts: [(usize, &str); N]) -> String {
    let told = counts.into_iter().enumerate().filter(|(at, (count, _))| *at == 0 || *count > 0);
    told.map(|(_, (count, what))| format!("{count} {what}")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_in_groups_of_three() {
        for (number, expected) in [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(grouped(number), expected);
        }
    }

    #[test]
    fn a_ratio_is_told_where_there_is_one() {
        assert_eq!(warps(Some(1024), Some(980)).as_deref(), Some("1,024 -> 980 warps (0.957)"));
        assert_eq!(warps(Some(0), Some(980)).as_deref(), Some("0 -> 980 warps"));
        assert_eq!(warps(Some(7), Some(7)).as_deref(), Some("7 warps"));
        assert_eq!(warps(None, Some(7)).as_deref(), Some("7 warps after"));
        assert_eq!(warps(None, None), None);
    }
}
