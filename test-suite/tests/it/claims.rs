//! What LLVM is told of an instruction is what PTX promises: for every intrinsic that lowering may emit, LLVM's declaration, with what the
//! call adds to it, is compared with the effects of the instruction's row.
//!
//! The effects come from the instruction table, the declarations from LLVM; the exceptions are listed here, each with the sentence of the manual
//! that allows it. docs/mapping.md, "What LLVM is told", has the same table for readers.

use std::collections::{BTreeMap, BTreeSet};

use ptx_gen::{Home, Seeded, check, instruction_of, module};
use ptx_isa::{
    AsyncSem, BlockSem, Effects, Field, MatrixSem, MemorySem, Mnemonic, Mod, Opcode, Sem, TextureSem, WarpSem,
};
use ptx_llvm_core::intrinsics::{self, IntrinsicMapping};
use ptx_llvm_core::view::{Call, Constant, InlineAsm, Op, Symbol, Value, View};
use ptx_llvm_core::{Context, Module};

/// So many instructions are generated for a pair of a row and a declaration, until one is lowered as that intrinsic.
const DRAWS: usize = 60;

/// Rows of the intrinsic table that no generated instruction is lowered to, and why.
const NOT_LOWERED: [(&str, &str); 15] = [
    ("atom.cta.add.f32", "`atomicrmw` expresses it"),
    ("atom.cta.add.noftz.f16", "`atomicrmw` expresses it"),
    ("atom.cta.and.b32", "`atomicrmw` expresses it"),
    ("atom.cta.cas.b16", "`cmpxchg` expresses it"),
    ("atom.cta.exch.b32", "`atomicrmw` expresses it"),
    ("atom.cta.inc.u32", "`atomicrmw` expresses it"),
    ("atom.cta.max.s32", "`atomicrmw` expresses it"),
    ("fence.sc.cluster", "`fence` expresses it"),
    ("mbarrier.arrive.relaxed.cta.shared.b64", "the row has a count, which is not generated"),
    ("mbarrier.arrive_drop.relaxed.cta.shared.b64", "the row has a count, which is not generated"),
    ("mov.b16", "a copy is not an instruction"),
    ("mov.u32", "special registers: `what_changes_is_read_each_time` has those that differ"),
    ("neg.bf16", "`fneg` expresses it"),
    ("sqrt.rn.f32", "LLVM's own square root is for raising"),
    ("sqrt.rn.f64", "LLVM's own square root is for raising"),
];

/// What LLVM may assume of a call.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
struct Claims {
    /// What memory it touches: the inside of `memory(..)`; nothing when LLVM assumes nothing.
    memory: Option<String>,
    convergent: bool,
    nosync: bool,
    willreturn: bool,
    speculatable: bool,
}

impl Claims {
    /// From LLVM's text of attributes.
    fn of(attributes: &str) -> Self {
        let memory = attributes.split_once("memory(").and_then(|(_, rest)| rest.split_once(')'));
        let has = |name: &str| attributes.split_whitespace().any(|word| word == name);
        Claims {
            memory: memory.map(|(inside, _)| inside.to_owned()),
            convergent: has("convergent"),
            nosync: has("nosync"),
            willreturn: has("willreturn"),
            speculatable: has("speculatable"),
        }
    }

    /// Of inline assembly. Without a side effect and without the clobber LLVM's NVPTX target takes it to touch no memory, regardless
    /// of its attributes.
    fn of_assembly(asm: &InlineAsm, call: &Call) -> Self {
        let memory = match call.attributes.number("memory") {
            _ if !asm.side_effects && !asm.constraints.contains("~{memory}") => Some("none"),
            Some(0) => Some("none"),
            Some(0b01_01_01_01_01_01) => Some("read"),
            Some(_) => Some("limited"),
            None => None,
        };
        Claims {
            memory: memory.map(str::to_owned),
            convergent: call.attributes.has("convergent"),
            nosync: call.attributes.has("nosync"),
            willreturn: call.attributes.has("willreturn"),
            speculatable: false,
        }
    }

    /// What the call states beyond the declaration.
    fn at(mut self, call: &Call) -> Self {
        if call.bundles.iter().any(|bundle| bundle.tag == "ptx.order") {
            self.memory = None;
        }
        self.convergent |= call.attributes.has("convergent");
        self
    }
}

/// Instructions that access no other memory than their operands name, as long as they run, and why.
fn accesses_operands_alone(mnemonic: &Mnemonic) -> Option<&'static str> {
    Some(match mnemonic.sem() {
        Sem::Memory(MemorySem::Load)
            if matches!(mnemonic.get(Field::MemOrder), None | Some(Mod::Weak))
                && mnemonic.get(Field::Cop) != Some(Mod::Cv)
                && !mnemonic.has(Mod::Mmio) =>
        {
            "a weak load (8.2)"
        }
        Sem::Memory(MemorySem::LoadUniform | MemorySem::Prefetch | MemorySem::ApplyPriority)
        | Sem::Async(AsyncSem::StoreBulk | AsyncSem::TensormapReplace) => {
            "a weak access to what the operand points to (9.7.9)"
        }
        Sem::Async(AsyncSem::CpAsync) => {
            "reads and writes what the operands point to, in no order with what follows until it is waited for (9.7.9.25.3)"
        }
        Sem::Matrix(
            MatrixSem::Ldmatrix | MatrixSem::Stmatrix | MatrixSem::WmmaLoad | MatrixSem::WmmaStore,
        ) => {
            "weak accesses; every thread's address is a value of the same operand, and no barrier for memory (9.7.14.5.15)"
        }
        Sem::Async(AsyncSem::MbarrierInval) => "ends the life of the object alone (9.7.13.15.10)",
        Sem::Texture(TextureSem::Tex | TextureSem::Tld4 | TextureSem::SurfaceLoad) => {
            "reads texture memory without an order (9.7.10, 9.7.11)"
        }
        Sem::Texture(TextureSem::SurfaceStore) => "writes surface memory without an order (9.7.11.2)",
        Sem::Texture(TextureSem::Txq | TextureSem::SurfaceQuery) => {
            "attributes of a texture or surface do not change while a kernel runs (9.7.10.4)"
        }
        _ => return None,
    })
}

/// Instructions that exchange registers between threads and order no memory, and why.
fn orders_no_memory(sem: Sem) -> Option<&'static str> {
    Some(match sem {
        Sem::Matrix(MatrixSem::Mma | MatrixSem::MmaSparse | MatrixSem::MmaScaled | MatrixSem::Wmma) => {
            "a function of the fragments of a warp, with no effect beside its result (9.7.14)"
        }
        Sem::Warp(
            WarpSem::Shfl
            | WarpSem::Vote
            | WarpSem::Match
            | WarpSem::Redux
            | WarpSem::ReduxFloat
            | WarpSem::Activemask
            | WarpSem::Elect,
        ) => "no ordering of memory is promised (9.7.9.6, 9.7.13.8 to 9.7.13.14)",
        _ => return None,
    })
}

/// Instructions that start something and go on, and why LLVM may take them to return and not to synchronize.
fn goes_on_at_once(sem: Sem) -> Option<&'static str> {
    Some(match sem {
        Sem::Async(AsyncSem::BulkCopy | AsyncSem::TensorCopy | AsyncSem::TensorReduce)
        | Sem::Block(BlockSem::TryCancel)
        | Sem::Matrix(MatrixSem::Tcgen05Mma) => {
            "asynchronous: others see what it does after a barrier object or a wait, which are instructions of their own (9.7.9.25)"
        }
        _ => return None,
    })
}

/// What is wrong with claims about an instruction.
fn complaints(mnemonic: &Mnemonic, claims: &Claims) -> Vec<&'static str> {
    let (sem, effects) = (mnemonic.sem(), mnemonic.effects());
    let operands_alone = accesses_operands_alone(mnemonic).is_some();
    let mut wrong = Vec::new();
    let touches = effects.reads || effects.writes;
    let mut ask = |broken: bool, message: &'static str| {
        if broken {
            wrong.push(message);
        }
    };
    let memory = claims.memory.as_deref();
    ask(
        (touches || effects.terminator) && memory.is_some() && !operands_alone,
        "LLVM limits the memory that it touches",
    );
    ask(
        effects.writes && matches!(memory, Some("none" | "read" | "argmem: read")),
        "LLVM takes it to write no memory",
    );
    ask(touches && memory == Some("none") && !operands_alone, "LLVM takes it to touch no memory");
    ask(
        effects.side_effects
            && !touches
            && memory == Some("none")
            && !(effects.convergent && orders_no_memory(sem).is_some()),
        "LLVM takes it to have no effect",
    );
    ask(effects.convergent && !claims.convergent, "LLVM may move it to where other threads execute it");
    let waits = effects.convergent && touches || effects.terminator;
    ask(
        waits && claims.willreturn && !operands_alone && goes_on_at_once(sem).is_none(),
        "LLVM takes it to return always",
    );
    ask(waits && claims.nosync && goes_on_at_once(sem).is_none(), "LLVM takes it not to synchronize");
    ask(claims.speculatable && effects != Effects::NONE, "LLVM may execute it where the program does not");
    wrong
}

/// What LLVM declares of each intrinsic of the table, by name.
fn declared(context: &Context) -> BTreeMap<String, Claims> {
    let mut names = BTreeSet::new();
    let text: String = intrinsics::rows()
        .filter(|row| names.insert(row.name.clone()))
        .map(|row| format!("{}\n", declaration(row)))
        .collect();
    let text = Module::parse(context, "m", text.as_bytes()).expect("valid declarations").to_text();
    let groups: BTreeMap<&str, &str> =
        text.lines().filter_map(|line| line.strip_prefix("attributes #")?.split_once(" = { ")).collect();
    let declarations = text.lines().filter_map(|line| {
        let (_, rest) = line.strip_prefix("declare ")?.split_once('@')?;
        let (name, rest) = rest.split_once('(')?;
        let (_, group) = rest.rsplit_once('#')?;
        Some((name.trim_matches('"').to_owned(), Claims::of(groups.get(group).copied().unwrap_or_default())))
    });
    declarations.collect()
}

fn declaration(row: &IntrinsicMapping) -> String {
    use ptx_llvm_core::intrinsics::Type::*;
    let ty = |ty: &intrinsics::Type| match ty {
        Int(bits) => format!("i{bits}"),
        F16 => "half".to_owned(),
        Bf16 => "bfloat".to_owned(),
        F32 => "float".to_owned(),
        F64 => "double".to_owned(),
        F16x2 => "<2 x half>".to_owned(),
        Bf16x2 => "<2 x bfloat>".to_owned(),
        Ptr(space) => format!("ptr addrspace({space})"),
        Words(lanes) => format!("<{lanes} x i32>"),
        Floats(lanes) => format!("<{lanes} x float>"),
        Bytes(lanes) => format!("<{lanes} x i8>"),
    };
    let list = |types: &[intrinsics::Type]| types.iter().map(ty).collect::<Vec<_>>().join(", ");
    let result = match row.results.as_slice() {
        [] => "void".to_owned(),
        [one] => ty(one),
        many => format!("{{ {} }}", list(many)),
    };
    format!("declare {result} @{}({})", row.name, list(&row.parameters))
}

/// The calls of intrinsics in a module, with what LLVM may assume of each; of inline assembly by its text.
fn calls(text: &str, known: &BTreeMap<String, Claims>) -> Vec<(String, Claims)> {
    let Ok(read) = check(text) else { return Vec::new() };
    let (verified, _) = ptx_verify::verify(&read).expect("checked");
    let context = Context::new().expect("LLVM 22");
    let Ok(lowered) = ptx_lower::lower(&verified, &context) else { return Vec::new() };
    let view = View::new(&lowered).expect("a valid module");
    let mut found = Vec::new();
    for inst in view.functions.iter().flat_map(|function| &function.insts) {
        let Op::Call(call) = &inst.op else { continue };
        if let Value::Asm(id) = call.callee {
            let asm = view.inline_asm(id);
            found.push((asm.text.clone(), Claims::of_assembly(asm, call)));
        }
        let Value::Const(callee) = call.callee else { continue };
        let Constant::Symbol(Symbol::Function(id)) = view.constant(callee) else { continue };
        let name = &view.function(*id).name;
        if let Some(claims) = known.get(name) {
            found.push((name.clone(), claims.clone().at(call)));
        }
    }
    found
}

/// A module with the instruction: in a device function, for leaving a kernel is a return.
fn surrounded(choices: &mut Seeded, mnemonic: Mnemonic) -> Option<String> {
    let instruction = instruction_of(choices, mnemonic);
    let text = module(Home::any_of(choices, &mnemonic)?, [&instruction]).text;
    Some(match mnemonic.opcode() {
        Opcode::Exit => text.replace(".visible .entry k", ".visible .func k"),
        _ => text,
    })
}

#[test]
fn inline_assembly_says_what_ptx_promises() {
    let mut choices = Seeded::new(2);
    let (mut wrong, mut judged) = (Vec::new(), 0);
    for id in ptx_isa::form_ids() {
        for _ in 0..8 {
            let Some(generated) = ptx_gen::instruction(&mut choices, id, None, ptx_gen::Density::Dense)
            else {
                continue;
            };
            let mnemonic = generated.mnemonic;
            let Some(text) = surrounded(&mut choices, mnemonic) else { continue };
            let spelled = mnemonic.to_string();
            for (asm, claims) in calls(&text, &BTreeMap::new()) {
                if !asm.contains(&spelled) {
                    continue;
                }
                judged += 1;
                let found = complaints(&mnemonic, &claims);
                wrong.extend(found.iter().map(|complaint| format!("{asm}: {complaint}: {claims:?}")));
            }
        }
    }
    assert!(judged > 100, "only {judged} calls");
    assert!(wrong.is_empty(), "{} of {judged}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn llvm_is_told_what_ptx_promises() {
    let context = Context::new().expect("LLVM 22");
    let known = declared(&context);
    assert!(known.len() > 3000, "only {} intrinsics", known.len());
    // One instruction for each row and each declaration that its intrinsics have.
    let mut wanted: BTreeMap<(usize, Claims), Vec<Mnemonic>> = BTreeMap::new();
    for row in intrinsics::rows() {
        let (mnemonic, Some(claims)) = (row.mnemonic, known.get(&row.name)) else { continue };
        wanted.entry((mnemonic.form_id().index(), claims.clone())).or_default().push(mnemonic);
    }
    let mut choices = Seeded::new(1);
    let (mut wrong, mut judged, mut unreached) = (Vec::new(), 0, BTreeSet::new());
    for ((_, claims), mnemonics) in &wanted {
        let mut reached = false;
        for mnemonic in mnemonics.iter().cycle().take(DRAWS) {
            let Some(text) = surrounded(&mut choices, *mnemonic) else { continue };
            for (name, found) in calls(&text, &known) {
                let is_this =
                    intrinsics::by_name(&name).any(|row| row.mnemonic.form_id() == mnemonic.form_id());
                if !is_this {
                    continue;
                }
                reached |= known.get(&name) == Some(claims);
                judged += 1;
                for complaint in complaints(mnemonic, &found) {
                    wrong.push(format!("{mnemonic} as {name}: {complaint}: {found:?}"));
                }
            }
            if reached {
                break;
            }
        }
        if !reached && let Some(mnemonic) = mnemonics.first() {
            unreached.insert(format!("{mnemonic}"));
        }
    }
    assert!(judged > 100, "only {judged} calls");
    assert!(wrong.is_empty(), "{} of {judged}:\n{}", wrong.len(), wrong.join("\n"));
    let listed: BTreeSet<String> = NOT_LOWERED.iter().map(|(mnemonic, _)| (*mnemonic).to_owned()).collect();
    assert_eq!(unreached, listed, "what is lowered to no intrinsic");
}

/// The attributes, flags and other words of LLVM IR that optimizers may rely on: all that LLVM 22's language reference has for
/// functions, parameters, calls, variables and instructions.
const WORDS: &str = "afn acq_rel acquire alwaysinline align alignstack allocalign allocptr allocsize appending arcp \
    available_externally builtin byref byval captures cold common constant contract convergent coro_elide_safe dead_on_return \
    dead_on_unwind dereferenceable dereferenceable_or_null disjoint dllexport dllimport dso_local elementtype exact external \
    externally_initialized extern_weak fast fn_ret_thunk_extern hidden hot immarg inalloca inbounds initializes inlinehint inrange inreg \
    internal jumptable linkonce linkonce_odr local_unnamed_addr memory minsize monotonic mustprogress musttail naked nest nneg nnan \
    ninf noalias nobuiltin nocallback nocapture nocf_check nocreateundeforpoison nodivergencesource noduplicate nofpclass nofree \
    noimplicitfloat noinline nomerge nonlazybind nonnull noprofile norecurse noredzone noreturn noext nosync notail noundef nounwind \
    nsw nsz null_pointer_is_valid nusw nuw optdebug optforfuzzing optnone optsize poison preallocated presplitcoroutine private \
    protected range readnone readonly reassoc release returned returns_twice safestack samesign sanitize_address section seq_cst \
    sideeffect signext skipprofile speculatable speculative_load_hardening sret ssp strictfp swiftasync swifterror swiftself \
    syncscope thread_local undef unnamed_addr unordered uwtable volatile weak weak_odr willreturn writable writeonly zeroext ptx_kernel";

/// What a module tells optimizers: words of [`WORDS`], `memory(..)` with its inside, kinds of metadata, and the keys of string attributes in
/// quotes. What LLVM declares of its intrinsics is not of the lowering.
fn claims_of(text: &str) -> BTreeSet<String> {
    let known: BTreeSet<&str> = WORDS.split_whitespace().collect();
    let of_intrinsics: BTreeSet<&str> = text
        .lines()
        .filter(|line| line.starts_with("declare ") && line.contains("@llvm."))
        .filter_map(|line| line.rsplit_once(" #").map(|(_, group)| group))
        .collect();
    let mut found = BTreeSet::new();
    for line in text.lines() {
        let is_declared = line.starts_with("declare ") && line.contains("@llvm.");
        let group = line.strip_prefix("attributes #").and_then(|rest| rest.split_once(' '));
        if line.starts_with([';', '$']) || line.ends_with(':') || is_declared {
            continue;
        }
        if group.is_some_and(|(number, _)| of_intrinsics.contains(number)) {
            continue;
        }
        let line = line.split_once("; preds").map_or(line, |(line, _)| line);
        // Texts in quotes are names and contents but in groups of attributes.
        let mut plain = String::new();
        for (at, part) in line.split('"').enumerate() {
            match at % 2 {
                0 => plain.push_str(part),
                _ if group.is_some() && !plain.ends_with('=') => {
                    found.insert(format!("\"{part}\""));
                }
                _ => plain.push(' '),
            }
        }
        let words = plain.split(|c: char| !(c.is_ascii_alphanumeric() || "_.%@!#-".contains(c)));
        for word in words {
            let kind =
                word.strip_prefix('!').filter(|kind| kind.starts_with(|c: char| c.is_ascii_lowercase()));
            if let Some(kind) = kind {
                found.insert(format!("!{kind}"));
            } else if !matches!(word, "memory" | "captures") && known.contains(word) {
                found.insert(word.to_owned());
            }
        }
        for name in ["memory", "captures"] {
            if let Some((_, rest)) = plain.split_once(&format!(" {name}(")) {
                let (inside, _) = rest.split_once(')').expect("closed");
                found.insert(format!("{name}({inside})"));
            }
        }
    }
    found
}

/// The first column of the table in docs/mapping.md, "What LLVM is told".
fn documented() -> BTreeSet<String> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/mapping.md");
    let text = std::fs::read_to_string(path).expect("the page");
    let (_, section) = text.split_once("## What LLVM is told").expect("the section");
    let table =
        section.lines().skip_while(|line| !line.starts_with('|')).take_while(|line| line.starts_with('|'));
    let mut found = BTreeSet::new();
    for row in table.skip(2) {
        let first = row.split('|').nth(1).unwrap_or_default();
        // What a row lists as absent is not required.
        let first = first.split("without").next().unwrap_or_default();
        if first.trim_start().starts_with("no `") {
            continue;
        }
        found.extend(first.split('`').skip(1).step_by(2).map(str::to_owned));
    }
    found
}

#[test]
fn what_is_written_stands_in_the_table() {
    let cases = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("cases");
    let mut folders = vec![cases];
    let (mut found, mut lowered) = (BTreeMap::new(), 0);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            if path.extension().is_none_or(|extension| extension != "ptx") {
                continue;
            }
            let Ok(text) = std::fs::read_to_string(&path) else { continue };
            let Ok(read) = check(&text) else { continue };
            let (verified, _) = ptx_verify::verify(&read).expect("checked");
            let context = Context::new().expect("LLVM 22");
            let Ok(module) = ptx_lower::lower(&verified, &context) else { continue };
            lowered += 1;
            for word in claims_of(&module.to_text()) {
                found.entry(word).or_insert_with(|| path.display().to_string());
            }
        }
    }
    assert!(lowered > 150 && found.len() > 50, "only {lowered} files, {} words", found.len());
    let documented = documented();
    let is_documented = |word: &str| {
        let family = |prefix: &str| {
            word.starts_with(&format!("\"{prefix}")) && documented.contains(&format!("\"{prefix}*\""))
        };
        documented.contains(word) || family("ptx.") || family("nvvm.")
    };
    let missing: Vec<_> = found.iter().filter(|(word, _)| !is_documented(word)).collect();
    assert!(missing.is_empty(), "not in the table: {missing:#?}");
}
