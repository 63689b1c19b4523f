//! Loops that `ptx-unroll` unrolls are executed as often as they are written, with the same values: by their definition, also where sums wrap.

use std::fmt::Write as _;

use ptx_diag::SourceFile;
use ptx_exec::{Argument, Launch};
use ptx_llvm_core::{Context, Gpu, OptLevel};
use test_suite::stage;

/// More rounds are not executed: such cases are left out.
const MOST_ROUNDS: u64 = 90;

/// A loop by its counter's width, the comparison by which it goes on, and the step, if that is a constant.
#[derive(Clone, Copy, Debug)]
struct Loop {
    bits: u32,
    goes_on: &'static str,
    step: Option<i64>,
    /// Each round reads elements of a table by the counter.
    reads: bool,
}

/// What the counter begins with, the step and the limit.
type Case = [i64; 3];

impl Loop {
    fn text(&self) -> String {
        let Loop { bits, goes_on, step, reads } = *self;
        let ty = format!("i{bits}");
        let step = step.map_or("%step".to_owned(), |by| by.to_string());
        let mut text = String::from(
            "target datalayout = \"e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64\"
target triple = \"nvptx64-nvidia-cuda\"
define ptx_kernel void @k(ptr addrspace(1) %cases, ptr addrspace(1) %table, i64 %row, ptr addrspace(1) %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %before = mul i32 %b, 128
  %at = add i32 %before, %t
  %case = getelementptr [3 x i64], ptr addrspace(1) %cases, i32 %at
  %limit.at = getelementptr i64, ptr addrspace(1) %case, i64 2
  %start.w = load i64, ptr addrspace(1) %case
  %step.at = getelementptr i64, ptr addrspace(1) %case, i64 1
  %step.w = load i64, ptr addrspace(1) %step.at
  %limit.w = load i64, ptr addrspace(1) %limit.at\n",
        );
        let narrowed = match bits {
            64 => "add i64 %V.w, 0",
            _ => "trunc i64 %V.w to i32",
        };
        for name in ["start", "step", "limit"] {
            let _ = writeln!(text, "  %{name} = {}", narrowed.replace('V', name));
        }
        let _ = write!(
            text,
            "  br label %loop
loop:
  %i = phi {ty} [ %start, %entry ], [ %next, %loop ]
  %h = phi i32 [ 7, %entry ], [ %h.next, %loop ]
  %c = phi i32 [ 0, %entry ], [ %c.next, %loop ]
  %last = phi {ty} [ 0, %entry ], [ %i, %loop ]
  %older = phi {ty} [ 0, %entry ], [ %last, %loop ]
  %h.31 = mul i32 %h, 31\n"
        );
        let wide = if bits == 64 { "add i64 %i, 0" } else { "sext i32 %i to i64" };
        match reads {
            true => {
                let _ = write!(
                    text,
                    "  %wide = {wide}
  %one = getelementptr i32, ptr addrspace(1) %table, i64 %wide
  %sum = add i64 %wide, %row
  %two = getelementptr i32, ptr addrspace(1) %table, i64 %sum
  %x = load i32, ptr addrspace(1) %one
  %y = load i32, ptr addrspace(1) %two
  %n = xor i32 %x, %y\n"
                );
            }
            false => {
                let cut = if bits == 64 { "trunc i64 %i to i32" } else { "add i32 %i, 0" };
                let _ = writeln!(text, "  %n = {cut}");
            }
        }
        let older = if bits == 64 { "trunc i64 %older to i32" } else { "add i32 %older, 0" };
        let _ = write!(
            text,
            "  %old = {older}
  %mixed = xor i32 %n, %old
  %h.next = add i32 %h.31, %mixed
  %c.next = add i32 %c, 1
  %next = add {ty} %i, {step}
  %more = icmp {goes_on} {ty} %next, %limit
  br i1 %more, label %loop, label %end
end:
  %slot = getelementptr [2 x i32], ptr addrspace(1) %out, i32 %at
  store i32 %h.next, ptr addrspace(1) %slot
  %slot.c = getelementptr i32, ptr addrspace(1) %slot, i64 1
  store i32 %c.next, ptr addrspace(1) %slot.c
  ret void
}}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
"
        );
        text
    }

    /// The hash and the number of rounds; `None` where there are more than are executed.
    fn expected(&self, [start, step, limit]: Case, number: impl Fn(i64) -> u32) -> Option<[u32; 2]> {
        let cut = |value: i64| if self.bits == 64 { value } else { i64::from(value as i32) };
        let unsigned = |value: i64| if self.bits == 64 { value as u64 } else { u64::from(value as u32) };
        let step = self.step.unwrap_or(step);
        // The counters of the two rounds before are in the hash, too.
        let (mut counter, mut last, mut older, mut hash) = (cut(start), 0, 0, 7_u32);
        for round in 1..=MOST_ROUNDS {
            hash = hash.wrapping_mul(31).wrapping_add(number(counter) ^ older as u32);
            (older, last) = (last, counter);
            counter = cut(counter.wrapping_add(step));
            let limit = cut(limit);
            let goes_on = match self.goes_on {
                "slt" => counter < limit,
                "sle" => counter <= limit,
                "ult" => unsigned(counter) < unsigned(limit),
                "ule" => unsigned(counter) <= unsigned(limit),
                "ne" => counter != limit,
                other => unreachable!("a comparison {other}"),
            };
            if !goes_on {
                return Some([hash, round as u32]);
            }
        }
        None
    }

    /// Executes the cases with the loop unrolled by these passes.
    fn executed(&self, passes: &str, cases: &[Case], table: &[u32]) -> Vec<[u32; 2]> {
        let context = Context::new().expect("LLVM 22");
        let mut llvm = stage::read_llvm(&context, "m", &self.text()).expect("valid text");
        ptx_opt::optimize(&mut llvm, OptLevel::O0, Some(passes), Gpu::default()).expect("the passes run");
        let ptx = stage::raise(&mut llvm).unwrap_or_else(|error| panic!("{self:?}: {error:#}"));
        assert_eq!(ptx.matches(".pragma \"nounroll\"").count(), 2, "{self:?} is not unrolled:\n{ptx}");
        let source = SourceFile::new("unrolled.ptx", ptx);
        let module = stage::read(&source).expect("raised PTX is read");
        let verified = stage::verify(&module, &source).expect("raised PTX is valid");
        let mut launch = Launch::new("k");
        launch.block = [128, 1, 1];
        launch.grid = [cases.len().div_ceil(128) as u32, 1, 1];
        // The other threads of the last block execute the first cases again.
        let slots = launch.grid[0] as usize * 128;
        let all = cases.iter().cycle().take(slots);
        let bytes = all.flatten().flat_map(|number| number.to_le_bytes()).collect();
        let table = table.iter().flat_map(|word| word.to_le_bytes()).collect();
        launch.arguments = vec![
            Argument::Buffer(bytes),
            Argument::Buffer(table),
            Argument::Bytes(ROW.to_le_bytes().to_vec()),
            Argument::Buffer(vec![0; slots * 8]),
        ];
        let outcome = ptx_exec::run(verified, &launch).unwrap_or_else(|error| panic!("{self:?}: {error:?}"));
        let out = outcome.buffers.into_iter().nth(3).flatten().expect("a buffer");
        let word = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().expect("four bytes"));
        out.chunks_exact(8).take(cases.len()).map(|pair| [word(&pair[..4]), word(&pair[4..])]).collect()
    }

    fn check(&self, cases: impl Iterator<Item = Case>, table: &[u32], number: impl Fn(i64) -> u32) -> usize {
        let (cases, expected): (Vec<Case>, Vec<[u32; 2]>) =
            cases.filter_map(|case| Some((case, self.expected(case, &number)?))).unzip();
        // LLVM believes the flags of the unrolled loop.
        for passes in ["ptx-unroll", "ptx-unroll,default<O3>"] {
            let executed = self.executed(passes, &cases, table);
            for ((case, expected), executed) in cases.iter().zip(&expected).zip(&executed) {
                assert_eq!(expected, executed, "{self:?} of {case:?} by {passes}");
            }
        }
        expected.iter().filter(|[_, rounds]| *rounds > 4).count()
    }
}

/// From one address of a round to the other, in elements.
const ROW: i64 = 300;

/// All comparisons of a width, with and without a constant step.
fn loops(bits: u32, reads: bool) -> impl Iterator<Item = Loop> {
    let by_value = ["slt", "sle", "ult", "ule"].map(|goes_on| (goes_on, None));
    let by_constant = [
        ("ne", Some(1)),
        ("ne", Some(-1)),
        ("ne", Some(2)),
        ("slt", Some(1)),
        ("sle", Some(64)),
        ("ult", Some(32)),
    ];
    let of = move |(goes_on, step)| Loop { bits, goes_on, step, reads };
    by_value.into_iter().chain(by_constant).map(of)
}

#[test]
fn rounds_are_those_of_the_definition_also_where_counters_wrap() {
    for bits in [32, 64] {
        let (least, greatest) = match bits {
            32 => (i64::from(i32::MIN), i64::from(i32::MAX)),
            _ => (i64::MIN, i64::MAX),
        };
        let numbers: Vec<i64> = (-9..=9)
            .chain([63, 64, 255, 256, 257, 1000])
            .chain((0..10).flat_map(|near| [least + near, greatest - near]))
            .collect();
        let room = greatest / 8;
        let steps =
            [0, 1, 2, 3, 7, 64, 1023, room - 1, room, room + 1, greatest / 2, greatest, -1, -3, least];
        for one in loops(bits, false) {
            let steps = if one.step.is_some() { &steps[..1] } else { &steps[..] };
            let mut cases = Vec::new();
            for &start in &numbers {
                for &step in steps {
                    cases.extend(numbers.iter().map(|limit| [start, step, *limit]));
                }
            }
            let unrolled = one.check(cases.into_iter(), &[0], |counter| counter as u32);
            assert!(unrolled > 50, "{one:?}: {unrolled} cases have more than four rounds");
        }
    }
}

#[test]
fn addresses_are_those_of_the_definition() {
    let table: Vec<u32> = (0..2000_u32).map(|at| at.wrapping_mul(2_654_435_761)).collect();
    let at = |counter: i64| table[counter as usize] ^ table[(counter + ROW) as usize];
    for bits in [32, 64] {
        for one in loops(bits, true) {
            let steps: &[i64] = if one.step.is_some() { &[0] } else { &[1, 2, 5, 33, 64] };
            let numbers = [0, 1, 7, 31, 64, 65, 66, 95, 128, 500, 640];
            let is_inside = |[start, step, limit]: &Case| {
                let by = one.step.unwrap_or(*step);
                let is_reached = match one.goes_on {
                    "ne" => (limit - start) % by == 0 && (limit - start) / by > 0,
                    _ => limit >= start,
                };
                is_reached && start.max(limit) + by.abs() < 1600
            };
            let mut cases = Vec::new();
            for start in numbers {
                for &step in steps {
                    cases.extend(numbers.map(|limit| [start, step, limit]));
                }
            }
            let unrolled = one.check(cases.into_iter().filter(is_inside), &table, at);
            assert!(unrolled > 3, "{one:?}: {unrolled} cases have more than four rounds");
        }
    }
}
