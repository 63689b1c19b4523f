//! Which counts anchors fix together with the graph, whatever the prices of the linear program are.

use crate::joined::Joined;
use crate::wishes::Anchored;

/// For each block whether its count follows from the launch, from anchors and from the conservation of flow.
pub(crate) fn pinned(joined: &Joined, anchors: &[Anchored]) -> Vec<bool> {
    let mut state = State {
        joined,
        blocks: joined.places.iter().map(|place| !place.is_reached).collect(),
        edges: joined
            .edges
            .iter()
            .map(|edge| edge.is_never || !joined.places[edge.from].is_reached)
            .collect(),
    };
    if let Some(entry) = state.blocks.first_mut().filter(|_| joined.into[0].is_empty()) {
        *entry = true;
    }
    while state.follow_anchors(anchors) | state.follow_edges() {}
    state.blocks
}

struct State<'j> {
    joined: &'j Joined,
    blocks: Vec<bool>,
    edges: Vec<bool>,
}

impl State<'_> {
    /// An anchor fixes the only block of its copies that is open.
    fn follow_anchors(&mut self, anchors: &[Anchored]) -> bool {
        let mut is_changed = false;
        for anchor in anchors.iter().filter(|anchor| !anchor.is_guarded) {
            let mut open = anchor.places.keys().filter(|block| !self.blocks[**block]);
            if let (Some(block), None) = (open.next(), open.next()) {
                self.blocks[*block] = true;
                is_changed = true;
            }
        }
        is_changed
    }

    /// A block with all edges of a side known is known, and of a known block the last open edge of a side.
    fn follow_edges(&mut self) -> bool {
        let mut is_changed = false;
        for block in 0..self.blocks.len() {
            // What is called is entered by more than edges.
            let is_called = block == 0 || self.joined.calls.contains_key(&block);
            let sides =
                [Some(&self.joined.out[block]), Some(&self.joined.into[block]).filter(|_| !is_called)];
            for edges in sides.into_iter().flatten() {
                let open: Vec<usize> = edges.iter().copied().filter(|edge| !self.edges[*edge]).collect();
                match open.as_slice() {
                    [] if !self.blocks[block] => self.blocks[block] = true,
                    [edge] if self.blocks[block] => self.edges[*edge] = true,
                    _ => continue,
                }
                is_changed = true;
            }
        }
        is_changed
    }
}
