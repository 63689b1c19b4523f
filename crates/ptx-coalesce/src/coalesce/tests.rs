//! Equivalence classes compared with lists of members.

use super::{Classes, SparseBitSet};

const COUNT: usize = 90;

/// Merges by the definition: two lists become one unless a member of one interferes with a member of the other.
struct Model {
    interferes: Vec<Vec<bool>>,
    classes: Vec<Vec<usize>>,
}

impl Model {
    fn class(&self, member: usize) -> usize {
        self.classes.iter().position(|class| class.contains(&member)).unwrap()
    }

    /// Whether the classes are merged now.
    fn merge(&mut self, a: usize, b: usize) -> bool {
        let (a, b) = (self.class(a), self.class(b));
        let interfere = |&a: &usize, &b: &usize| self.interferes[a][b] || self.interferes[b][a];
        let any = self.classes[a].iter().any(|x| self.classes[b].iter().any(|y| interfere(x, y)));
        if a == b || any {
            return false;
        }
        let members = std::mem::take(&mut self.classes[b]);
        self.classes[a].extend(members);
        true
    }
}

fn classes(interferes: &[Vec<bool>]) -> Classes {
    let row = |row: &Vec<bool>| {
        let mut set = SparseBitSet::default();
        (0..row.len()).filter(|at| row[*at]).for_each(|at| set.insert(at));
        set
    };
    Classes::new(interferes.iter().map(row).collect())
}

#[test]
fn classes_are_merged_unless_members_interfere() {
    let mut random = fastrand::Rng::with_seed(1);
    let (mut merged, mut refused) = (0, 0);
    for _ in 0..100 {
        // Of two candidates that interfere, only one may have the other in its row.
        let mut interferes = vec![vec![false; COUNT]; COUNT];
        for _ in 0..random.usize(0..120) {
            let (a, b) = (random.usize(0..COUNT), random.usize(0..COUNT));
            interferes[a][b] = a != b;
        }
        let mut found = classes(&interferes);
        let mut model = Model { interferes, classes: (0..COUNT).map(|at| vec![at]).collect() };
        for _ in 0..COUNT {
            let (a, b) = (random.usize(0..COUNT), random.usize(0..COUNT));
            found.merge(a, b);
            if model.merge(a, b) { merged += 1 } else { refused += 1 }
        }
        for at in 0..COUNT {
            let expected = model.classes[model.class(at)].iter().min().copied();
            assert_eq!(Some(found.representative(at)), expected);
        }
    }
    assert!(merged > 2000 && refused > 2000, "{merged} merged, {refused} refused");
}

#[test]
fn a_merged_class_interferes_where_any_member_did() {
    let mut interferes = vec![vec![false; 4]; 4];
    interferes[3][0] = true;
    let mut found = classes(&interferes);
    found.merge(0, 1);
    found.merge(1, 2);
    found.merge(2, 3);
    let representatives: Vec<usize> = (0..4).map(|at| found.representative(at)).collect();
    assert_eq!(representatives, [0, 0, 0, 3]);
}
