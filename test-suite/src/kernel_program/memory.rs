//! Accesses to memory, and operations of the lanes of a warp.

use super::arithmetic::Instructions;

impl Instructions {
    /// An index below `limit`, a power of two, in a register of its own: from the thread's place alone (a stride), from data, or both.
    fn index(&mut self, limit: u32) -> (String, String) {
        let (index, other) = (self.word(), self.word());
        let value = self.value();
        let mask = limit - 1;
        let text = match self.rng.u32(..9) {
            0 => format!("and.b32 {index}, {value}, {mask};"),
            1 => format!("add.u32 {other}, %v3, {}; and.b32 {index}, {other}, {mask};", self.small()),
            2 => format!("mul.lo.u32 {other}, %v3, {}; and.b32 {index}, {other}, {mask};", self.small()),
            3 => format!("sub.u32 {other}, {mask}, %v3; and.b32 {index}, {other}, {mask};"),
            4 => format!("xor.b32 {other}, %v3, {}; and.b32 {index}, {other}, {mask};", self.small()),
            5 => format!("add.u32 {other}, {value}, %v6; and.b32 {index}, {other}, {mask};"),
            6 => format!("shr.u32 {other}, %v3, {}; and.b32 {index}, {other}, {mask};", self.rng.u32(..6)),
            7 => format!("mad.lo.u32 {other}, %v4, 7, %v3; and.b32 {index}, {other}, {mask};"),
            _ => format!("rem.u32 {index}, {value}, {};", self.rng.u32(1..=limit)),
        };
        (text.replace("; ", ";\n") + "\n", index)
    }

    /// An address of 64 bits: a base and an index in elements of so many bytes.
    fn place(&mut self, base: &str, index: &str, bytes: u32) -> (String, String) {
        let [address, wide] = [self.address(), self.address()];
        let text = match self.rng.u32(..5) {
            0 => format!("mul.wide.u32 {wide}, {index}, {bytes};\nadd.s64 {address}, {base}, {wide};\n"),
            1 => format!("mul.wide.s32 {wide}, {index}, {bytes};\nadd.s64 {address}, {wide}, {base};\n"),
            2 => format!("mad.wide.u32 {address}, {index}, {bytes}, {base};\n"),
            3 => format!(
                "cvt.u64.u32 {wide}, {index};\nshl.b64 {wide}, {wide}, {};\nadd.s64 {address}, {base}, {wide};\n",
                bytes.trailing_zeros()
            ),
            _ => {
                let word = self.word();
                format!(
                    "shl.b32 {word}, {index}, {};\ncvt.s64.s32 {wide}, {word};\nadd.s64 {address}, {base}, {wide};\n",
                    bytes.trailing_zeros()
                )
            }
        };
        (text, address)
    }

    /// What a load writes, for one of some types: the type, the bytes, and the registers.
    fn target(&mut self) -> (&'static str, u32, String) {
        let word = |own: &mut Self| own.register();
        match self.rng.u32(..11) {
            0 => ("u8", 1, word(self)),
            1 => ("s8", 1, word(self)),
            2 => ("u16", 2, word(self)),
            3 => ("s16", 2, word(self)),
            4 => ("b64", 8, format!("%q{}", self.rng.u32(..3))),
            5 => ("f32", 4, format!("%f{}", self.rng.u32(..4))),
            6 => {
                let at = self.rng.u32(..7);
                ("v2.u32", 8, format!("{{%r{at}, %r{}}}", at + 1))
            }
            7 => {
                let at = self.rng.u32(..5);
                ("v4.u32", 16, format!("{{%r{}, %r{at}, %r{}, %r{}}}", at + 1, at + 3, at + 2))
            }
            _ => ("u32", 4, word(self)),
        }
    }

    fn guard(&mut self) -> (String, String) {
        if self.rng.u32(..5) == 0 {
            let (text, predicate) = self.comparison();
            return (text, format!("@{predicate} "));
        }
        Default::default()
    }

    /// An access that no other thread has to do with.
    pub(super) fn access(&mut self) -> String {
        let (condition, guard) = self.guard();
        condition
            + &match self.rng.u32(..9) {
                0..=2 => self.input(&guard),
                3 => self.own_words(&guard),
                4 => self.local(&guard),
                5 => self.constant(&guard),
                6 => self.own_atomic(&guard),
                7 => self.counter(&guard),
                _ => self.shared_counter(&guard),
            }
    }

    /// A load of the input, which nothing writes.
    fn input(&mut self, guard: &str) -> String {
        let (ty, bytes, registers) = self.target();
        if self.rng.u32(..3) == 0 {
            // Where the thread is in the grid, as arrays are mostly accessed.
            let offset = self.rng.u32(..8) * bytes;
            let (place, address) = self.place("%x0", "%v5", bytes.min(4));
            if bytes <= 4 {
                return format!("{place}{guard}ld.global.{ty} {registers}, [{address}+{offset}];\n");
            }
        }
        let (index, number) = self.index(4096 / bytes);
        let (place, address) = self.place("%x0", &number, bytes);
        let form = ["ld.global.", "ld.global.nc.", "ld.global.L1::evict_last.", "ld."][self.rng.usize(..4)];
        if form == "ld." {
            let generic = self.address();
            return format!(
                "{index}{place}cvta.global.u64 {generic}, {address};\n{guard}ld.{ty} {registers}, [{generic}];\n"
            );
        }
        format!("{index}{place}{guard}{form}{ty} {registers}, [{address}];\n")
    }

    /// A store or load of the thread's part of the output.
    fn own_words(&mut self, guard: &str) -> String {
        let (ty, bytes, registers) = self.target();
        if self.rng.bool() {
            let at = self.rng.u32(..64 / bytes) * bytes;
            let address = format!("%x1+{at}");
            return guard.to_owned() + &self.either("st.global.", "ld.global.", (ty, &address, &registers));
        }
        let (index, number) = self.index(64 / bytes);
        let (place, address) = self.place("%x1", &number, bytes);
        let access = self.either("st.global.", "ld.volatile.global.", (ty, &address, &registers));
        format!("{index}{place}{guard}{access}")
    }

    /// A store to an address or a load from it, by their mnemonics up to the type.
    fn either(&mut self, store: &str, load: &str, (ty, address, registers): (&str, &str, &str)) -> String {
        if self.rng.bool() {
            // Stores have no types with a sign.
            format!("{store}{} [{address}], {registers};\n", ty.replace('s', "u"))
        } else {
            format!("{load}{ty} {registers}, [{address}];\n")
        }
    }

    fn local(&mut self, guard: &str) -> String {
        let (ty, bytes, registers) = self.target();
        let (index, number) = self.index(64 / bytes);
        let base = self.address();
        let (place, address) = self.place(&base, &number, bytes);
        let (store, load, convert) = if self.rng.bool() {
            ("st.local.", "ld.local.", String::new())
        } else {
            ("st.", "ld.", format!("cvta.local.u64 {base}, {base};\n"))
        };
        let access = self.either(store, load, (ty, &address, &registers));
        format!("{index}mov.u64 {base}, local;\n{convert}{place}{guard}{access}")
    }

    fn constant(&mut self, guard: &str) -> String {
        let (ty, bytes, registers) = self.target();
        let (index, number) = self.index(256 / bytes);
        let base = self.address();
        let (place, address) = self.place(&base, &number, bytes);
        format!("{index}mov.u64 {base}, table;\n{place}{guard}ld.const.{ty} {registers}, [{address}];\n")
    }

    /// An atomic operation on a word of the thread, whose result is what was there.
    fn own_atomic(&mut self, guard: &str) -> String {
        let at = 64 + self.rng.u32(..8) * 8;
        let [result, value, other] = [self.register(), self.value(), self.value()];
        let shared = self.rng.bool();
        let wide = self.rng.u32(..3);
        let (before, place) = if shared {
            let word = self.word();
            (
                format!("shl.b32 {word}, %v3, 3;\nmov.u32 %v19, own;\nadd.u32 {word}, {word}, %v19;\n"),
                format!("shared.X [{word}]"),
            )
        } else {
            (String::new(), format!("global.X [%x1+{at}]"))
        };
        let form = |operation: &str| place.replace('X', operation);
        let text = match self.rng.u32(..7) {
            0 => format!("atom.{}, {value};", with_result(&form("exch.b32"), &result)),
            1 => format!("atom.{}, {value}, {other};", with_result(&form("cas.b32"), &result)),
            2 => format!("atom.{}, {value};", with_result(&form("inc.u32"), &result)),
            3 => format!("atom.{}, {value};", with_result(&form("max.s32"), &result)),
            4 if wide == 0 => format!("atom.{}, %q0;", with_result(&form("add.u64"), "%q1")),
            5 => format!("atom.{}, %f1;", with_result(&form("add.f32"), &format!("%f{}", self.rng.u32(..4)))),
            _ => format!("atom.{}, {value};", with_result(&form("add.u32"), &result)),
        };
        format!("{before}{guard}{text}\n")
    }

    /// An operation on words of all threads, whose order does not matter: each word has one operation.
    fn counter(&mut self, guard: &str) -> String {
        const OPERATIONS: [&str; 8] =
            ["add.u32", "min.s32", "max.u32", "and.b32", "or.b32", "xor.b32", "min.u32", "max.s32"];
        let operation = self.rng.usize(..8);
        let (index, number) = self.index(8);
        let base = self.address();
        let (place, address) = self.place(&base, &number, 4);
        let value = self.value();
        format!(
            "add.s64 {base}, %x2, {};\n{index}{place}{guard}red.global.{} [{address}], {value};\n",
            operation * 32,
            OPERATIONS[operation]
        )
    }

    fn shared_counter(&mut self, guard: &str) -> String {
        const OPERATIONS: [&str; 4] = ["add.u32", "max.s32", "or.b32", "xor.b32"];
        let operation = self.rng.usize(..4);
        let (index, number) = self.index(32);
        let [word, base, value] = [self.word(), self.word(), self.value()];
        let at = operation * 128;
        format!(
            "{index}shl.b32 {word}, {number}, 2;\nmov.u32 {base}, counters;\nadd.u32 {word}, {word}, {base};\n{guard}red.shared.{} [{word}+{at}], {value};\n",
            OPERATIONS[operation]
        )
    }

    /// Every thread stores a word in shared memory and loads some that others stored, between barriers of the block.
    pub(super) fn exchange(&mut self, threads: u32) -> String {
        let limit = threads.next_power_of_two();
        let barrier = [
            "bar.sync 0;",
            "bar.sync 1;",
            "barrier.sync.aligned 0;",
            "bar.red.popc.u32 R, 0, P;",
            "bar.red.and.pred Q, 0, P;",
        ];
        let mut text = String::new();
        let meet = |own: &mut Self, text: &mut String| {
            let one = barrier[own.rng.usize(..barrier.len())];
            if one.contains("red") {
                let (condition, predicate) = own.comparison();
                let (register, other) = (own.register(), own.predicate());
                let one = one.replace('R', &register).replace('Q', &other).replace('P', &predicate);
                *text += &format!("{condition}{one}\n");
                if one.contains("and.pred") {
                    *text += &format!("@{other} add.u32 {register}, {register}, 1;\n");
                }
            } else {
                *text += &format!("{one}\n");
            }
        };
        meet(self, &mut text);
        let [slot, address, base] = [self.word(), self.word(), self.word()];
        text += &format!("mov.u32 {base}, words;\n");
        // A permutation of the threads' words, where their number allows it.
        text += &match self.rng.u32(..4) {
            0 if threads.is_power_of_two() => format!("xor.b32 {slot}, %v3, {};\n", self.rng.u32(..threads)),
            1 if threads.is_power_of_two() => {
                format!(
                    "mul.lo.u32 {slot}, %v3, {};\nand.b32 {slot}, {slot}, {};\n",
                    self.rng.u32(..16) * 2 + 1,
                    threads - 1
                )
            }
            2 => format!("sub.u32 {slot}, {}, %v3;\n", threads - 1),
            _ => format!("mov.u32 {slot}, %v3;\n"),
        };
        let (condition, guard) = self.guard();
        let value = self.value();
        text += &format!(
            "shl.b32 {address}, {slot}, 2;\nadd.u32 {address}, {address}, {base};\n{condition}{guard}st.shared.u32 [{address}], {value};\n"
        );
        meet(self, &mut text);
        for _ in 0..self.rng.u32(1..4) {
            let (ty, bytes, registers) = self.target();
            let (index, number) = self.index((limit * 4 / bytes).max(1));
            let word = self.word();
            text += &format!(
                "{index}shl.b32 {word}, {number}, {};\nadd.u32 {word}, {word}, {base};\n",
                bytes.trailing_zeros()
            );
            text += &if self.rng.u32(..3) == 0 {
                let [wide, generic] = [self.address(), self.address()];
                format!(
                    "cvt.u64.u32 {wide}, {word};\ncvta.shared.u64 {generic}, {wide};\nld.{ty} {registers}, [{generic}];\n"
                )
            } else {
                format!("ld.shared.{ty} {registers}, [{word}];\n")
            };
        }
        if self.rng.bool() {
            let (index, number) = self.index(128);
            let [word, base, register] = [self.word(), self.word(), self.register()];
            text += &format!(
                "{index}shl.b32 {word}, {number}, 2;\nmov.u32 {base}, counters;\nadd.u32 {word}, {word}, {base};\nld.shared.u32 {register}, [{word}];\n"
            );
        }
        meet(self, &mut text);
        text
    }

    /// An operation among lanes that are together, named by a mask.
    pub(super) fn collective(&mut self, lanes: &str) -> String {
        let (result, value) = (self.register(), self.value());
        let lane = match self.rng.u32(..3) {
            0 => self.value(),
            _ => self.rng.u32(..32).to_string(),
        };
        let (condition, predicate) = self.comparison();
        let other = self.predicate();
        let clamp = ["0x1f", "0x181f", "0x1c1f", "0x1e00", "0"][self.rng.usize(..5)];
        let text = match self.rng.u32(..14) {
            0 => format!(
                "shfl.sync.bfly.b32 {result}|{other}, {value}, {lane}, 0x1f, {lanes};\n@{other} add.u32 {result}, {result}, 1;"
            ),
            1 => format!(
                "shfl.sync.idx.b32 {result}|{other}, {value}, {lane}, {clamp}, {lanes};\n@!{other} xor.b32 {result}, {result}, 77;"
            ),
            2 => format!("shfl.sync.down.b32 {result}, {value}, {lane}, 0x1f, {lanes};"),
            3 => format!(
                "shfl.sync.up.b32 {result}|{other}, {value}, {lane}, 0, {lanes};\n@{other} add.u32 {result}, {result}, {value};"
            ),
            4 => format!("vote.sync.ballot.b32 {result}, {predicate}, {lanes};"),
            5 => format!(
                "vote.sync.any.pred {other}, {predicate}, {lanes};\nselp.u32 {result}, {value}, 3, {other};"
            ),
            6 => format!(
                "vote.sync.all.pred {other}, !{predicate}, {lanes};\n@{other} mov.u32 {result}, {value};"
            ),
            7 => format!(
                "vote.sync.uni.pred {other}, {predicate}, {lanes};\nselp.u32 {result}, {result}, 9, {other};"
            ),
            8 => {
                let word = self.word();
                format!("and.b32 {word}, {value}, 3;\nmatch.any.sync.b32 {result}, {word}, {lanes};")
            }
            9 => format!(
                "match.all.sync.b32 {result}|{other}, {value}, {lanes};\n@{other} add.u32 {result}, {result}, 5;"
            ),
            10 => format!("redux.sync.add.s32 {result}, {value}, {lanes};"),
            11 => format!(
                "redux.sync.{} {result}, {value}, {lanes};",
                ["min.u32", "max.s32", "and.b32", "xor.b32"][self.rng.usize(..4)]
            ),
            12 => format!(
                "elect.sync {result}|{other}, {lanes};\n@{other} add.u32 {result}, {result}, {value};"
            ),
            _ => {
                // Words of the warp, in the order of its lanes.
                let [own, address, base] = [self.word(), self.word(), self.word()];
                let turned = self.rng.u32(..32);
                format!(
                    "bar.warp.sync {lanes};\nmov.u32 {base}, own;\nmad.lo.u32 {own}, %v3, 8, {base};\nst.shared.u32 [{own}+4], {value};\nbar.warp.sync {lanes};\n\
                     mov.u32 {address}, {value};\nshfl.sync.idx.b32 {address}, {own}, {turned}, 0x1f, {lanes};\nld.shared.u32 {result}, [{address}+4];\nbar.warp.sync {lanes};"
                )
            }
        };
        let condition = if text.contains(&predicate) { condition } else { String::new() };
        format!("{condition}{text}\n")
    }
}

/// `global.add.u32 [a]` as `global.add.u32 %r, [a]`.
fn with_result(form: &str, result: &str) -> String {
    form.replacen(' ', &format!(" {result}, "), 1)
}
