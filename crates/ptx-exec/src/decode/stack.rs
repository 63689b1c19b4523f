//! Stack allocations of threads (manual 9.7.17).

use ptx_ir::Operand;
use ptx_isa::{Field, MemorySem, Sem};

use super::body::{BodyDecoder, Context};
use super::{Decoded, finding};
use crate::error::codes;
use crate::program::{Effect, Stack};

/// Minimum alignment of allocations.
const ALIGNMENT: u64 = 8;
/// Maximum alignment.
const LARGEST_ALIGNMENT: u64 = 1 << 23;

impl BodyDecoder<'_> {
    /// `stacksave`, `stackrestore`, `alloca`.
    pub(super) fn stack(&mut self, cx: &mut Context<'_>) -> Decoded<()> {
        cx.m.ignore(&[Field::Type], "addresses in local memory fit into 32 bits");
        let stack = match cx.m.sem() {
            Sem::Memory(MemorySem::Stacksave) => Stack::Save { d: self.dst_named(cx, "d")? },
            Sem::Memory(MemorySem::Stackrestore) => Stack::Restore { a: self.src_named(cx, "a")? },
            _ => {
                let (at, align) = cx.named("immAlign")?;
                let align = match align {
                    Operand::Omitted => ALIGNMENT,
                    Operand::Immediate(immediate) => {
                        let align = immediate.as_integer();
                        let fits = |align: &u64| align.is_power_of_two() && *align <= LARGEST_ALIGNMENT;
                        let Some(align) = align.filter(fits) else {
                            return finding(
                                codes::OPERAND,
                                cx.span(at),
                                "an alignment is a power of two up to 2^23",
                            );
                        };
                        align.max(ALIGNMENT)
                    }
                    _ => return finding(codes::OPERAND, cx.span(at), "an alignment is a constant"),
                };
                Stack::Allocate { d: self.dst_named(cx, "ptr")?, size: self.src_named(cx, "size")?, align }
            }
        };
        cx.emit(Effect::Stack(stack));
        Ok(())
    }
}
