//! The codes of diagnostics about profiles.

ptx_diag::codes! {
    /// A file is not a profile as `ptxrun --profile=FILE.json` writes it.
    pub const NO_PROFILE: Code = Code("T0022");
    /// A profile is not of the module that it is given for: the module has another instruction, or none, at the place of one that was executed.
    pub const OTHER_MODULE: Code = Code("T0023");
}
