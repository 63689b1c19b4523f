//! Stack allocations of threads (manual 9.7.17). The stack grows towards higher addresses here, which only programs
//! that compare addresses of different allocations can observe.

use ptx_program::{Stack, lanes};

use super::Stop;
use super::at::At;
use crate::error::TrapKind;

pub(super) fn stack(at: &mut At<'_>, stack: Stack) -> Result<(), Stop> {
    let At { warp, grid, operands, place, .. } = at;
    let frame = &mut warp.frames[operands.frame];
    let bottom = frame.local + grid.program.functions[frame.function as usize].local;
    for lane in lanes(place.active) {
        let top = frame.tops[lane];
        match stack {
            Stack::Save { d } => operands.set(d, lane, top.into()),
            Stack::Restore { a } => {
                let value = operands.value(a, lane);
                let restored = u32::try_from(value).ok().filter(|value| (bottom..=top).contains(value));
                let text = || format!("{value:#x} is not a place that the stack of this call had");
                let restored = restored.ok_or_else(|| place.stop(TrapKind::Misuse(text()), lane))?;
                frame.tops[lane] = restored;
            }
            Stack::Allocate { d, size, align } => {
                let size = operands.value(size, lane);
                let start = u64::from(top).next_multiple_of(align);
                let end = start.checked_add(size).and_then(|end| u32::try_from(end).ok());
                let end = end.filter(|&end| (end as usize) <= grid.stack_limit());
                let end = end.ok_or_else(|| place.stop(TrapKind::Stack, lane))?;
                frame.tops[lane] = end;
                let bytes = &mut warp.local[lane];
                bytes.resize(bytes.len().max(end as usize), 0);
                operands.set(d, lane, start);
            }
        }
    }
    Ok(())
}
