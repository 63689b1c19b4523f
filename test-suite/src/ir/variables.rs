//! Variables without a stated alignment, variables of a thread's own that are volatile, shared variables that a table or a `switch` chooses, and
//! functions in which subnormal numbers count as zeros.

use std::fmt::Write as _;

use super::generate::Generator;
use super::ty::{Element, Ty};

/// Bytes of a variable that belong to one thread.
const OWN: u32 = 32;

/// The suffixes of a function's two names: for the device it has the mode as an attribute, which no host respects, and for the host it has it
/// written out.
pub(super) const DEVICE: &str = ".device(";
pub(super) const HOST: &str = ".host(";

/// How the names of volatile variables begin.
pub(super) const KEPT: &str = "%kept";

impl Generator {
    /// One of the statements of this file.
    pub(super) fn special_variable(&mut self) {
        match self.rng.u8(..8) {
            0..=2 if !self.objects.is_empty() => self.variable_without_alignment(),
            3 | 6 if !self.objects.is_empty() && self.depth == 0 => self.volatile_variable(),
            4 | 5 if !self.objects.is_empty() => self.chosen_shared_variable(),
            _ => self.subnormal_mode(),
        }
    }

    /// Adjacent elements of a variable whose alignment is for LLVM to assume, after another variable whose size is odd.
    fn variable_without_alignment(&mut self) {
        let space = *self.rng.choice(&[3, 3, 1, 0]).unwrap_or(&3);
        let ty = Ty::scalar(
            *self
                .rng
                .choice(&[
                    Element::Int(8),
                    Element::Int(16),
                    Element::Int(32),
                    Element::Int(64),
                    Element::Float,
                    Element::Double,
                ])
                .unwrap_or(&Element::Int(32)),
        );
        let place = if space == 0 { String::new() } else { format!("addrspace({space}) ") };
        let pointer = format!("ptr {place}");
        let pointer = pointer.trim_end().to_owned();
        let value = if space == 3 { "undef" } else { "zeroinitializer" };
        let odd = self.rng.u32(1..16);
        let pad = self.constant(&format!("internal {place}global [{odd} x i8] {value}"));
        let count = OWN * self.threads / ty.bytes() + self.rng.u32(..3);
        let text = ty.text();
        let variable = self.constant(&format!("internal {place}global [{count} x {text}] {value}"));
        self.effect(&format!("store volatile i8 0, {pointer} {pad}"));
        let own = self.emit(&format!("mul i32 %t, {OWN}"));
        let own = self.emit(&format!("getelementptr i8, {pointer} {variable}, i32 {own}"));
        let elements = self.rng.u32(2..=4.min(OWN / ty.bytes()).max(2));
        let places: Vec<String> = (0..elements)
            .map(|at| self.emit(&format!("getelementptr {text}, {pointer} {own}, i32 {at}")))
            .collect();
        for place in &places {
            let value = self.operand(ty);
            self.effect(&format!("store {text} {value}, {pointer} {place}, align {}", ty.bytes()));
        }
        // A zero, of which LLVM does not know that it is one: else the loads are what was stored, and nothing is left of the variable.
        let zero = self.emit(&format!("load volatile i8, {pointer} {pad}"));
        let zero = self.emit(&format!("zext i8 {zero} to i32"));
        let zero = self.emit(&format!("mul i32 {zero}, {OWN}"));
        let same = self.emit(&format!("getelementptr i8, {pointer} {own}, i32 {zero}"));
        for at in 0..elements {
            let place = self.emit(&format!("getelementptr {text}, {pointer} {same}, i32 {at}"));
            self.define(ty, &format!("load {text}, {pointer} {place}, align {}", ty.bytes()));
        }
    }

    /// Volatile accesses of a variable of the thread's own, each of which has to be executed.
    fn volatile_variable(&mut self) {
        let ty = Ty::int(*self.rng.choice(&[8, 16, 32, 64]).unwrap_or(&32));
        let text = ty.text();
        let name = format!("{KEPT}{}", self.fresh().trim_start_matches('%'));
        self.effect(&format!("{name} = alloca {text}, align 8"));
        for _ in 0..self.rng.u32(2..5) {
            let value = self.operand(ty);
            self.effect(&format!("store volatile {text} {value}, ptr {name}, align 8"));
            self.define(ty, &format!("load volatile {text}, ptr {name}, align 8"));
        }
    }

    /// A load from one of several places in shared memory, which a table has or a `switch` chooses.
    fn chosen_shared_variable(&mut self) {
        let shared = format!("@{}_s", self.name);
        let count = self.rng.u32(3..7);
        let offsets: Vec<u32> = (0..count).map(|_| self.rng.u32(..4) * 8).collect();
        let place = |offset: u32| match offset {
            0 => shared.clone(),
            offset => format!("getelementptr (i8, ptr addrspace(3) {shared}, i64 {offset})"),
        };
        let at = self.index(count);
        let chosen = if self.rng.bool() {
            let list: Vec<String> =
                offsets.iter().map(|offset| format!("ptr addrspace(3) {}", place(*offset))).collect();
            let list_type = format!("[{count} x ptr addrspace(3)]");
            let table = self.constant(&format!("internal constant {list_type} [{}]", list.join(", ")));
            let entry = self.emit(&format!("getelementptr {list_type}, ptr {table}, i32 0, i32 {at}"));
            self.emit(&format!("load ptr addrspace(3), ptr {entry}"))
        } else {
            let labels: Vec<String> = offsets.iter().map(|_| self.fresh_label("place")).collect();
            let end = self.fresh_label("placed");
            let cases: Vec<String> = labels
                .iter()
                .enumerate()
                .skip(1)
                .map(|(at, label)| format!("i32 {at}, label %{label}"))
                .collect();
            self.effect(&format!("switch i32 {at}, label %{} [ {} ]", labels[0], cases.join(" ")));
            for label in &labels {
                self.start_block(label);
                self.effect(&format!("br label %{end}"));
            }
            self.start_block(&end);
            let arms: Vec<String> = labels
                .iter()
                .zip(&offsets)
                .map(|(label, offset)| format!("[ {}, %{label} ]", place(*offset)))
                .collect();
            self.emit(&format!("phi ptr addrspace(3) {}", arms.join(", ")))
        };
        let own = self.emit(&format!("mul i32 %t, {OWN}"));
        let own = self.emit(&format!("getelementptr i8, ptr addrspace(3) {chosen}, i32 {own}"));
        let ty = Ty::int(*self.rng.choice(&[8, 16, 32, 64]).unwrap_or(&32));
        if self.rng.u8(..3) == 0 {
            let value = self.operand(ty);
            self.effect(&format!("store {} {value}, ptr addrspace(3) {own}, align 1", ty.text()));
        }
        self.define(ty, &format!("load {}, ptr addrspace(3) {own}, align 1", ty.text()));
    }

    /// A function in a mode of subnormal numbers, and a call of it with numbers that mostly are subnormal. Outputs that may be flushed are.
    fn subnormal_mode(&mut self) {
        const MODES: [&str; 3] = ["ieee", "preserve-sign", "positive-zero"];
        let (output, input) = (MODES[self.rng.usize(..3)], MODES[self.rng.usize(..3)]);
        let operation = [
            "fadd float %a, %b",
            "fsub float %a, %b",
            "fmul float %a, 0x46F0000000000000",
            "fdiv float %b, %a",
            "call float @llvm.fma.f32(float %a, float 0x46F0000000000000, float %b)",
            "call float @llvm.ceil.f32(float %a)",
            "call float @llvm.floor.f32(float %a)",
            "call float @llvm.minnum.f32(float %a, float %b)",
            "uitofp i1 %less to float",
            "fptrunc double %wide to float",
        ][self.rng.usize(..10)];
        let name = {
            let word = self.fresh();
            format!("@{}_mode{}", self.name, word.trim_start_matches('%'))
        };
        let more = match operation {
            text if text.contains("%less") => "  %less = fcmp olt float %a, %b\n",
            text if text.contains("%wide") => {
                "  %exact = fpext float %a to double\n  %wide = fmul double %exact, 0x46F0000000000000\n"
            }
            _ => "",
        };
        let attribute = format!("\"denormal-fp-math-f32\"=\"{output},{input}\"");
        let _ = writeln!(
            self.variables,
            "define internal float {name}{DEVICE}float %a, float %b) noinline {attribute} {{\n{more}  %r = {operation}\n  ret float %r\n}}"
        );
        let on_host = |text: &str| text.replace("%a", "%fa").replace("%b", "%fb");
        let _ = writeln!(
            self.variables,
            "define internal float {name}{HOST}float %a, float %b) noinline {{\n{}{}{}  %r = {}\n  ret float %r\n}}",
            flush("%a", "%fa", input),
            flush("%b", "%fb", input),
            on_host(more),
            on_host(operation),
        );
        let tiny = |this: &mut Self| {
            let bits = this.operand(Ty::int(32));
            let bits = this.emit(&format!("and i32 {bits}, -2130706433"));
            this.emit(&format!("bitcast i32 {bits} to float"))
        };
        let (a, b) = (tiny(self), tiny(self));
        let result = self.emit(&format!("call float {name}{DEVICE}float {a}, float {b})"));
        let (_, result) = self.canonical(Ty::scalar(Element::Float), &result);
        let bits = self.emit(&format!("bitcast float {result} to i32"));
        let exponent = self.emit(&format!("and i32 {bits}, 2139095040"));
        let is_zero = self.emit(&format!("icmp eq i32 {exponent}, 0"));
        // Signs of zeros are left open by minnum, and by the modes.
        let zero =
            if output == "ieee" { self.emit(&format!("and i32 {bits}, 2147483647")) } else { "0".to_owned() };
        self.define(Ty::int(32), &format!("select i1 {is_zero}, i32 {zero}, i32 {bits}"));
    }
}

/// A number as an operation in a mode takes it, by its bits.
fn flush(value: &str, result: &str, mode: &str) -> String {
    let [bits, exponent, fraction] = ["bits", "exponent", "fraction"].map(|word| format!("{result}.{word}"));
    let zero = match mode {
        "ieee" => return format!("  {result} = fadd float {value}, -0.0\n"),
        "preserve-sign" => format!("  {result}.zero = and i32 {bits}, -2147483648\n"),
        _ => format!("  {result}.zero = add i32 0, 0\n"),
    };
    format!(
        "  {bits} = bitcast float {value} to i32
  {exponent} = and i32 {bits}, 2139095040
  {fraction} = and i32 {bits}, 8388607
  {result}.low = icmp eq i32 {exponent}, 0
  {result}.some = icmp ne i32 {fraction}, 0
  {result}.is = and i1 {result}.low, {result}.some
{zero}  {result}.int = select i1 {result}.is, i32 {result}.zero, i32 {bits}
  {result} = bitcast i32 {result}.int to float
"
    )
}
