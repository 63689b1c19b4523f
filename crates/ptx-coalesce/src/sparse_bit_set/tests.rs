//! Sparse bit sets compared with sets of the standard library.

use std::collections::BTreeSet;

use super::SparseBitSet;

/// Members are below this, so that sets have several words and gaps between them.
const BOUND: usize = 640;

fn of(members: &BTreeSet<usize>) -> SparseBitSet {
    let mut set = SparseBitSet::default();
    members.iter().for_each(|member| set.insert(*member));
    set
}

fn random_members(random: &mut fastrand::Rng) -> BTreeSet<usize> {
    let (count, bound) = (random.usize(0..30), random.usize(1..BOUND));
    (0..count).map(|_| random.usize(0..bound)).collect()
}

#[test]
fn numbers_that_were_inserted_and_not_removed_are_members() {
    let mut random = fastrand::Rng::with_seed(1);
    for _ in 0..200 {
        let (mut set, mut model) = (SparseBitSet::default(), BTreeSet::new());
        for _ in 0..60 {
            let number = random.usize(0..BOUND);
            if random.u8(0..3) > 0 {
                set.insert(number);
                model.insert(number);
            } else {
                let number = random.choice(model.iter().copied()).unwrap_or(number);
                set.remove(number);
                model.remove(&number);
            }
        }
        assert!(
            (0..BOUND).all(|number| set.contains(number) == model.contains(&number)),
            "{set:?} {model:?}"
        );
        let words: BTreeSet<usize> = model.iter().map(|number| number / 64).collect();
        assert_eq!(set.words(), words.len(), "zero words are not stored: {set:?}");
    }
}

#[test]
fn a_union_has_the_members_of_both_sets_and_counts_the_words_it_adds() {
    let mut random = fastrand::Rng::with_seed(2);
    for _ in 0..2000 {
        let (a, b) = (random_members(&mut random), random_members(&mut random));
        let (mut union, before) = (of(&a), of(&a).words());
        let added = union.union_with(&of(&b));
        assert_eq!(union, of(&(&a | &b)), "{a:?} {b:?}");
        assert_eq!(union.words(), before + added, "{a:?} {b:?}");
    }
}

#[test]
fn sets_intersect_if_they_have_a_common_member() {
    let mut random = fastrand::Rng::with_seed(3);
    let mut counts = [0; 2];
    for _ in 0..2000 {
        let (a, b) = (random_members(&mut random), random_members(&mut random));
        let expected = !a.is_disjoint(&b);
        assert_eq!(of(&a).intersects(&of(&b)), expected, "{a:?} {b:?}");
        counts[usize::from(expected)] += 1;
    }
    assert!(counts.iter().all(|count| *count > 200), "{counts:?}");
}
