//! Operands that an instruction reads and writes (`Role::Update`): the table is compared with ptxas and with LLVM's declarations, and what is tied
//! to such an operand has a register of its own wherever it is needed twice.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::num::NonZeroUsize;

use crate::skipped::skip;
use ptx_diag::SourceFile;
use ptx_exec::{Argument, Launch};
use ptx_gen::{Home, Instruction, Seeded, instruction, module};
use ptx_ir::{Body, Inst, Operand, RegId};
use ptx_isa::{
    Field, Form, FormId, MatrixSem, Mnemonic, Mod, Opcode, OperandKey, Role, ScalarType, Sem, Shape, Slot,
    all_forms, form, form_ids,
};
use ptx_llvm_core::Context;
use ptx_llvm_core::intrinsics::{self, IntrinsicMapping, Operand as Mapped, Type};
use test_suite::directive::Level;
use test_suite::oracle::{Oracles, llvm_folder, nvidia_folder};
use test_suite::stage;

/// Draws for a row, until one has no guard, which makes every result depend on its old value.
const DRAWS: usize = 40;
/// Instructions of a row that ptxas may refuse, such as those with 32-bit addresses, until the row is given up.
const ATTEMPTS: u64 = 8;
/// The first offset from which registers get their first values; each has one of its own.
const FIRST: usize = 0x5550;
const STEP: usize = 0x120;

/// An instruction with the registers that it writes, none of which is also a source.
struct Sample {
    generated: Instruction,
    home: Home,
    results: Vec<(String, ScalarType, Role)>,
}

/// The only instruction of a row in a module.
fn find(module: &ptx_ir::Module, id: FormId) -> Option<(&Body, &Inst)> {
    let bodies = module.functions.iter().filter_map(|function| function.body.as_ref());
    bodies
        .flat_map(|body| body.instructions().map(move |(_, inst)| (body, inst)))
        .find(|(_, inst)| inst.mnemonic.form_id() == id)
}

fn name_of(module: &ptx_ir::Module, body: &Body, register: RegId) -> String {
    let declared = &body.registers[register.index()];
    let decl = body.decl(register);
    match decl.count {
        Some(_) => format!("{}{}", module.name(decl.name), declared.number),
        None => module.name(decl.name).to_owned(),
    }
}

fn sample_of(id: FormId, attempt: u64) -> Option<Sample> {
    let mut choices = Seeded::new(id.index() as u64 * ATTEMPTS + attempt);
    for _ in 0..DRAWS {
        let Some(generated) = instruction(&mut choices, id, None, ptx_gen::Density::Sparse) else { continue };
        let Some(home) = Home::of(generated.mnemonic.since()).filter(|home| home.sm.number >= 75) else {
            continue;
        };
        let Ok(read) = ptx_gen::check(&module(home, [&generated]).text) else { continue };
        let Some((body, inst)) = find(&read, id).filter(|(_, inst)| inst.guard.is_none()) else { continue };
        let (mut results, mut sources) = (Vec::new(), BTreeSet::new());
        body.for_each_register(inst, |register, role| {
            if role.is_written() {
                results.push((name_of(&read, body, register), body.reg_type(register), role));
            } else {
                sources.insert(name_of(&read, body, register));
            }
        });
        if adds_nothing(body, inst) {
            continue;
        }
        if !results.is_empty() && results.iter().all(|(name, ..)| !sources.contains(name)) {
            return Some(Sample { generated, home, results });
        }
    }
    None
}

/// Whether the constant `scale-d` makes the old value of an accumulator irrelevant.
fn adds_nothing(body: &Body, inst: &Inst) -> bool {
    let scale = inst.mnemonic.form().operand(OperandKey::ScaleD);
    let scale = scale.and_then(|at| body.operands(inst).get(at));
    matches!(scale, Some(Operand::Immediate(value)) if value.as_integer() == Some(0))
}

impl Sample {
    /// The module with first values for the results, each from an address of its own, and with the results stored.
    fn text(&self) -> String {
        let mut before = String::from(" .reg .u64 %marked; mov.u64 %marked, marker; ");
        let mut after = String::new();
        for (at, (name, ty, _)) in self.results.iter().enumerate() {
            let (bits, offset) = (ty.bits().max(8), FIRST + at * STEP);
            if *ty == ScalarType::Pred {
                let _ = write!(
                    before,
                    "{{ .reg .b32 %as; ld.global.b32 %as, [%marked+{offset}]; setp.ne.u32 {name}, %as, 0; }} "
                );
                let _ = write!(
                    after,
                    " {{ .reg .b32 %as; selp.u32 %as, 1, 0, {name}; st.global.b32 [%marked+{at}*16], %as; }}"
                );
            } else {
                let _ = write!(before, "ld.global.b{bits} {name}, [%marked+{offset}]; ");
                let _ = write!(after, " st.global.b{bits} [%marked+{at}*16], {name};");
            }
        }
        let text = module(self.home, [&self.generated]).text;
        let text = text
            .replace(".visible .entry", ".visible .global .align 16 .b8 marker[262144];\n.visible .entry");
        text.replace(&self.generated.text, &format!("{before}{}{after}", self.generated.text))
    }

    /// The results whose first values the machine code loads, and thus reads, by their numbers.
    fn read_by_machine_code(&self, oracles: &Oracles) -> Result<BTreeSet<usize>, String> {
        let cubin = oracles.assemble(&self.text()).map_err(|error| format!("{error:#}"))?;
        let code = oracles.disassemble(&cubin).map_err(|error| format!("{error:#}"))?;
        let offsets = code.lines().filter(|line| line.contains("LDG")).filter_map(|line| {
            let (_, rest) = line.rsplit_once("+0x")?;
            usize::from_str_radix(rest.split_once(']')?.0, 16).ok()
        });
        Ok(offsets.filter_map(|offset| Some(offset.checked_sub(FIRST)? / STEP)).collect())
    }
}

/// ptxas drops the load of a register's first value where the instruction does not read it, and keeps it where the instruction does.
#[test]
fn ptxas_reads_what_the_table_calls_read() {
    let oracles = Oracles::find(&nvidia_folder(), &llvm_folder());
    if oracles.ptxas.is_none() || oracles.nvdisasm.is_none() {
        return skip("no ptxas or nvdisasm: what instructions read is not compared with machine code");
    }
    let has_result = |row: &Form| {
        row.sem != Sem::Control(ptx_isa::ControlSem::Call)
            && row.operands.iter().any(ptx_isa::Operand::is_written)
    };
    let (updating, writing): (Vec<FormId>, Vec<FormId>) =
        form_ids().filter(|id| has_result(form(*id))).partition(|id| updates(form(*id)));
    let (mut wrong, mut refused) = (Vec::new(), Vec::new());
    let mut rows = testing::sample("rows whose results ptxas may read", writing, 30);
    rows.extend(testing::sample("rows that update registers, for ptxas", updating, 4));
    let count = rows.len();
    for id in rows {
        let mut attempts = (0..ATTEMPTS).filter_map(|attempt| sample_of(id, attempt));
        let accepted =
            attempts.find_map(|sample| Some((sample.read_by_machine_code(&oracles).ok()?, sample)));
        let Some((read, sample)) = accepted else {
            refused.push(form(id).syntax());
            continue;
        };
        for (at, (name, _, role)) in sample.results.iter().enumerate() {
            if read.contains(&at) != role.is_read() {
                let text = &sample.generated.text;
                wrong.push(format!("{}: {name} is {role:?} in `{text}`", form(id).syntax()));
            }
        }
    }
    assert!(
        refused.len() * 10 < count,
        "ptxas refuses {} of {count}:\n{}",
        refused.len(),
        refused.join("\n")
    );
    assert!(wrong.is_empty(), "{} results:\n{}", wrong.len(), wrong.join("\n"));
}

fn updates(row: &Form) -> bool {
    row.operands.iter().any(|operand| operand.role == Role::Update)
}

/// What LLVM passes to an instruction it reads, and what LLVM gets back it writes: an operand of the row is [`Role::Update`] just where an
/// intrinsic does both.
#[test]
fn llvm_passes_what_is_read_and_returns_what_is_written() {
    let (mut wrong, mut judged) = (BTreeSet::new(), 0);
    for mapping in intrinsics::rows() {
        let Some((mnemonic, operands)) = placed(mapping) else {
            wrong.insert(format!("{}: no row of {} has its operands", mapping.name, mapping.mnemonic));
            continue;
        };
        judged += 1;
        for (place, operand) in mnemonic.form().operands.iter().zip(operands) {
            let (mut passed, mut returned) = (false, false);
            let Some(operand) = operand else { continue };
            operand.for_each(&mut |part| match part {
                Mapped::Result(_) | Mapped::ResultPair | Mapped::ByteResult => returned = true,
                Mapped::Argument(_)
                | Mapped::Byte(_)
                | Mapped::Lanes(_)
                | Mapped::Address(_)
                | Mapped::Immediate { .. }
                | Mapped::Number(_)
                | Mapped::Special(..)
                | Mapped::WarpSize => passed = true,
                Mapped::Vector(_)
                | Mapped::Bracket(_)
                | Mapped::Sink
                | Mapped::Padding
                | Mapped::Unread(_) => {}
            });
            let role = place.role;
            if (passed && !role.is_read())
                || (returned && !role.is_written())
                || (returned && passed) != (role == Role::Update)
            {
                wrong.insert(format!("{}: {} of {mnemonic} is {role:?}", mapping.name, place.name));
            }
        }
    }
    assert!(judged > 3000, "only {judged} intrinsics");
    assert!(wrong.is_empty(), "{} of {judged}:\n{}", wrong.len(), Vec::from_iter(wrong).join("\n"));
}

/// The row that a mapping's operands are those of, and each at its place of the row.
fn placed(mapping: &IntrinsicMapping) -> Option<(Mnemonic, Vec<Option<Mapped>>)> {
    let mut written: Vec<(Mapped, bool)> = Vec::new();
    for operand in &mapping.operands {
        match operand {
            Mapped::ResultPair => {
                written.extend([(Mapped::Result(0), false), (Mapped::Result(1), true)]);
            }
            other => written.push((other.clone(), false)),
        }
    }
    let shape = |(operand, _): &(Mapped, bool)| shape_of(mapping, operand);
    let rows = ptx_isa::candidates(&mapping.mnemonic.to_string()).ok()?;
    let rows: Vec<_> = rows.into_iter().map(ptx_isa::Candidate::new).collect();
    let (row, placement) = ptx_isa::choose_row(&rows, &written, |(_, paired)| *paired, shape)?;
    let mnemonic = rows[row].mnemonic;
    let operands = written.into_iter().map(|(operand, _)| operand);
    Some((mnemonic, placement.spread(mnemonic.form().operands.len(), operands).collect()))
}

fn shape_of(mapping: &IntrinsicMapping, operand: &Mapped) -> Shape {
    let register = |ty: Option<&Type>| match ty {
        Some(Type::Int(1)) => Shape::Predicate,
        _ => Shape::Register,
    };
    match operand {
        Mapped::Result(at) => register(mapping.results.get(*at)),
        Mapped::Argument(at) | Mapped::Byte(at) => register(mapping.parameters.get(*at)),
        Mapped::ResultPair | Mapped::ByteResult => Shape::Register,
        Mapped::Lanes(_) | Mapped::Vector(_) => Shape::Vector,
        Mapped::Address(_) => Shape::Address,
        Mapped::Bracket(_) => Shape::Bracket,
        Mapped::Immediate { .. } | Mapped::Number(_) => Shape::Immediate,
        Mapped::Special(..) | Mapped::WarpSize | Mapped::Padding => Shape::Value,
        Mapped::Sink => Shape::Sink,
        Mapped::Unread(own) => shape_of(mapping, own),
    }
}

/// Two products of a mnemonic on accumulators that begin with one value.
struct Products {
    mnemonic: Mnemonic,
    /// Registers of an accumulator.
    count: usize,
    /// What each factor is, as 32 bits of ones of its type.
    factors: [u32; 2],
    /// The bits of 100 in the accumulator's type, and of 100 and the product.
    first: u32,
    wanted: u32,
}

/// 32 bits of ones in a type, and how many bits an element has.
fn ones(ty: Mod) -> (u32, u32) {
    match ty {
        Mod::F16 => (0x3c00_3c00, 16),
        Mod::Bf16 => (0x3f80_3f80, 16),
        Mod::Tf32 => (0x3f80_0000, 32),
        Mod::E4m3 => (0x3838_3838, 8),
        Mod::E5m2 => (0x3c3c_3c3c, 8),
        Mod::U8 | Mod::S8 => (0x0101_0101, 8),
        Mod::B1 => (u32::MAX, 1),
        other => panic!("{} is not a type of a factor", other.as_str()),
    }
}

impl Products {
    fn new(mnemonic: Mnemonic) -> Self {
        let shape = mnemonic.get(Field::Shape).expect("a shape").as_str();
        let n: usize =
            shape.strip_prefix("m64n").and_then(|rest| rest.split('k').next()).unwrap().parse().unwrap();
        let (a, bits) = ones(mnemonic.get(Field::AType).expect("a type"));
        let (b, _) = ones(mnemonic.get(Field::BType).expect("a type"));
        // A row of A is 256 bits of which each element is multiplied by one of B (manual 9.7.15.2); of a sparse A, those that are stored.
        let sum = 256 / bits;
        let d = mnemonic.get(Field::DType).expect("a type");
        let (count, first, wanted) = match d {
            Mod::F32 => (n / 2, 100f32.to_bits(), (100.0 + sum as f32).to_bits()),
            Mod::F16 => {
                let pair = |value: f32| u32::from(half::f16::from_f32(value).to_bits()) * 0x1_0001;
                (n / 4, pair(100.0), pair(100.0 + sum as f32))
            }
            Mod::S32 => (n / 2, 100, 100 + sum),
            other => panic!("{} is not a type of a sum", other.as_str()),
        };
        Self { mnemonic, count, factors: [a, b], first, wanted }
    }

    /// `wgmma` with these registers and `da`, `db`, `e` and `a` as the others.
    fn instruction(&self, d: &str, [da, db, e, a]: [&str; 4]) -> String {
        let operands = self.mnemonic.form().operands.iter().map(|operand| match operand.key {
            OperandKey::D => format!("{{{d}}}"),
            OperandKey::A => format!("{{{a}, {a}, {a}, {a}}}"),
            OperandKey::ADesc => da.to_owned(),
            OperandKey::BDesc => db.to_owned(),
            OperandKey::SpMeta => e.to_owned(),
            OperandKey::SpSel | OperandKey::ImmTransA | OperandKey::ImmTransB => "0".to_owned(),
            OperandKey::ScaleD | OperandKey::ImmScaleA | OperandKey::ImmScaleB => "1".to_owned(),
            other => panic!("{}: {}", self.mnemonic, other.as_str()),
        });
        format!("{} {};", self.mnemonic, operands.collect::<Vec<_>>().join(", "))
    }

    /// LLVM IR with both products in one text, all accumulators tied to one value. The first sums are stored in the text and not used after it, so
    /// that nothing but the second accumulators' first values keeps the registers apart.
    fn assembly(&self) -> String {
        let n = self.count;
        let names = |from: usize| (from..from + n).map(|at| format!("${at}")).collect::<Vec<_>>().join(", ");
        let stored: String =
            (0..n).map(|at| format!(" st.global.b32 [${}+{}], ${at};", 2 * n + 4, 4 * at)).collect();
        let others = [0, 1, 2, 3].map(|at| format!("${}", 2 * n + at));
        let others = others.each_ref().map(String::as_str);
        let fence = "wgmma.fence.sync.aligned;";
        let end = "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;";
        let (first, second) = (self.instruction(&names(0), others), self.instruction(&names(n), others));
        let outputs = vec!["=r"; 2 * n].join(",");
        let ties: String = (0..2 * n).map(|at| format!(",{at}")).collect();
        let results = format!("{{ {} }}", vec!["i32"; 2 * n].join(", "));
        let values = ", i32 %x".repeat(2 * n);
        let [a, b] = self.factors;
        let mut text = format!(
            "target datalayout = \"e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64\"\n\
             target triple = \"nvptx64-nvidia-cuda\"\n\
             @sa = internal addrspace(3) global [4096 x i8] undef, align 1024\n\
             @sb = internal addrspace(3) global [32768 x i8] undef, align 1024\n\
             declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n\
             declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)\n\
             define ptx_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out) \"target-cpu\"=\"sm_90a\" {{\n\
             entry:\n  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n  br label %fill\n\
             fill:\n  %i = phi i32 [ %t, %entry ], [ %next, %fill ]\n\
             \x20 %wa = and i32 %i, 1023\n\
             \x20 %pa = getelementptr i32, ptr addrspace(3) @sa, i32 %wa\n\
             \x20 %pb = getelementptr i32, ptr addrspace(3) @sb, i32 %i\n\
             \x20 store i32 {a}, ptr addrspace(3) %pa\n  store i32 {b}, ptr addrspace(3) %pb\n\
             \x20 %next = add i32 %i, 128\n  %more = icmp ult i32 %next, 8192\n\
             \x20 br i1 %more, label %fill, label %go\ngo:\n\
             \x20 call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)\n\
             \x20 call void asm sideeffect \"fence.proxy.async;\", \"~{{memory}}\"()\n\
             \x20 %sa4 = lshr i64 ptrtoint (ptr addrspace(3) @sa to i64), 4\n\
             \x20 %sb4 = lshr i64 ptrtoint (ptr addrspace(3) @sb to i64), 4\n\
             \x20 %da = or i64 %sa4, {OFFSETS}\n  %db = or i64 %sb4, {OFFSETS}\n\
             \x20 %x = load i32, ptr addrspace(1) %in\n\
             \x20 %at = mul i32 %t, {width}\n\
             \x20 %own = getelementptr i32, ptr addrspace(1) %out, i32 %at\n\
             \x20 %r = call {results} asm sideeffect \"{fence} {first} {end}{stored} {fence} {second} {end}\", \
             \"{outputs},l,l,r,r,l{ties},~{{memory}}\"(i64 %da, i64 %db, i32 {METADATA}, i32 {a}, ptr addrspace(1) %own{values})\n",
            width = 2 * n
        );
        for at in n..2 * n {
            let _ = write!(
                text,
                "  %r{at} = extractvalue {results} %r, {at}\n  %at{at} = add i32 %at, {at}\n  \
                 %p{at} = getelementptr i32, ptr addrspace(1) %out, i32 %at{at}\n  \
                 store i32 %r{at}, ptr addrspace(1) %p{at}\n"
            );
        }
        text + "  ret void\n}\n"
    }

    /// What is wrong with the results of a kernel.
    fn complaint(&self, ptx: String) -> Option<String> {
        let source = SourceFile::new("raised.ptx", ptx);
        let module = stage::read(&source).expect("raised PTX is read");
        let verified = stage::verify(&module, &source).expect("raised PTX is valid");
        let mut launch = Launch::new("k");
        launch.block = [128, 1, 1];
        launch.threads = Some(NonZeroUsize::MIN);
        let out = vec![0; 128 * 2 * self.count * 4];
        launch.arguments = vec![Argument::Buffer(self.first.to_le_bytes().to_vec()), Argument::Buffer(out)];
        let outcome = match ptx_exec::run(verified, &launch) {
            Ok(outcome) => outcome,
            Err(error) => return Some(stage::describe(&source, &error.into_diagnostics())),
        };
        let out = outcome.buffers.into_iter().nth(1).flatten().unwrap_or_default();
        let wrong = out.chunks(4).enumerate().find(|(_, word)| *word != self.wanted.to_le_bytes());
        wrong.map(|(at, word)| format!("word {at} is {word:02x?}, not {:#x}", self.wanted))
    }
}

/// The byte offsets of a descriptor (128 and 256, in units of 16).
const OFFSETS: u64 = 8 << 16 | 16 << 32;
/// The first two of each four elements of A are stored, or the first of two.
const METADATA: u32 = 0x4444_4444;

/// All mnemonics of the rows that accumulate.
fn products() -> Vec<Products> {
    let mut found = Vec::new();
    for row in all_forms() {
        if !matches!(row.sem, Sem::Matrix(MatrixSem::Wgmma | MatrixSem::WgmmaSparse)) {
            continue;
        }
        assert!(updates(row), "{}", row.syntax());
        let mut texts = vec![row.opcode.as_str().to_owned()];
        for slot in row.slots {
            let set: &[Mod] = match slot {
                Slot::Lit(one) => std::slice::from_ref(one),
                Slot::One(_, set) => set,
                Slot::Opt(Field::Aligned, set) => set,
                Slot::Opt(..) => continue,
            };
            let longer = |text: &String| {
                set.iter().map(|modifier| format!("{text}.{}", modifier.as_str())).collect::<Vec<_>>()
            };
            texts = texts.iter().flat_map(longer).collect();
        }
        // Rows with A in registers and in shared memory have the same texts.
        let mnemonics = texts.iter().flat_map(|text| ptx_isa::candidates(text).unwrap_or_default());
        found.extend(mnemonics.filter(|one| std::ptr::eq(one.form(), row)).map(Products::new));
    }
    found
}

/// Each product adds to its own accumulator: with one set of registers for both, the second would begin with the first one's result.
#[test]
fn accumulators_tied_to_one_value_have_registers_of_their_own() {
    let rows = all_forms().iter().filter(|row| row.opcode == Opcode::Wgmma && updates(row)).count();
    let all = products();
    assert!(rows >= 20 && all.len() > 1000, "{rows} rows, {} products", all.len());
    let mut wrong = Vec::new();
    for product in testing::sample("products with tied accumulators", all, 12) {
        for level in [Level::O0, Level::O2] {
            let context = Context::new().expect("LLVM 22");
            let mut llvm = stage::read_llvm(&context, "tied", &product.assembly()).expect("valid IR");
            stage::optimize(&mut llvm, level).expect("optimized");
            let ptx =
                stage::raise(&mut llvm).unwrap_or_else(|error| panic!("{}: {error:#}", product.mnemonic));
            let again = round_trip(&ptx, level);
            for (way, ptx) in [("raised", ptx), ("raised again", again)] {
                if let Some(complaint) = product.complaint(ptx) {
                    wrong.push(format!("{} {way} at {level:?}: {complaint}", product.mnemonic));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} products:\n{}", wrong.len(), wrong.join("\n"));
}

fn round_trip(ptx: &str, level: Level) -> String {
    let source = SourceFile::new("raised.ptx", ptx);
    let context = Context::new().expect("LLVM 22");
    let module = stage::read(&source).expect("raised PTX is read");
    let mut llvm = stage::lower(&module, &source, &context, level).expect("lowered");
    stage::raise(&mut llvm).expect("raised")
}
