//! How LLVM IR says an instruction: the column of the table that the lowering follows and `docs/coverage.md` counts.
//!
//! A row has the way of its meaning; some of its modifiers need another. The order of the ways is that of preference, and an
//! instruction goes the last way that its row or one of its modifiers needs.

use std::fmt;

use crate::mnemonic::Mnemonic;
use crate::names::{Field, Mod, Sem};

/// How LLVM IR says an instruction.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Way {
    /// Instructions and intrinsics that LLVM has for every target say exactly what it does.
    Plain,
    /// An intrinsic of LLVM's NVPTX target where there is one for its modifiers, else inline assembly.
    Intrinsic,
    /// Inline assembly that holds the instruction as it is written: LLVM has no other form.
    Assembly,
}

impl Way {
    /// All ways, in the order of preference.
    pub const ALL: [Way; 3] = [Way::Plain, Way::Intrinsic, Way::Assembly];

    /// Its name in the documentation.
    pub const fn as_str(self) -> &'static str {
        match self {
            Way::Plain => "plain IR",
            Way::Intrinsic => "intrinsic",
            Way::Assembly => "inline assembly",
        }
    }
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What sends an instruction another way than its meaning's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Trigger {
    /// This modifier.
    Is(Mod),
    /// Any modifier in this slot.
    Has(Field),
    /// All of these.
    All(&'static [Trigger]),
}

impl Trigger {
    /// Whether the mnemonic has what this asks for.
    pub fn applies(self, mnemonic: &Mnemonic) -> bool {
        match self {
            Is(modifier) => mnemonic.has(modifier),
            Has(field) => mnemonic.get(field).is_some(),
            // The lists are constants of this file and do not nest.
            All(list) => list.iter().all(|part| part.applies(mnemonic)),
        }
    }
}

use Trigger::{All, Has, Is};

/// Roundings, flushing and types that plain IR does not have.
const FLOAT: &[(Trigger, Way)] = &[
    (Has(Field::Ftz), Way::Intrinsic),
    (Is(Mod::Sat), Way::Intrinsic),
    (Has(Field::Relu), Way::Intrinsic),
    (Has(Field::Approx), Way::Intrinsic),
    (Is(Mod::Full), Way::Intrinsic),
    (Is(Mod::Rz), Way::Intrinsic),
    (Is(Mod::Rm), Way::Intrinsic),
    (Is(Mod::Rp), Way::Intrinsic),
    (Is(Mod::F32x2), Way::Intrinsic),
    (Is(Mod::Hi), Way::Intrinsic),
    (All(&[Is(Mod::F32), Is(Mod::F16)]), Way::Assembly),
    (All(&[Is(Mod::F32), Is(Mod::Bf16)]), Way::Assembly),
];
/// Smallest and largest values, signs.
const EXTREME: &[(Trigger, Way)] = &[
    (Has(Field::Ftz), Way::Intrinsic),
    (Has(Field::Xorsign), Way::Intrinsic),
    (Has(Field::Relu), Way::Intrinsic),
];
const CONVERSION: &[(Trigger, Way)] = &[
    (Has(Field::Ftz), Way::Intrinsic),
    (Has(Field::Sat), Way::Intrinsic),
    (Has(Field::Relu), Way::Intrinsic),
    (Is(Mod::Rni), Way::Intrinsic),
    (Is(Mod::Rzi), Way::Intrinsic),
    (Is(Mod::Rmi), Way::Intrinsic),
    (Is(Mod::Rpi), Way::Intrinsic),
    (Is(Mod::Rz), Way::Intrinsic),
    (Is(Mod::Rm), Way::Intrinsic),
    (Is(Mod::Rp), Way::Intrinsic),
    (Is(Mod::Rna), Way::Intrinsic),
    (All(&[Is(Mod::F16), Is(Mod::Bf16)]), Way::Assembly),
    // LLVM takes the conversion for exact though the number may be too large.
    (All(&[Is(Mod::Rn), Is(Mod::F16), Is(Mod::U32)]), Way::Assembly),
    (All(&[Is(Mod::Rn), Is(Mod::F16), Is(Mod::S32)]), Way::Assembly),
    (All(&[Is(Mod::Rn), Is(Mod::F16), Is(Mod::U64)]), Way::Assembly),
    (All(&[Is(Mod::Rn), Is(Mod::F16), Is(Mod::S64)]), Way::Assembly),
];
/// Comparisons know no flushing, and LLVM keeps results of packed ones in other types.
const COMPARISON: &[(Trigger, Way)] =
    &[(Has(Field::Ftz), Way::Assembly), (Is(Mod::F16x2), Way::Assembly), (Is(Mod::Bf16x2), Way::Assembly)];
/// What plain loads and stores do not carry, neither as metadata: operands, eviction that only whole accesses have, order of more
/// than LLVM accesses at once.
const ACCESS: &[(Trigger, Way)] = &[
    (Has(Field::CacheHint), Way::Assembly),
    (Has(Field::EvictL2), Way::Assembly),
    (Has(Field::Mmio), Way::Assembly),
    (All(&[Has(Field::Vec), Is(Mod::Relaxed)]), Way::Assembly),
    (All(&[Has(Field::Vec), Is(Mod::Acquire)]), Way::Assembly),
    (All(&[Has(Field::Vec), Is(Mod::Release)]), Way::Assembly),
    (All(&[Is(Mod::B128), Is(Mod::Relaxed)]), Way::Assembly),
    (All(&[Is(Mod::B128), Is(Mod::Acquire)]), Way::Assembly),
    (All(&[Is(Mod::B128), Is(Mod::Release)]), Way::Assembly),
];
/// LLVM's addition of single precision flushes, and its atomics have 64 bits at most.
const ATOMIC: &[(Trigger, Way)] = &[
    (Has(Field::CacheHint), Way::Assembly),
    (All(&[Is(Mod::F32), Is(Mod::Noftz)]), Way::Assembly),
    (Is(Mod::B128), Way::Assembly),
];

impl Sem {
    /// The way of all instructions with this meaning, as far as their modifiers need no other.
    pub const fn way(self) -> Way {
        self.ways().0
    }

    /// The modifiers that need another way.
    pub const fn detours(self) -> &'static [(Trigger, Way)] {
        self.ways().1
    }

    const fn ways(self) -> (Way, &'static [(Trigger, Way)]) {
        match self {
            Sem::Rem | Sem::AddCarry | Sem::SubCarry | Sem::And | Sem::Or => (Way::Plain, &[]),
            Sem::Xor | Sem::Not | Sem::Cnot | Sem::Lop3 | Sem::Shl => (Way::Plain, &[]),
            Sem::Shr | Sem::Popc | Sem::Clz | Sem::Bfe | Sem::Bfi => (Way::Plain, &[]),
            Sem::Testp | Sem::Selp | Sem::Mov | Sem::MovVector | Sem::Bra | Sem::BrxIdx => (Way::Plain, &[]),
            Sem::Call | Sem::Ret | Sem::Exit | Sem::Trap => (Way::Plain, &[]),
            Sem::Add | Sem::Sub | Sem::Mul | Sem::Mad | Sem::Fma => (Way::Plain, FLOAT),
            Sem::Div | Sem::MadCarry => (Way::Plain, FLOAT),
            Sem::Abs | Sem::Neg | Sem::Min | Sem::Max => (Way::Plain, EXTREME),
            Sem::Mad24 => (Way::Plain, &[(Is(Mod::Lo), Way::Intrinsic), (Is(Mod::Hi), Way::Assembly)]),
            Sem::Set | Sem::Setp | Sem::Slct => (Way::Plain, COMPARISON),
            Sem::Cvt => (Way::Plain, CONVERSION),
            Sem::Cvta => (Way::Plain, &[(Is(Mod::U32), Way::Assembly)]),
            Sem::Load | Sem::Store => (Way::Plain, ACCESS),
            Sem::Atom | Sem::Red => (Way::Plain, ATOMIC),
            // Fences of a scope are plain, the others have intrinsics.
            Sem::Fence => (Way::Plain, &[(Has(Field::Level), Way::Intrinsic)]),
            Sem::Isspacep | Sem::Barrier | Sem::Mul24 | Sem::Sad => (Way::Intrinsic, &[]),
            Sem::Dp4a | Sem::Dp2a | Sem::Shf | Sem::Bfind | Sem::Fns => (Way::Intrinsic, &[]),
            Sem::Brev | Sem::Bmsk | Sem::Szext | Sem::Prmt => (Way::Intrinsic, &[]),
            Sem::Copysign | Sem::Rcp | Sem::Sqrt | Sem::Rsqrt => (Way::Intrinsic, &[]),
            Sem::Sin | Sem::Cos | Sem::Lg2 | Sem::Ex2 => (Way::Intrinsic, &[]),
            Sem::LoadUniform | Sem::Prefetch | Sem::ApplyPriority => (Way::Intrinsic, &[]),
            Sem::Discard | Sem::CpAsync | Sem::CpAsyncCommit => (Way::Intrinsic, &[]),
            Sem::CpAsyncWait | Sem::CpAsyncArrive | Sem::BarrierWarp => (Way::Intrinsic, &[]),
            Sem::ClusterBarrier | Sem::FenceProxy | Sem::Shfl => (Way::Intrinsic, &[]),
            Sem::Vote | Sem::Match | Sem::Activemask | Sem::Redux => (Way::Intrinsic, &[]),
            Sem::ReduxFloat | Sem::Elect | Sem::Setmaxnreg => (Way::Intrinsic, &[]),
            Sem::Griddepcontrol | Sem::Mapa | Sem::Getctarank => (Way::Intrinsic, &[]),
            Sem::Mma | Sem::Ldmatrix | Sem::Stmatrix | Sem::Movmatrix => (Way::Intrinsic, &[]),
            Sem::WmmaLoad | Sem::WmmaStore | Sem::Wmma => (Way::Intrinsic, &[]),
            Sem::WgmmaFence | Sem::WgmmaCommit | Sem::WgmmaWait => (Way::Intrinsic, &[]),
            Sem::TensorMemory | Sem::Tcgen05Mma | Sem::Brkpt => (Way::Intrinsic, &[]),
            Sem::Pmevent | Sem::Nanosleep | Sem::CvtNarrow | Sem::Tex => (Way::Intrinsic, &[]),
            Sem::Tld4 | Sem::Txq | Sem::Istypep | Sem::SurfaceLoad => (Way::Intrinsic, &[]),
            Sem::SurfaceStore | Sem::SurfaceQuery | Sem::StoreBulk => (Way::Intrinsic, &[]),
            Sem::BulkCopy | Sem::BulkPrefetch | Sem::BulkCommit => (Way::Intrinsic, &[]),
            Sem::BulkWait | Sem::TensorCopy | Sem::TensorReduce => (Way::Intrinsic, &[]),
            Sem::TensorPrefetch | Sem::TensormapReplace => (Way::Intrinsic, &[]),
            Sem::MbarrierInit | Sem::MbarrierInval => (Way::Intrinsic, &[]),
            Sem::MbarrierTransactions | Sem::MbarrierArrive => (Way::Intrinsic, &[]),
            Sem::MbarrierWait | Sem::MbarrierPendingCount => (Way::Intrinsic, &[]),
            Sem::TryCancel => (Way::Intrinsic, &[]),
            Sem::Tanh | Sem::FmaOob | Sem::Min3 => (Way::Assembly, &[]),
            Sem::Max3 | Sem::PackedBytes | Sem::Video | Sem::VideoSimd => (Way::Assembly, &[]),
            Sem::SurfaceReduce | Sem::AtomVector | Sem::RedVector => (Way::Assembly, &[]),
            Sem::StoreAsync | Sem::ReduceAsync | Sem::BulkReduce => (Way::Assembly, &[]),
            Sem::TensormapCopy | Sem::MultimemLoadReduce => (Way::Assembly, &[]),
            Sem::MultimemStore | Sem::MultimemReduce | Sem::Fabric => (Way::Assembly, &[]),
            Sem::FabricGroup => (Way::Assembly, &[]),
            Sem::CreatePolicy | Sem::MbarrierCheckLayout => (Way::Assembly, &[]),
            Sem::QueryCancel | Sem::MmaSparse | Sem::MmaScaled => (Way::Intrinsic, &[]),
            Sem::CvtPack => (Way::Intrinsic, &[]),
            Sem::Stacksave | Sem::Stackrestore | Sem::Alloca => (Way::Assembly, &[]),
            Sem::Wgmma | Sem::WgmmaSparse => (Way::Assembly, &[]),
        }
    }
}

impl Mnemonic {
    /// How LLVM IR says the instruction at best.
    pub fn way(&self) -> Way {
        let detours = self.sem().detours().iter().filter(|(trigger, _)| trigger.applies(self));
        detours.map(|(_, way)| *way).fold(self.sem().way(), Way::max)
    }
}
