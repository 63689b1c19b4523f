//! The lanes that take part in the operation that a block begins with, and the shapes of the results of collective operations: from the shapes of
//! the member mask and of the operands.

use ptx_program::{Collective, CollectiveKind, Dst, Effect, Op, Participants, Program, ShuffleMode, WARP};

use super::gather::{Gather, asks, waits};
use super::graph::Block;
use super::rows::Shapes;
use super::shape::Shape;
use super::singly::begins_with_wait;

impl Shapes {
    /// The lanes that must arrive at the beginning of a block before it runs; `None` if lanes do not wait for each other there.
    pub fn gather(&self, program: &Program, block: &Block) -> Option<Gather> {
        let inst = program.code.get(block.first as usize)?;
        if self.arrives_singly && begins_with_wait(program, block) {
            return Some(Gather::Arriving);
        }
        if self.has_questions && matches!(inst.op, Op::Effect(Effect::BlockBarrier(_))) {
            // Lanes may arrive while others of the warp poll.
            return Some(Gather::All);
        }
        match waits(&inst.op) {
            _ if !block.gathers => None,
            Some(collective) => Some(self.participants(collective)),
            None if asks(&inst.op) => self.has_questions.then_some(Gather::Asking),
            None => Some(Gather::All),
        }
    }

    fn participants(&self, collective: &Collective) -> Gather {
        let Participants::Members(mask) = collective.participants else { return Gather::All };
        match self.claim(mask) {
            Shape::Constant(mask) if mask as u32 == u32::MAX => Gather::All,
            shape if shape.is_uniform() => Gather::One(mask),
            _ => Gather::Each(mask),
        }
    }

    /// The shape of the result that a collective operation writes to a row; `is_whole` is whether all 32 lanes are known to be active.
    pub(super) fn of_collective(&self, collective: &Collective, row: Dst, is_whole: bool) -> Shape {
        let is_first = collective.dsts.first() == Some(&row) && collective.dsts.get(1) != Some(&row);
        // All active lanes are members of one mask and get one result. With a divergent mask several groups execute together, each with its own.
        let same = match self.participants(collective) {
            Gather::All | Gather::One(_) => Shape::Uniform,
            Gather::Each(_) | Gather::Asking | Gather::Arriving => Shape::Varying,
        };
        match collective.kind {
            CollectiveKind::Shuffle(mode) if is_first => self.shuffled(mode, collective, is_whole),
            CollectiveKind::Shuffle(mode) => self.in_range(mode, collective),
            CollectiveKind::Vote(_)
            | CollectiveKind::Redux(..)
            | CollectiveKind::ReduxFloat(..)
            | CollectiveKind::MatchAll => same,
            CollectiveKind::Elect if is_first => same,
            _ => Shape::Varying,
        }
    }

    fn shuffled(&self, mode: ShuffleMode, collective: &Collective, is_whole: bool) -> Shape {
        let [value, lane, clamp] = *collective.srcs else { return Shape::Varying };
        let value = self.src(value);
        if value.is_uniform() {
            return value;
        }
        // Every lane reads the same source lane, if that is in range and takes part.
        let is_broadcast = mode == ShuffleMode::Index
            && self.src(lane).is_uniform()
            && matches!(self.src(clamp), Shape::Constant(clamp) if clamp & 0x1f1f == 0x1f);
        let takes_part = is_whole && self.participants(collective) == Gather::All;
        if is_broadcast && takes_part && self.lanes().is_warp() { Shape::Uniform } else { Shape::Varying }
    }

    fn in_range(&self, mode: ShuffleMode, collective: &Collective) -> Shape {
        let [_, lane, clamp] = *collective.srcs else { return Shape::Varying };
        let valid: Option<Vec<bool>> = match (self.src(lane), self.src(clamp)) {
            (Shape::Constant(lane), Shape::Constant(clamp)) => {
                Some((0..WARP).map(|own| mode.source(own, lane, clamp).is_some()).collect())
            }
            // Every lane is up to the last one.
            (_, Shape::Constant(clamp))
                if clamp & 0x1f1f == 0x1f && matches!(mode, ShuffleMode::Index | ShuffleMode::Butterfly) =>
            {
                Some(vec![true; WARP])
            }
            (Shape::Unwritten, _) | (_, Shape::Unwritten) => return Shape::Unwritten,
            _ => None,
        };
        match valid {
            Some(valid) if valid.iter().all(|&valid| valid) => Shape::Constant(1),
            Some(valid) if valid.iter().all(|&valid| !valid) => Shape::Constant(0),
            _ => Shape::Varying,
        }
    }
}
