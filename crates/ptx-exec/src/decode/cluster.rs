//! Barriers and addresses of clusters (manual 9.7.13.3, 9.7.9.23, 9.7.9.24).

use ptx_isa::{Field, Mod, Sem};

use super::Decoded;
use super::body::{BodyDecoder, Context, unary};
use super::modifiers::{ORDERING, STRONGEST, TOGETHER};
use crate::memory::RANK_SHIFT;
use crate::program::{ClusterAction, Effect, MapAddress, Unary};

impl BodyDecoder<'_> {
    /// `barrier.cluster`.
    pub(super) fn cluster_barrier(&mut self, cx: &mut Context<'_>) -> Decoded<()> {
        cx.m.ignore(ORDERING, STRONGEST);
        cx.m.ignore(&[Field::Aligned], TOGETHER);
        let action = match (cx.m.has(Mod::Arrive), cx.m.has(Mod::Wait)) {
            (true, false) => ClusterAction::Arrive,
            (false, true) => ClusterAction::Wait,
            _ => return cx.unsupported("what it does is not known here"),
        };
        cx.emit(Effect::ClusterBarrier(action));
        Ok(())
    }

    /// `mapa`, `getctarank`.
    pub(super) fn cluster_address(&mut self, cx: &mut Context<'_>) -> Decoded<()> {
        let d = self.dst_named(cx, "d")?;
        let a = self.src_named(cx, "a")?;
        cx.m.ignore(&[Field::Type], "the address has the width of its register");
        if cx.m.sem() == Sem::Getctarank {
            cx.m.ignore(&[Field::Space], "generic addresses have the rank in the same bits");
            cx.emit(unary(Unary::Field { shift: RANK_SHIFT, mask: 0xff }, d, a));
            return Ok(());
        }
        let is_generic = cx.m.space().is_none();
        let rank = self.src_named(cx, "b")?;
        cx.emit(Effect::MapAddress(Box::new(MapAddress { d, a, rank, is_generic })));
        Ok(())
    }
}
