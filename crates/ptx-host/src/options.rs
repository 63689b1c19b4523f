//! How kernels are compiled.

/// How kernels are compiled, beside the processor and the shape of launches. What is not asked for costs nothing.
#[derive(Clone, Default, Debug)]
pub struct Options {
    /// Code that computes each lane by itself and compares what comes out with everything that the analysis claims: one value, a stride,
    /// an index, bounds and known bits of each row, and which lanes run together. A difference stops the launch as
    /// [`TrapKind::Defect`](ptx_exec::TrapKind). It is for tests: such code is many times slower. Plain
    /// loads of one place that other threads write meanwhile may be reported: lanes then find different values, which PTX allows.
    pub check_shapes: bool,
    /// Whether it is noted what code accesses and branches have.
    pub(crate) notes: bool,
}

impl Options {
    /// The same with [`Self::check_shapes`] as it is given.
    #[must_use]
    pub fn with_check_shapes(self, check_shapes: bool) -> Self {
        Self { check_shapes, ..self }
    }
}
