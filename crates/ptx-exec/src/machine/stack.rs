//! Stack allocations of threads (manual 9.7.17). The stack grows towards higher addresses here, which only programs
//! that compare addresses of different allocations can observe.

use super::Stop;
use super::grid::Grid;
use super::warp::{Frame, Warp};
use crate::error::TrapKind;
use crate::program::{Mask, Row, Stack, lanes};

impl Warp {
    pub(super) fn stack(
        &mut self,
        grid: &Grid<'_>,
        frame: usize,
        rows: &mut [Row],
        stack: Stack,
        active: Mask,
        pc: u32,
    ) -> Result<(), Stop> {
        let constants = self.constants(grid);
        let bottom = {
            let Frame { local, function, .. } = &self.frames[frame];
            local + grid.program.functions[*function as usize].local
        };
        for lane in lanes(active) {
            let top = self.frames[frame].tops[lane];
            match stack {
                Stack::Save { d } => rows[d as usize][lane] = top.into(),
                Stack::Restore { a } => {
                    let value = a.of(rows, constants)[lane];
                    let restored = u32::try_from(value).ok().filter(|value| (bottom..=top).contains(value));
                    let text = || format!("{value:#x} is not a place that the stack of this call had");
                    let restored = restored.ok_or_else(|| Stop::at(TrapKind::Misuse(text()), pc, lane))?;
                    self.frames[frame].tops[lane] = restored;
                }
                Stack::Allocate { d, size, align } => {
                    let size = size.of(rows, constants)[lane];
                    let start = u64::from(top).next_multiple_of(align);
                    let end = start.checked_add(size).and_then(|end| u32::try_from(end).ok());
                    let end = end.filter(|&end| (end as usize) <= grid.stack_limit());
                    let end = end.ok_or_else(|| Stop::at(TrapKind::Stack, pc, lane))?;
                    self.frames[frame].tops[lane] = end;
                    let bytes = &mut self.local[lane];
                    bytes.resize(bytes.len().max(end as usize), 0);
                    rows[d as usize][lane] = start;
                }
            }
        }
        Ok(())
    }
}
