//! Runs kernels in both engines, on each processor that code is made for.
#![allow(unsafe_code, reason = "kernels are launched")]

pub mod prepared;

use ptx_diag::SourceFile;
use ptx_exec::{Argument, Executed, Launch, Memory, Outcome, Prepared};
use ptx_host::analysis::{Launched, Limits};
use ptx_host::{CompileError, Form, Kernel, Options};
use ptx_llvm_core::host::{Cpu, Jit};
use ptx_program::Program;

/// Words of the output, and of the input.
pub const WORDS: usize = 512;
/// Bytes of shared memory that kernels may use.
pub const SHARED: usize = 4096;

/// A kernel, and how it is launched. The body begins with `%rd1` and `%rd2` the addresses of output and input, `%r1` the number `n`,
/// `%r2` to `%r4` the index and size of the block and the index of the thread, `%r5` that in the grid, `%rd4` and `%rd5` the
/// addresses of the thread's words.
#[derive(Clone, Copy)]
pub struct Case<'a> {
    /// The target, and the instructions that it has.
    pub target: &'a str,
    /// What is before the kernel: functions and variables.
    pub before: &'a str,
    pub body: &'a str,
    pub grid: u32,
    pub block: [u32; 3],
    pub n: u32,
}

impl<'a> Case<'a> {
    /// One warp.
    pub fn warp(body: &'a str) -> Self {
        Self { target: "sm_90", before: "", body, grid: 1, block: [32, 1, 1], n: 0 }
    }

    pub fn source(&self) -> SourceFile {
        let Self { target, before, body, .. } = self;
        let text = format!(
            ".version 8.7\n.target {target}\n.address_size 64\n{before}\n\
             .visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n)\n{{\n\
             .reg .pred %p<8>;\n.reg .b16 %h<16>;\n.reg .b32 %r<40>;\n.reg .f32 %f<20>;\n.reg .f64 %fd<8>;\n.reg .b64 %rd<24>;\n\
             .reg .b128 %q<6>;\n\
             ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [in]; ld.param.u32 %r1, [n];\n\
             mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x; mad.lo.s32 %r5, %r2, %r3, %r4;\n\
             mul.wide.u32 %rd3, %r5, 4; add.s64 %rd4, %rd1, %rd3; add.s64 %rd5, %rd2, %rd3;\n{body}\n}}\n"
        );
        SourceFile::new("k.ptx", text)
    }

    pub fn module(&self) -> ptx_ir::Module {
        let (module, findings) = ptx_syntax::parse(&self.source());
        assert!(!findings.has_errors(), "{findings:?}\n{}", self.body);
        module
    }

    pub fn prepared(&self) -> Prepared {
        prepared::prepared(&self.source(), &Memory::new())
    }

    /// Its launch, with a limit of time that nothing right reaches.
    pub fn launch(&self) -> Launch {
        let mut launch = Launch::new("k");
        (launch.grid, launch.block) = ([self.grid, 1, 1], self.block);
        launch.limits.timeout = Some(std::time::Duration::from_secs(120));
        launch.arguments = vec![
            Argument::Buffer(vec![0xa5; 4 * WORDS]),
            Argument::Buffer(input()),
            Argument::Bytes(self.n.to_le_bytes().to_vec()),
        ];
        launch
    }

    /// What the output is after the interpreter has executed it.
    pub fn interpreted(&self) -> Vec<u8> {
        let module = self.module();
        let (verified, _) = ptx_verify::verify(&module).expect("valid PTX");
        let done = ptx_exec::run(verified, &self.launch()).expect("the interpreter executes it");
        done.buffers[0].clone().expect("a buffer")
    }

    /// Compares the output of both engines; with `PTX_HOST_CHECK_SHAPES` set, also that of code that checks what the analysis
    /// claims, and with `PTX_HOST_CHECK_MEMORY` that of code that checks accesses.
    pub fn agrees(&self) {
        if std::env::var_os("PTX_HOST_CHECK_SHAPES").is_some() {
            self.holds();
        }
        if std::env::var_os("PTX_HOST_CHECK_MEMORY").is_some() {
            self.is_right_when_checked();
        }
        let expected = self.interpreted();
        self.is_right_otherwise(&expected);
        let prepared = self.prepared();
        for cpu in processors() {
            let jit = Jit::new(&cpu).expect("a linker");
            let launched = Launched::blocks(self.block);
            let kernel = Kernel::compile(prepared.program(), &launched, &cpu, &jit).expect("compiled");
            let actual = self.run(&kernel, prepared.program());
            let differs = words(&actual).iter().zip(words(&expected)).position(|(a, b)| *a != b);
            assert!(
                actual == expected,
                "{}: {}\nword {differs:?}\n{:x?}\n{:x?}",
                cpu.name,
                self.body,
                &words(&actual)[..64],
                &words(&expected)[..64]
            );
        }
    }

    /// The output of code with other options is the interpreter's, too: split into the smallest segments, and without some special forms, or all.
    fn is_right_otherwise(&self, expected: &[u8]) {
        let split = Options::default().with_limits(Limits::SMALLEST);
        // Which ones: by the kernel, so that every run has the same.
        let kind =
            self.body.bytes().fold(0_usize, |kind, byte| kind.wrapping_mul(31) + usize::from(byte)) % 3;
        let forms = Form::ALL.into_iter().enumerate().filter(|(at, _)| kind == 2 || at % 2 == kind);
        let plain = Options::default().with_disabled(forms.map(|(_, form)| form));
        let kinds = testing::sample_of_test("kinds of code other than the usual one", vec![split, plain], 1);
        let prepared = self.prepared();
        for cpu in all_processors().iter().take(1) {
            for options in &kinds {
                self.is_right_with(options, cpu, &prepared, expected);
                if std::env::var_os("PTX_HOST_CHECK_SHAPES").is_some() {
                    self.is_right_with(&options.clone().with_check_shapes(true), cpu, &prepared, expected);
                }
            }
        }
    }

    fn is_right_with(&self, options: &Options, cpu: &Cpu, prepared: &Prepared, expected: &[u8]) {
        let jit = Jit::new(cpu).expect("a linker");
        let launched = Launched::blocks(self.block);
        let kernel = Kernel::compile_with(prepared.program(), &launched, cpu, &jit, options);
        let actual = self.run(&kernel.expect("compiled"), prepared.program());
        assert!(actual == expected, "{}, {options:?}: {}", cpu.name, self.body);
    }

    /// The output of code that checks what the analysis claims is the interpreter's, too, for processors with the longest and the
    /// shortest vectors.
    pub fn holds(&self) {
        let expected = self.interpreted();
        let prepared = self.prepared();
        let processors = all_processors();
        for cpu in [&processors[0], processors.get(1).unwrap_or(&processors[0])] {
            let jit = Jit::new(cpu).expect("a linker");
            let launched = Launched::blocks(self.block);
            let options = Options::default().with_check_shapes(true);
            let kernel = Kernel::compile_with(prepared.program(), &launched, cpu, &jit, &options);
            let actual = self.run(&kernel.expect("compiled"), prepared.program());
            assert!(actual == expected, "{}: {}", cpu.name, self.body);
        }
    }

    /// Code that checks accesses finds nothing, and leaves what the interpreter does.
    pub fn is_right_when_checked(&self) {
        let module = self.module();
        let launch = self.launch();
        let expected = self.interpreted();
        for cpu in processors() {
            let (verified, _) = ptx_verify::verify(&module).expect("valid PTX");
            let decoded = ptx_exec::DecodedLaunch::at_host_addresses(verified, &launch).expect("decoded");
            let loaded = decoded.load();
            let jit = Jit::new(&cpu).expect("a linker");
            let (launched, options) =
                (Launched::blocks(self.block), Options::default().with_check_memory(true));
            let kernel = match Kernel::compile_with(loaded.program(), &launched, &cpu, &jit, &options) {
                Err(CompileError::Refused(refusal)) if refusal.why.contains("are not checked") => return,
                kernel => kernel.expect("compiled"),
            };
            let executed = execute(&kernel, &loaded);
            let executed = executed.unwrap_or_else(|error| panic!("{}: {error}: {}", cpu.name, self.body));
            let actual = loaded.outcome(executed).buffers[0].clone().expect("a buffer");
            assert!(actual == expected, "{}: {}", cpu.name, self.body);
        }
    }

    /// Runs compiled code; gives the output.
    fn run(&self, kernel: &Kernel, program: &Program) -> Vec<u8> {
        // Elements of 16 bytes, for accesses of as many.
        let mut output = vec![u128::MAX / 255 * 0xa5; WORDS / 4];
        let input: Vec<u128> = wide(&input());
        let addresses = [output.as_mut_ptr() as u64, input.as_ptr() as u64];
        let mut params: Vec<u8> = addresses.iter().flat_map(|address| address.to_le_bytes()).collect();
        params.extend(self.n.to_le_bytes());
        // SAFETY: the interpreter found that all accesses are in the two buffers and the parameters.
        unsafe { kernel.run(program, [self.grid, 1, 1], &params, &[], SHARED) }
            .unwrap_or_else(|stop| panic!("{stop:?}: {}", self.body));
        output.iter().flat_map(|element| element.to_le_bytes()).collect()
    }

    /// Launches it in both engines with buffers in memory of the launch, and compares the output buffer, texts and errors. The grid is
    /// executed by one host thread.
    pub fn launches_alike(&self) -> Result<String, String> {
        let module = self.module();
        let mut launch = self.launch();
        launch.threads = Some(std::num::NonZeroUsize::MIN);
        let text = |result: Result<Executed, ptx_exec::ExecError>, buffer: &dyn Fn() -> Vec<u8>| match result
        {
            Ok(executed) => Ok((buffer(), String::from_utf8(executed.output).expect("text"))),
            Err(error) => Err(error.to_string()),
        };
        let mut all = Vec::new();
        for cpu in [None].into_iter().chain(processors().into_iter().map(Some)) {
            let (verified, _) = ptx_verify::verify(&module).expect("valid PTX");
            let decoded = ptx_exec::DecodedLaunch::at_host_addresses(verified, &launch).expect("decoded");
            let loaded = decoded.load();
            let result = match cpu {
                None => loaded.launch(),
                Some(cpu) => {
                    let jit = Jit::new(&cpu).expect("a linker");
                    let launched = Launched::blocks(self.block);
                    let kernel = Kernel::compile(loaded.program(), &launched, &cpu, &jit).expect("compiled");
                    execute(&kernel, &loaded)
                }
            };
            let buffer = || loaded.outcome(Executed::default()).buffers[0].clone().expect("a buffer");
            all.push(text(result, &buffer));
        }
        let expected = all[0].clone();
        for actual in &all[1..] {
            assert!(*actual == expected, "{}\n{actual:?}\n{expected:?}", self.body);
        }
        expected.map(|(_, text)| text)
    }

    /// Compares what stops it in both engines; gives the `x` of the thread.
    pub fn stops_alike(&self) -> u32 {
        let module = self.module();
        let (verified, _) = ptx_verify::verify(&module).expect("valid PTX");
        let trap = match ptx_exec::run(verified, &self.launch()) {
            Err(ptx_exec::ExecError::Trap(trap)) => trap,
            other => panic!("{other:?}"),
        };
        let prepared = self.prepared();
        for cpu in processors() {
            let jit = Jit::new(&cpu).expect("a linker");
            let launched = Launched::blocks(self.block);
            let kernel = Kernel::compile(prepared.program(), &launched, &cpu, &jit).expect("compiled");
            let mut output = vec![0u128; WORDS / 4];
            let input: Vec<u128> = wide(&input());
            let addresses = [output.as_mut_ptr() as u64, input.as_ptr() as u64];
            let mut params: Vec<u8> = addresses.iter().flat_map(|address| address.to_le_bytes()).collect();
            params.extend(self.n.to_le_bytes());
            // SAFETY: all accesses are in the two buffers and the parameters.
            let stop = unsafe { kernel.run(prepared.program(), [self.grid, 1, 1], &params, &[], SHARED) }
                .expect_err("it is stopped");
            assert_eq!(stop.kind, trap.kind, "{}: {}", cpu.name, self.body);
            assert_eq!(stop.lane as u32 + 32 * stop.warp as u32, trap.thread[0]);
            let span =
                stop.pc.and_then(|pc| prepared.program().origins.get(pc as usize)).map(|origin| origin.span);
            assert_eq!(span, trap.span, "{}", self.body);
        }
        trap.thread[0]
    }

    /// Why it is not compiled.
    pub fn refusal(&self) -> String {
        let prepared = self.prepared();
        let cpu = Cpu::host().expect("LLVM 22");
        let jit = Jit::new(&cpu).expect("a linker");
        let launched = Launched::blocks(self.block);
        let error = Kernel::compile(prepared.program(), &launched, &cpu, &jit).expect_err("refused");
        assert!(matches!(error, CompileError::Refused(_)), "{error}");
        error.to_string()
    }
}

/// Launches a kernel in both engines, on each processor, and compares what is left: buffers, images and texts, or the error. On this machine's own
/// processor, code also runs with checks of memory, on the older ones only where tests take all of their inputs.
pub fn launched_alike(text: &str, launch: &Launch) -> Result<Outcome, String> {
    compared(text, launch, is_checked)
}

/// Whether [`launched_alike`] also launches code with checks of memory for a processor.
pub fn is_checked(cpu: &Cpu) -> bool {
    testing::takes_all() || cpu.name == Cpu::host().expect("LLVM 22").name
}

/// As [`launched_alike`], with checks of memory on each processor.
pub fn checked_alike(text: &str, launch: &Launch) -> Result<Outcome, String> {
    compared(text, launch, |_| true)
}

fn compared(text: &str, launch: &Launch, checks: impl Fn(&Cpu) -> bool) -> Result<Outcome, String> {
    let expected = launched_by(text, launch, None);
    for cpu in processors() {
        for check in [false].into_iter().chain(checks(&cpu).then_some(true)) {
            let actual = launched_by(text, launch, Some((&cpu, check)));
            assert!(actual == expected, "{}, checks: {check}\n{text}\n{actual:?}\n{expected:?}", cpu.name);
        }
    }
    expected
}

/// Launches a kernel in the interpreter.
pub fn interpreted(text: &str, launch: &Launch) -> Result<Outcome, String> {
    launched_by(text, launch, None)
}

/// Launches compiled code for this processor.
pub fn launched(text: &str, launch: &Launch) -> Result<Outcome, String> {
    launched_by(text, launch, Some((&Cpu::host().expect("LLVM 22"), false)))
}

/// Executes a launch as compiled code.
pub fn execute(
    kernel: &Kernel,
    loaded: &ptx_exec::LoadedLaunch<'_>,
) -> Result<Executed, ptx_exec::ExecError> {
    ptx_host::launch(kernel, &loaded.set_up()?).executed()
}

/// Launches a kernel as code for a processor, with or without checks of memory, or in the interpreter.
fn launched_by(text: &str, launch: &Launch, code: Option<(&Cpu, bool)>) -> Result<Outcome, String> {
    let (module, findings) = ptx_syntax::parse(&SourceFile::new("k.ptx", text.to_owned()));
    assert!(!findings.has_errors(), "{findings:?}\n{text}");
    let (verified, _) = ptx_verify::verify(&module).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    let decoded = ptx_exec::DecodedLaunch::at_host_addresses(verified, launch)
        .unwrap_or_else(|error| panic!("{error}\n{text}"));
    let loaded = decoded.load();
    let result = match code {
        None => loaded.launch(),
        Some((cpu, check)) => {
            let jit = Jit::new(cpu).expect("a linker");
            let launched = Launched::of(loaded.set_up().expect("a launch").geometry());
            let options = Options::default().with_check_memory(check);
            let kernel = Kernel::compile_with(loaded.program(), &launched, cpu, &jit, &options);
            execute(&kernel.unwrap_or_else(|error| panic!("{error}\n{text}")), &loaded)
        }
    };
    match result {
        Ok(executed) => Ok(loaded.outcome(Executed { output: executed.output, ..Executed::default() })),
        Err(error) => Err(error.to_string()),
    }
}

/// What a launch of compiled code stores in its first buffer, or what stops it, in full.
pub fn compiled(text: &str, launch: &Launch) -> Result<Vec<u8>, String> {
    let (module, findings) = ptx_syntax::parse(&SourceFile::new("k.ptx", text.to_owned()));
    assert!(!findings.has_errors(), "{findings:?}\n{text}");
    let (verified, _) = ptx_verify::verify(&module).expect("valid PTX");
    let decoded = ptx_exec::DecodedLaunch::at_host_addresses(verified, launch).expect("decoded");
    let loaded = decoded.load();
    let cpu = Cpu::host().expect("LLVM 22");
    let jit = Jit::new(&cpu).expect("a linker");
    let kernel = Kernel::compile(loaded.program(), &Launched::blocks(launch.block), &cpu, &jit);
    match execute(&kernel.unwrap_or_else(|error| panic!("{error}\n{text}")), &loaded) {
        Ok(executed) => Ok(loaded.outcome(executed).buffers[0].clone().expect("a buffer")),
        Err(ptx_exec::ExecError::Trap(trap)) => Err(format!("{trap} {:?}", trap.related)),
        Err(error) => Err(error.to_string()),
    }
}

/// Numbers of all sizes, in an order that means nothing.
pub fn input() -> Vec<u8> {
    (0..WORDS as u32).flat_map(|i| (i.wrapping_mul(2_654_435_761) >> 7).to_le_bytes()).collect()
}

fn wide(bytes: &[u8]) -> Vec<u128> {
    bytes.chunks_exact(16).map(|chunk| u128::from_le_bytes(chunk.try_into().expect("16 bytes"))).collect()
}

pub fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect()
}

/// The processors that code is made for, as far as this machine has them; by default one of them in each test.
pub fn processors() -> Vec<Cpu> {
    testing::sample_of_test("processors that tests of compiled kernels take", all_processors(), 1)
}

/// All of them.
fn all_processors() -> Vec<Cpu> {
    let host = Cpu::host().expect("LLVM 22");
    let mut all = vec![host.clone()];
    if host.triple.starts_with("x86_64") {
        let has = |level: &str, feature: &str| {
            host.has(feature).then(|| Cpu::baseline(level).expect("a level of x86-64"))
        };
        all.extend(
            [has("x86-64-v2", "sse4.2"), has("x86-64-v3", "avx2"), has("x86-64-v4", "avx512vl")]
                .into_iter()
                .flatten(),
        );
    }
    all
}
