//! Products of a warpgroup: operands, where they lie, and kernels. Where elements lie in shared memory is written here as the manual's
//! table of canonical layouts has it (9.7.15.5.1.2.1.3), which thread holds which as its figures 148 to 155 show it, and of a
//! sparse A, with its metadata, as figures 175 to 181 do.

use ptx_exec::{Argument, Completion, ExecError, Launch};

use crate::common::execute;

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Type {
    F16,
    Bf16,
    Tf32,
    F32,
    E4m3,
    E5m2,
    U8,
    S8,
    B1,
    S32,
}

impl Type {
    pub fn bits(self) -> usize {
        match self {
            Type::B1 => 1,
            Type::U8 | Type::S8 | Type::E4m3 | Type::E5m2 => 8,
            Type::F16 | Type::Bf16 => 16,
            Type::Tf32 | Type::F32 | Type::S32 => 32,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Type::F16 => "f16",
            Type::Bf16 => "bf16",
            Type::Tf32 => "tf32",
            Type::F32 => "f32",
            Type::E4m3 => "e4m3",
            Type::E5m2 => "e5m2",
            Type::U8 => "u8",
            Type::S8 => "s8",
            Type::B1 => "b1",
            Type::S32 => "s32",
        }
    }

    pub fn is_float(self) -> bool {
        !matches!(self, Type::U8 | Type::S8 | Type::B1 | Type::S32)
    }

    /// A value between -3 and 3 as one that the type has.
    pub fn clamp(self, value: i64) -> i64 {
        match self {
            Type::U8 => value + 3,
            Type::B1 => value & 1,
            _ => value,
        }
    }

    /// The bits of a small integer; those of 0 to 3 in formats of eight bits are from the manual's 5.2.3.
    pub fn encode(self, value: i64) -> u64 {
        let narrow = |magnitudes: [u64; 4]| {
            magnitudes[value.unsigned_abs() as usize] | if value < 0 { 0x80 } else { 0 }
        };
        match self {
            Type::F16 => half::f16::from_f64(value as f64).to_bits().into(),
            Type::Bf16 => half::bf16::from_f64(value as f64).to_bits().into(),
            Type::Tf32 | Type::F32 => (value as f32).to_bits().into(),
            Type::E4m3 => narrow([0, 0x38, 0x40, 0x44]),
            Type::E5m2 => narrow([0, 0x3c, 0x40, 0x42]),
            Type::U8 | Type::S8 | Type::B1 | Type::S32 => value as u64 & (u64::MAX >> (64 - self.bits())),
        }
    }
}

/// Ways in which asynchronous operations complete.
pub const WAYS: [Completion; 6] = [
    Completion::Eager,
    Completion::Late,
    Completion::Random(1),
    Completion::Random(2),
    Completion::Random(3),
    Completion::Random(4),
];

/// Executes a kernel `k` on one block.
pub fn launch(
    text: &str,
    threads: u32,
    completion: Completion,
    arguments: Vec<Argument>,
) -> Result<Vec<Option<Vec<u8>>>, ExecError> {
    launch_as(&Launch::new("k"), text, threads, completion, arguments)
}

/// Executes a kernel on the grid of a launch.
pub fn launch_as(
    launch: &Launch,
    text: &str,
    threads: u32,
    completion: Completion,
    arguments: Vec<Argument>,
) -> Result<Vec<Option<Vec<u8>>>, ExecError> {
    let launch = Launch { block: [threads, 1, 1], arguments, completion, ..launch.clone() };
    execute(text, &launch).map(|outcome| outcome.buffers)
}

/// A layout in shared memory: bytes of the swizzling mode (16 for none), the order of the elements, and the two byte offsets.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    pub swizzle: usize,
    pub mn_major: bool,
    pub leading: usize,
    pub stride: usize,
}

impl Layout {
    /// Patterns that follow each other along M or N, and then along K.
    pub fn packed(swizzle: usize, mn_major: bool, lines: usize, bits: usize) -> Self {
        let pattern = swizzle * 8;
        let patterns = if mn_major { (lines * bits / 8).div_ceil(swizzle) } else { lines / 8 };
        let (along_lines, along_k) = (pattern, pattern * patterns);
        let (leading, stride) = match (swizzle, mn_major) {
            (16, false) => (along_k, along_lines),
            (16, true) => (along_k, along_lines),
            // Not used.
            (_, false) => (16, along_lines),
            (_, true) => (along_lines, along_k),
        };
        Self { swizzle, mn_major, leading, stride }
    }

    /// The byte at which an element lies, counted from a pattern's start, and its lowest bit there.
    pub fn place(&self, bits: usize, line: usize, k: usize) -> (usize, usize) {
        // In elements: T of them are 128 bits, W pieces of 128 bits are a row of the pattern.
        let (t, w) = (128 / bits, self.swizzle / 16);
        let (leading, stride) = (self.leading * 8 / bits, self.stride * 8 / bits);
        let offset = match (self.mn_major, self.swizzle) {
            // ((8,m),(T,2k)):((1T,SBO),(1,LBO))
            (false, 16) => line % 8 * t + line / 8 * stride + k % t + k / t * leading,
            // ((8,m),(T,2k)):((WT,SBO),(1,T))
            (false, _) => line % 8 * w * t + line / 8 * stride + k % t + k / t * t,
            // ((T,1,m),(8,k)):((1,T,SBO),(1T,LBO))
            (true, 16) => line % t + line / t * stride + k % 8 * t + k / 8 * leading,
            // ((T,W,m),(8,k)):((1,T,LBO),(WT,SBO))
            (true, _) => {
                line % t + line / t % w * t + line / t / w * leading + k % 8 * w * t + k / 8 * stride
            }
        };
        let byte = offset * bits / 8;
        // Swizzle<log2(W), 4, 3>: so many bits from bit 4 on are changed by those that are three places higher.
        (byte ^ (byte >> 3 & (w - 1) << 4), offset * bits % 8)
    }

    /// The fields of the descriptor but for the address (9.7.15.5.1.2.2).
    pub fn descriptor(&self) -> u64 {
        let mode = match self.swizzle {
            16 => 0,
            128 => 1,
            64 => 2,
            _ => 3,
        };
        (self.leading as u64 >> 4) << 16 | (self.stride as u64 >> 4) << 32 | mode << 62
    }

    /// Adds a matrix to the memory, from a multiple of 1024 on; gives where that is.
    pub fn store(
        &self,
        memory: &mut Vec<u8>,
        ty: Type,
        (lines, depth): (usize, usize),
        value: &dyn Fn(usize, usize) -> i64,
    ) -> usize {
        let start = memory.len().next_multiple_of(1024);
        for line in 0..lines {
            for k in 0..depth {
                let (byte, low) = self.place(ty.bits(), line, k);
                let bytes = (ty.bits() / 8).max(1);
                let at = start + byte;
                if memory.len() < at + bytes {
                    memory.resize((at + bytes).next_multiple_of(16), 0);
                }
                let raw = ty.encode(value(line, k)) << low;
                for (place, byte) in memory[at..at + bytes].iter_mut().zip(raw.to_le_bytes()) {
                    *place |= byte;
                }
            }
        }
        start
    }
}

/// Which rows and columns the elements of A and D have that a thread of the warpgroup holds.
pub fn place_of_d(thread: usize, i: usize) -> (usize, usize) {
    // Figures 149, 151, 153 and 155: T0 of each warp has columns 0 and 1 of its first row, then of the row eight below, then
    // columns 8 and 9, and so on.
    let (warp, lane) = (thread / 32, thread % 32);
    let row = 16 * warp + lane / 4 + if i % 4 < 2 { 0 } else { 8 };
    (row, i / 4 * 8 + lane % 4 * 2 + i % 2)
}

/// Figures 148, 150, 152 and 154: each register has neighbours along K, of which a row has one for each of four lanes; the registers
/// go eight rows down first.
pub fn place_of_a(thread: usize, i: usize, bits: usize) -> (usize, usize) {
    let (warp, lane, each) = (thread / 32, thread % 32, 32 / bits);
    let row = 16 * warp + lane / 4 + if (i / each).is_multiple_of(2) { 0 } else { 8 };
    (row, i / each / 2 * 4 * each + lane % 4 * each + i % each)
}

/// Puts elements of a thread together in words.
pub fn spread(ty: Type, each_thread: usize, value: impl Fn(usize, usize) -> i64) -> Vec<u8> {
    let each = 32 / ty.bits();
    let mut bytes = Vec::new();
    for thread in 0..128 {
        for register in 0..each_thread / each {
            let element = |sub| ty.encode(value(thread, register * each + sub)) << (sub * ty.bits());
            let word = (0..each).fold(0, |word, sub| word | element(sub));
            bytes.extend((word as u32).to_le_bytes());
        }
    }
    bytes
}

/// A kernel that brings the first buffer to shared memory, and then does `body` with D in `%d`, A in `%a`, metadata in `%e` and
/// descriptors in `%da`, `%db`.
pub fn kernel(memory: usize, starts: [usize; 2], descriptors: [u64; 2], d: usize, body: &str) -> String {
    let mut text = format!(
        ".version 8.4\n.target sm_90a\n.address_size 64\n
        .visible .entry k(.param .u64 ps, .param .u64 pa, .param .u64 pd, .param .u64 pe) {{
        .shared .align 1024 .b8 s[{size}];
        .reg .pred %p, %false; .reg .b32 %t, %u, %s, %r<8>, %a<4>, %d<{d}>, %e; .reg .b64 %da, %db, %rd<8>;
        mov.u32 %t, %tid.x;
        setp.ne.u32 %false, %t, %t;
        mov.u32 %s, s;
        ld.param.u64 %rd0, [ps]; ld.param.u64 %rd1, [pa]; ld.param.u64 %rd2, [pd]; ld.param.u64 %rd3, [pe];
        mul.lo.u32 %u, %t, 16;
        COPY:
        setp.ge.u32 %p, %u, {memory};
        @%p bra COPIED;
        cvt.u64.u32 %rd4, %u; add.u64 %rd4, %rd4, %rd0; add.u32 %r0, %u, %s;
        ld.global.v4.u32 {{%r1, %r2, %r3, %r4}}, [%rd4];
        st.shared.v4.u32 [%r0], {{%r1, %r2, %r3, %r4}};
        add.u32 %u, %u, 2048;
        bra COPY;
        COPIED:
        mad.wide.u32 %rd1, %t, 16, %rd1; mad.wide.u32 %rd2, %t, {row}, %rd2; mad.wide.u32 %rd3, %t, 4, %rd3;
        ld.global.u32 %e, [%rd3];
        bar.sync 0;
        fence.proxy.async;\n",
        size = memory.max(16),
        row = d * 4,
    );
    for (name, start, descriptor) in [("da", starts[0], descriptors[0]), ("db", starts[1], descriptors[1])] {
        text += &format!(
            "add.u32 %r0, %s, {start}; and.b32 %r0, %r0, 0x3ffff; shr.u32 %r0, %r0, 4;
            cvt.u64.u32 %{name}, %r0; or.b64 %{name}, %{name}, {descriptor:#x};\n"
        );
    }
    (0..4).for_each(|n| text += &format!("ld.global.u32 %a{n}, [%rd1+{}];\n", 4 * n));
    (0..d).for_each(|n| text += &format!("ld.global.u32 %d{n}, [%rd2+{}];\n", 4 * n));
    text += body;
    (0..d).for_each(|n| text += &format!("st.global.u32 [%rd2+{}], %d{n};\n", 4 * n));
    text + "ret;\n}\n"
}

pub fn registers(name: &str, count: usize) -> String {
    let names: Vec<String> = (0..count).map(|n| format!("%{name}{n}")).collect();
    format!("{{{}}}", names.join(", "))
}

/// Where A is.
#[derive(Clone, Copy, Debug)]
pub enum A {
    Registers,
    Shared { swizzle: usize, mn_major: bool },
}

/// A product to be checked.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    pub n: usize,
    pub k: usize,
    pub a: Type,
    pub b: Type,
    pub d: Type,
    pub place: A,
    pub swizzle: usize,
    pub mn_major: bool,
    pub selector: Option<usize>,
    /// Whether D is added, as an operand.
    pub scale_d: &'static str,
    pub scales: [i64; 2],
    pub suffix: &'static str,
}

impl Case {
    pub fn new(n: usize, [d, a, b]: [Type; 3]) -> Self {
        Self {
            n,
            k: 256 / a.bits(),
            a,
            b,
            d,
            place: A::Shared { swizzle: 128, mn_major: false },
            swizzle: 128,
            mn_major: false,
            selector: None,
            scale_d: "1",
            scales: [1, 1],
            suffix: "",
        }
    }

    pub fn instruction(&self) -> String {
        let Self { n, k, a, b, d, place, mn_major, selector, scale_d, scales, suffix, .. } = self;
        let sparse = if selector.is_some() { ".sp" } else { "" };
        let types = [d, a, b].map(|ty| ty.name()).join(".");
        let (types, operation) = if *a == Type::B1 { (types, ".and.popc") } else { (types, "") };
        let held = match place {
            A::Registers => registers("a", 4),
            A::Shared { .. } => "%da".to_owned(),
        };
        let mut text = format!(
            "wgmma.mma_async{sparse}.sync.aligned.m64n{n}k{k}{suffix}.{types}{operation} {}, {held}, %db",
            registers("d", self.registers())
        );
        if let Some(selector) = selector {
            text += &format!(", %e, {selector}");
        }
        text += &format!(", {scale_d}");
        if a.is_float() {
            text += &format!(", {}, {}", scales[0], scales[1]);
        }
        if a.bits() == 16 {
            if let A::Shared { mn_major, .. } = place {
                text += &format!(", {}", u8::from(*mn_major));
            }
            text += &format!(", {}", u8::from(*mn_major));
        }
        text + ";"
    }

    pub fn registers(&self) -> usize {
        self.n * self.d.bits() / 64
    }

    pub fn a_value(&self, row: usize, k: usize) -> i64 {
        self.a.clamp(((row * 5 + k * 3 + k / 7 + row / 16) % 7) as i64 - 3)
    }

    pub fn b_value(&self, k: usize, column: usize) -> i64 {
        self.b.clamp(((k * 3 + column * 11 + k / 5 + column / 8 + 1) % 5) as i64 - 2)
    }

    pub fn d_value(&self, row: usize, column: usize) -> i64 {
        ((row * 7 + column * 3) % 61) as i64 - 30
    }

    pub fn check(&self) {
        let Self { n, k, .. } = *self;
        let sparse = self.selector.map(|selector| Sparse::new(self.a, selector));
        let kept = |row: usize| sparse.as_ref().map(|sparse| sparse.columns_of(row, k));
        let columns: Vec<Option<Vec<usize>>> = (0..64).map(kept).collect();
        // Element `i` of those that are stored of a row.
        let stored = |row: usize, i: usize| {
            let column = columns[row].as_ref().map_or(i, |columns| columns[i]);
            self.a_value(row, column)
        };
        let depth = if sparse.is_some() { k / 2 } else { k };
        let mut memory = Vec::new();
        let mut of_a = (0, 0);
        if let A::Shared { swizzle, mn_major } = self.place {
            let layout = Layout::packed(swizzle, mn_major, 64, self.a.bits());
            of_a = (layout.store(&mut memory, self.a, (64, depth), &stored), layout.descriptor());
        }
        let layout = Layout::packed(self.swizzle, self.mn_major, n, self.b.bits());
        let b = |column: usize, k: usize| self.b_value(k, column);
        let start = layout.store(&mut memory, self.b, (n, k), &b);
        let held = spread(self.a, 128 / self.a.bits(), |thread, i| {
            let (row, at) = place_of_a(thread, i, self.a.bits());
            stored(row, at)
        });
        let sums = |value: &dyn Fn(usize, usize) -> i64| {
            spread(self.d, n / 2, |thread, i| {
                let (row, column) = place_of_d(thread, i);
                value(row, column)
            })
        };
        let metadata = sparse.as_ref().map_or(vec![0; 512], |sparse| sparse.metadata_of_threads(k));
        let sign = self.scales[0] * self.scales[1];
        let product = |row: usize, column: usize| {
            let all: Vec<usize> = columns[row].clone().unwrap_or_else(|| (0..k).collect());
            let terms = all.iter().map(|&at| self.a_value(row, at) * self.b_value(at, column));
            let first = if matches!(self.scale_d, "1" | "!%false") { self.d_value(row, column) } else { 0 };
            sign * terms.sum::<i64>() + first
        };
        let body = format!(
            "wgmma.fence.sync.aligned;\n{}\nwgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n",
            self.instruction()
        );
        let text =
            kernel(memory.len(), [of_a.0, start], [of_a.1, layout.descriptor()], self.registers(), &body);
        let arguments = [memory, held, sums(&|row, column| self.d_value(row, column)), metadata];
        let arguments = arguments.map(Argument::Buffer).to_vec();
        for way in [Completion::Eager, Completion::Late] {
            let buffers = launch(&text, 128, way, arguments.clone());
            let buffers = buffers.unwrap_or_else(|error| panic!("{error:?}\n{text}"));
            assert!(buffers[2].as_deref() == Some(sums(&product).as_slice()), "{self:?}, {way:?}");
        }
    }
}

/// Which elements a sparse A keeps, and which threads hold the metadata.
struct Sparse {
    ty: Type,
    pub selector: usize,
}

impl Sparse {
    fn new(ty: Type, selector: usize) -> Self {
        Self { ty, selector }
    }

    /// The four bits of metadata of a chunk, and the columns in it that they keep (9.7.15.6.1).
    fn chunk(&self, row: usize, chunk: usize) -> (u32, Vec<usize>) {
        if self.ty == Type::Tf32 {
            return if (row + chunk).is_multiple_of(3) { (0b0100, vec![0]) } else { (0b1110, vec![1]) };
        }
        const PAIRS: [(usize, usize); 6] = [(0, 1), (0, 2), (1, 2), (0, 3), (1, 3), (2, 3)];
        let (first, second) = PAIRS[(row * 7 + chunk * 5 + row / 8) % 6];
        ((first | second << 2) as u32, vec![first, second])
    }

    fn width(&self) -> usize {
        if self.ty == Type::Tf32 { 2 } else { 4 }
    }

    fn columns_of(&self, row: usize, k: usize) -> Vec<usize> {
        let of_chunk = |chunk: usize| {
            let columns = self.chunk(row, chunk).1.into_iter();
            columns.map(move |column| chunk * self.width() + column)
        };
        (0..k / self.width()).flat_map(of_chunk).collect()
    }

    /// The metadata of each thread; that of threads which give none is invalid.
    fn metadata_of_threads(&self, k: usize) -> Vec<u8> {
        let mut words = vec![0u32; 128];
        for row in 0..64 {
            let (warp, group) = (row / 16, row % 8);
            let lower = row % 16 >= 8;
            for chunk in 0..k / self.width() {
                let (place, low) = if self.ty.bits() == 8 {
                    // Figures 180 and 181: columns 0 to 31 are with T0 (rows 0 to 7) and T1 (rows 8 to 15), the others with T2, T3.
                    (2 * (chunk / 8) + usize::from(lower), chunk % 8 * 4)
                } else {
                    // Figures 176 and 178: of the pair of threads, the first has the first half of the columns. The upper 16 bits
                    // are of the row eight below.
                    (2 * self.selector + chunk / 4, chunk % 4 * 4 + if lower { 16 } else { 0 })
                };
                words[32 * warp + 4 * group + place] |= self.chunk(row, chunk).0 << low;
            }
        }
        words.into_iter().flat_map(u32::to_le_bytes).collect()
    }
}
