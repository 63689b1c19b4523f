//! Suggests the known name that was probably meant.

/// Returns the name with the smallest edit distance, if that is small compared to the length; the first of several.
pub fn nearest<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    const LONGEST: usize = 64;
    const MOST: usize = 4096;
    if name.len() > LONGEST {
        return None;
    }
    // A name of one letter would be replaced completely.
    let allowed = (name.len() / 3).clamp(1, 3).min(name.len().saturating_sub(1));
    let near = names.take(MOST).filter(|known| known.len().abs_diff(name.len()) <= allowed);
    let measured = near.map(|known| (strsim::osa_distance(name, known), known));
    // A wrong letter is more likely than an additional one, and a wrong case is more likely than both.
    let rank = |distance: usize, known: &str| {
        (!known.eq_ignore_ascii_case(name), distance, known.len().abs_diff(name.len()))
    };
    measured
        .filter(|(distance, _)| (1..=allowed).contains(distance))
        .min_by_key(|(distance, known)| rank(*distance, known))
        .map(|(_, known)| known)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_name_is_near_when_a_third_of_it_or_less_differs() {
        let known = ["sm_80", "sm_90a", "texmode_unified"];
        let of = |name| nearest(name, known.into_iter());
        assert_eq!(of("sm_8O"), Some("sm_80"));
        assert_eq!(of("texmode_unifed"), Some("texmode_unified"));
        assert_eq!(of("gfx906"), None);
        assert_eq!(nearest("sum1", ["sum", "sumx"].into_iter()), Some("sumx"));
        assert_eq!(nearest("lable", ["table", "label"].into_iter()), Some("table"));
        assert_eq!(nearest("Tid", ["tit", "tid"].into_iter()), Some("tid"));
        assert_eq!(of("sm_80"), None, "the name itself is not a suggestion");
        assert_eq!(nearest("b", ["g", "a"].into_iter()), None, "any letter is one letter away");
    }
}
