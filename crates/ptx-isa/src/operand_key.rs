//! The operands of the rows as keys, so that what reads a row finds an operand without its name as text.

use crate::names::named;

named! {
    /// Which operand of a row this is. Rows of one family have the same key for the same operand; [`Self::as_str`] is the manual's name for it,
    /// which messages show.
    OperandKey {
        A "a", Abef "abef", AccessProperty "access-property", Addr "addr", Address "address",
        ADesc "a-desc", Args "args", At "at", ATmem "a-tmem", B "b", Base "base", BDesc "b-desc",
        ByteMask "byteMask", C "c", CachePolicy "cache-policy", Count "count", Counter "counter",
        CpSize "cp-size", CtaMask "ctaMask", D "d", DisableOutputLane "disable-output-lane", DPdx "dPdx",
        DPdy "dPdy", Dst "dst", DstMem "dstMem", DTmem "d-tmem", E "e", EnableInputD "enable-input-d",
        F "f", Fraction "fraction", Func "func", GlobalAddress "globalAddress", GlobalDim "globalDim",
        GlobalStride "globalStride", GlobalStrideHigh "globalStrideHigh", Group "n", GroupsLeft "N",
        Handle "handle", Idesc "idesc", IgnoreBytesLeft "ignoreBytesLeft",
        IgnoreBytesRight "ignoreBytesRight", IgnoreSrc "ignore-src", Im2colInfo "im2colInfo",
        ImmAlign "immAlign", ImmHalfSplitoff "immHalfSplitoff", ImmLut "immLut",
        ImmRegCount "imm-reg-count", ImmScaleA "imm-scale-a", ImmScaleB "imm-scale-b",
        ImmTransA "imm-trans-a", ImmTransB "imm-trans-b", Index "index", Initval "initval", Local "local",
        Lod "lod", Mask "mask", Mbar "mbar", Membermask "membermask", NCols "nCols", NewVal "new_val",
        Offset "offset", Ord "ord", P "p", PhaseParity "phaseParity", PrimarySize "primary-size",
        Ptr "ptr", Q "q", R "r", Rbits "rbits", Redval "redval", Remote "remote",
        ReportPredicate "reportPredicate", ReportValue "reportValue", Ret "ret",
        ScaleAData "scale-a-data", ScaleAIds "scale-a-ids", ScaleATmem "scale-A-tmem",
        ScaleBData "scale-b-data", ScaleBIds "scale-b-ids", ScaleBTmem "scale-B-tmem", ScaleD "scale-d",
        ScaleFactor "scale-factor", ScaleInputD "scale-input-d", SDesc "s-desc", Size "size",
        SpMeta "sp-meta", SpMetaTmem "sp-meta-tmem", SpSel "sp-sel", Src "src", SrcMem "srcMem",
        SrcSize "src-size", State "state", Stride "stride", SuspendTimeHint "suspendTimeHint", T "t",
        Taddr "taddr", Targets "targets", Tensor "tensor", TensorCoords "tensorCoords",
        TensorMap "tensorMap", Tgt "tgt", Tlist "tlist", TotalSize "total-size",
        TryCancelResponse "try_cancel_response", TxCount "txCount", Value "value",
        WaitComplete "waitComplete", ZeroColumnMaskDesc "zero-column-mask-desc",
    }
}

impl OperandKey {
    /// The key of the operand that the manual calls this. The rows of the table are constants, where a name without a key is a compile error.
    pub(crate) const fn of(name: &str) -> Self {
        let mut at = 0;
        while at < Self::ALL.len() {
            if is_same(Self::ALL[at].as_str().as_bytes(), name.as_bytes()) {
                return Self::ALL[at];
            }
            at += 1;
        }
        panic!("no key has this name")
    }
}

const fn is_same(a: &[u8], b: &[u8]) -> bool {
    let mut at = 0;
    while at < a.len() && at < b.len() && a[at] == b[at] {
        at += 1;
    }
    at == a.len() && at == b.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_is_of_one_key() {
        for key in OperandKey::ALL {
            assert_eq!(OperandKey::of(key.as_str()), *key);
            assert_eq!(OperandKey::from_ptx(key.as_str()), Some(*key));
        }
        let used: Vec<OperandKey> = crate::all_forms()
            .iter()
            .flat_map(|row| row.operands)
            .flat_map(|operand| match operand.kind {
                crate::OperandKind::Bracketed(parts) => [&[*operand], parts].concat(),
                _ => vec![*operand],
            })
            .map(|operand| operand.key)
            .collect();
        let unused: Vec<_> = OperandKey::ALL.iter().filter(|key| !used.contains(key)).collect();
        assert!(unused.is_empty(), "no row has {unused:?}");
    }

    /// Operands of one key are the same to who looks for them, and a modifier chooses one.
    #[test]
    fn row_has_each_key_once_or_for_different_modifiers() {
        for row in crate::all_forms() {
            for (at, operand) in row.operands.iter().enumerate() {
                let first = row.operand(operand.key).unwrap();
                let are_apart = |one: &[_], other: &[_]| {
                    !one.is_empty()
                        && !other.is_empty()
                        && one.iter().all(|modifier| !other.contains(modifier))
                };
                let fits = first == at || are_apart(row.operands[first].when, operand.when);
                assert!(fits, "{}: {}", row.syntax(), operand.name);
            }
        }
    }
}
