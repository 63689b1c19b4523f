//! Directives and other constructs that are not instructions, with the versions that have them (manual 5, 11).
//!
//! The verifier checks a program against these rows, and the reverse emitter raises the version and target of its output by them.

use std::fmt;

use crate::Since;

/// Declares the constructs, one row each: name, how diagnostics call it, first PTX version and architecture, the manual's section; where
/// `ptxas` accepts a construct earlier than the manual says, the version is that of `ptxas`.
macro_rules! constructs {
    ($($v:ident $text:literal ($major:literal, $minor:literal) $sm:literal $section:literal;)*) => {
        /// A construct that is not an instruction.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Construct {
            $(#[doc = $text] $v,)*
        }

        impl Construct {
            /// All constructs, in the order of the manual's sections.
            pub const ALL: &[Construct] = &[$(Construct::$v,)*];

            const fn row(self) -> (&'static str, Since, &'static str) {
                match self {
                    $(Construct::$v => ($text, Since::new($major, $minor, $sm), $section),)*
                }
            }
        }
    };
}

constructs! {
    FunctionAddress "the address of a function" (2, 1) 20 "6.4.4";
    KernelAddress "the address of a kernel" (3, 1) 35 "6.4.4";
    Ptr "`.ptr`" (2, 2) 10 "5.1.6.3";
    PtrToReference "`.ptr` to a texture, sampler or surface" (4, 3) 10 "5.1.6.3";
    F16x2Variable "the type `.f16x2`" (4, 2) 53 "5.2.5.1";
    B128Variable "the type `.b128`" (8, 3) 70 "5.2.1";
    Reference "a reference to a texture, sampler or surface" (1, 5) 10 "5.3";
    ReferenceHandle "a handle in a register" (3, 1) 20 "5.3";
    SamplerWithHandle "a sampler together with a handle in a register" (4, 3) 30 "5.3";
    InitialAddress "an address as initial value" (2, 1) 10 "5.4.4";
    InitialKernelAddress "the address of a kernel as initial value" (3, 1) 35 "5.4.4";
    InitialGenericAddress "`generic()`" (3, 1) 10 "5.4.4";
    InitialAddressPart "a part of an address as initial value" (7, 1) 30 "5.4.4";
    ManagedVariable "`.managed`" (4, 0) 30 "5.4.8";
    UnifiedVariable "`.unified`" (8, 0) 90 "5.4.8";
    UnifiedFunction "`.unified`" (9, 0) 90 "5.4.8";
    OpenArray "an array without a length as parameter" (6, 0) 30 "7.2";
    WideAccess "an access of 256 bits" (8, 8) 100 "9.7.9.8";
    IndirectCall "a call of an address" (2, 1) 20 "9.7.12.5";
    AddressSize "`.address_size`" (2, 3) 10 "11.1.3";
    KernelParameters "a list of parameters of a kernel" (1, 4) 10 "11.2.1";
    KernelDeclaration "a declaration of a kernel" (3, 0) 10 "11.2.1";
    Alias "`.alias`" (6, 3) 30 "11.2.3";
    BranchTargets "`.branchtargets`" (6, 0) 30 "11.3.1";
    CallTargets "`.calltargets`" (2, 1) 20 "11.3.2";
    CallPrototype "`.callprototype`" (2, 1) 20 "11.3.3";
    MaxNReg "`.maxnreg`" (1, 3) 10 "11.4.1";
    MaxNtid "`.maxntid`" (1, 3) 10 "11.4.2";
    ReqNtid "`.reqntid`" (2, 1) 10 "11.4.3";
    MinNCtaPerSm "`.minnctapersm`" (2, 0) 10 "11.4.4";
    MaxNCtaPerSm "`.maxnctapersm`" (1, 3) 10 "11.4.5";
    NoReturn "`.noreturn`" (6, 4) 30 "11.4.6";
    Pragma "`.pragma`" (2, 0) 10 "11.4.7";
    AbiPreserve "`.abi_preserve`" (9, 0) 80 "11.4.8";
    AbiPreserveControl "`.abi_preserve_control`" (9, 0) 80 "11.4.9";
    LocalMaxNReg "`.local_maxnreg`" (8, 8) 10 "";
    MinPerCtaMemory "`.minperctamemory`" (9, 4) 80 "";
    Language "`.language`" (9, 2) 10 "";
    Section "`.section`" (2, 0) 10 "11.5.2";
    SectionSum "a sum in a `.section`" (3, 2) 10 "11.5.2";
    SectionLabel "a label in a `.section`" (7, 0) 10 "11.5.2";
    SectionDifference "a difference or a negative number in a `.section`" (7, 5) 10 "11.5.2";
    FileStamp "the time and size of a file" (3, 2) 10 "11.5.3";
    InlinedCall "the location of an inlined call" (7, 0) 10 "11.5.4";
    Weak "`.weak`" (3, 1) 10 "11.6.3";
    Common "`.common`" (5, 0) 20 "11.6.4";
    ReqNCtaPerCluster "`.reqnctapercluster`" (7, 8) 90 "11.7.1";
    ExplicitCluster "`.explicitcluster`" (7, 8) 90 "11.7.2";
    MaxClusterRank "`.maxclusterrank`" (7, 8) 90 "11.7.3";
    BlocksAreClusters "`.blocksareclusters`" (9, 0) 90 "11.8.1";
}

impl Construct {
    /// How diagnostics call it: the directive as code, or a noun phrase.
    pub const fn text(self) -> &'static str {
        self.row().0
    }

    /// The first PTX version and architecture that have it.
    pub const fn since(self) -> Since {
        self.row().1
    }

    /// The section of the manual; `None` for directives that only `ptxas` has.
    pub fn section(self) -> Option<&'static str> {
        Some(self.row().2).filter(|section| !section.is_empty())
    }
}

impl fmt::Display for Construct {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}
