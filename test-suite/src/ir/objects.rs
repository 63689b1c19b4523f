//! Memory of a statement's own: values of odd types, memory of a size known at run time, tables of pointers, arithmetic on pointers.

use std::fmt::Write as _;

use super::compound::space_of;
use super::generate::{Generator, OBJECT, Object, result_text};
use super::ty::{Element, Ty};

impl Generator {
    /// One of the statements of this file.
    pub(super) fn object(&mut self) {
        match self.rng.u8(..8) {
            // In a loop the stack would grow.
            0 | 1 if self.depth == 0 => self.any_structure(),
            2 => self.memory_of_any_size(),
            3 if !self.helpers.is_empty() => self.function_table(),
            4 if !self.objects.is_empty() => self.pointer_table(),
            5 | 6 if !self.objects.is_empty() => self.pointer_arithmetic(),
            _ if !self.objects.is_empty() => self.copy_between(),
            _ => {}
        }
    }

    /// A structure of fields of any types, stored whole or field by field, copied, and read whole or field by field.
    fn any_structure(&mut self) {
        let fields: Vec<Ty> = (0..self.rng.u32(2..5)).map(|_| Ty::any(&mut self.rng)).collect();
        let texts: Vec<String> = fields
            .iter()
            .map(|ty| if self.rng.u8(..3) == 0 { format!("[1 x {}]", ty.text()) } else { ty.text() })
            .collect();
        let packed = self.rng.u8(..3) == 0;
        let (open, close) = if packed { ("<{", "}>") } else { ("{", "}") };
        let text = format!("{open} {} {close}", texts.join(", "));
        let path = |at: usize| if texts[at].starts_with('[') { format!("{at}, 0") } else { at.to_string() };
        let place = |at: usize| path(at).replace(", ", ", i32 ");
        let memory = self.emit(&format!("alloca {text}"));
        let values: Vec<String> = fields.iter().map(|&ty| self.operand(ty)).collect();
        if self.rng.bool() {
            let mut whole = "poison".to_owned();
            for (at, (ty, value)) in fields.iter().zip(&values).enumerate() {
                whole =
                    self.emit(&format!("insertvalue {text} {whole}, {} {value}, {}", ty.text(), path(at)));
            }
            self.effect(&format!("store {text} {whole}, ptr {memory}"));
        } else {
            for (at, (ty, value)) in fields.iter().zip(&values).enumerate() {
                let field =
                    self.emit(&format!("getelementptr {text}, ptr {memory}, i32 0, i32 {}", place(at)));
                let align = if packed { ", align 1" } else { "" };
                self.effect(&format!("store {} {value}, ptr {field}{align}", ty.text()));
            }
        }
        let memory = if self.rng.bool() {
            let other = self.emit(&format!("alloca {text}"));
            let size = format!("ptrtoint (ptr getelementptr ({text}, ptr null, i32 1) to i64)");
            self.effect(&format!(
                "call void @llvm.memcpy.p0.p0.i64(ptr {other}, ptr {memory}, i64 {size}, i1 false)"
            ));
            other
        } else {
            memory
        };
        if self.rng.bool() {
            let whole = self.emit(&format!("load {text}, ptr {memory}"));
            for (at, &ty) in fields.iter().enumerate() {
                self.define(ty, &format!("extractvalue {text} {whole}, {}", path(at)));
            }
        } else {
            for (at, &ty) in fields.iter().enumerate() {
                let field =
                    self.emit(&format!("getelementptr {text}, ptr {memory}, i32 0, i32 {}", place(at)));
                let align = if packed { ", align 1" } else { "" };
                self.define(ty, &format!("load {}, ptr {field}{align}", ty.text()));
            }
        }
    }

    /// Some statements with a variable of the function's that is alive for them alone, or from here on.
    pub(super) fn local_for_a_while(&mut self) {
        let bytes = OBJECT * self.rng.u32(1..3);
        let align = *self.rng.choice(&[16, 32]).unwrap_or(&16);
        let memory = self.fresh();
        let _ = writeln!(self.locals, "  {memory} = alloca [{bytes} x i8], align {align}");
        let fill = self.rng.u8(..);
        self.effect(&format!("call void @llvm.lifetime.start.p0(ptr {memory})"));
        self.effect(&format!(
            "call void @llvm.memset.p0.i64(ptr align 16 {memory}, i8 {fill}, i64 {bytes}, i1 false)"
        ));
        let (mark, depth) = (self.objects.len(), self.depth);
        // Functions that the kernel calls have no memory of a thread, which statements on objects use.
        if !self.objects.is_empty() {
            self.objects.push(Object { pointer: memory.clone(), ty: "ptr", written: true, bytes });
        }
        self.depth += 1;
        // Places that are computed, or LLVM makes registers of it.
        let word = Ty::int(32);
        let place = |this: &mut Self| {
            let at = this.index(bytes / 4);
            this.emit(&format!("getelementptr i32, ptr {memory}, i32 {at}"))
        };
        let (to, value) = (place(self), self.operand(word));
        self.effect(&format!("store i32 {value}, ptr {to}"));
        let count = self.rng.u32(1..4);
        self.statements(count);
        let from = place(self);
        self.define(word, &format!("load i32, ptr {from}"));
        self.objects.truncate(mark);
        self.depth = depth;
        if self.rng.u8(..6) != 0 {
            self.effect(&format!("call void @llvm.lifetime.end.p0(ptr {memory})"));
        }
    }

    /// Memory of a size known at run time, given back at the end.
    fn memory_of_any_size(&mut self) {
        let ty = Ty::int(*self.rng.choice(&[8, 16, 32, 64]).unwrap_or(&32));
        let text = ty.text();
        let saved = self.emit("call ptr @llvm.stacksave.p0()");
        let last = self.operand(Ty::int(32));
        let last = self.emit(&format!("and i32 {last}, 7"));
        let count = self.emit(&format!("add i32 {last}, 1"));
        let memory = self.emit(&format!("alloca {text}, i32 {count}, align 16"));
        let (first, other) = (self.operand(ty), self.operand(ty));
        let end = self.emit(&format!("getelementptr {text}, ptr {memory}, i32 {last}"));
        self.effect(&format!("store {text} {first}, ptr {memory}"));
        self.effect(&format!("store {text} {other}, ptr {end}"));
        self.define(ty, &format!("load {text}, ptr {memory}"));
        self.effect(&format!("call void @llvm.stackrestore.p0(ptr {saved})"));
    }

    /// A call of a function from a table.
    fn function_table(&mut self) {
        let helper = self.helpers[self.rng.usize(..self.helpers.len())].clone();
        let names: Vec<String> = helper.names.iter().map(|name| format!("ptr @{name}")).collect();
        let list = format!("[{} x ptr]", names.len());
        let space = ["", "addrspace(1) ", "addrspace(4) "][self.rng.usize(..3)];
        let kind = if space.contains('1') { "global" } else { "constant" };
        let table = self.constant(&format!("internal {space}{kind} {list} [{}]", names.join(", ")));
        let at = self.index(names.len() as u32);
        let pointer = format!("ptr {space}");
        let pointer = pointer.trim_end();
        let place = self.emit(&format!("getelementptr {list}, {pointer} {table}, i32 0, i32 {at}"));
        let callee = self.emit(&format!("load ptr, {pointer} {place}"));
        let arguments = self.arguments(&helper);
        let result = result_text(&helper.result);
        let value = self.emit(&format!("call {result} {callee}({arguments})"));
        self.take_result(&helper, &value);
    }

    /// Generic pointers to memory of all threads, from a table.
    fn pointer_table(&mut self) {
        let global = format!("@{}_g", self.name);
        let generic = format!("ptr addrspacecast (ptr addrspace(1) {global} to ptr)");
        let constant = format!("ptr addrspacecast (ptr addrspace(4) @{}_c to ptr)", self.name);
        let further = format!(
            "ptr getelementptr (i8, ptr addrspacecast (ptr addrspace(1) {global} to ptr), i64 {})",
            OBJECT / 2
        );
        let table = self.constant(&format!("internal constant [3 x ptr] [{generic}, {constant}, {further}]"));
        let at = self.index(3);
        let place = self.emit(&format!("getelementptr [3 x ptr], ptr {table}, i32 0, i32 {at}"));
        let pointer = self.emit(&format!("load ptr, ptr {place}"));
        // The parts of the other threads change at times that no one knows.
        let own = self.emit("mul i32 %t, 32");
        let is_constant = self.emit(&format!("icmp eq i32 {at}, 1"));
        let own = self.emit(&format!("select i1 {is_constant}, i32 0, i32 {own}"));
        let pointer = self.emit(&format!("getelementptr i8, ptr {pointer}, i32 {own}"));
        let ty = Ty::int(*self.rng.choice(&[8, 16, 32, 64]).unwrap_or(&32));
        let at = self.index(OBJECT / 2 / ty.bytes());
        let place = self.emit(&format!("getelementptr {}, ptr {pointer}, i32 {at}", ty.text()));
        self.define(ty, &format!("load {}, ptr {place}, align 1", ty.text()));
    }

    /// Differences, comparisons and masks of pointers into one object.
    fn pointer_arithmetic(&mut self) {
        let object = self.objects[self.rng.usize(..self.objects.len())].clone();
        let pointer = object.ty;
        let inside = |this: &mut Self| {
            let at = this.index(object.bytes);
            this.emit(&format!("getelementptr i8, {pointer} {}, i32 {at}", object.pointer))
        };
        let (a, b) = (inside(self), inside(self));
        match self.rng.u8(..4) {
            0 => {
                let a = self.emit(&format!("ptrtoint {pointer} {a} to i64"));
                let b = self.emit(&format!("ptrtoint {pointer} {b} to i64"));
                self.define(Ty::int(64), &format!("sub i64 {a}, {b}"));
            }
            1 => {
                let word = ["eq", "ne", "ult", "ule", "ugt", "uge"][self.rng.usize(..6)];
                self.define(Ty::int(1), &format!("icmp {word} {pointer} {a}, {b}"));
            }
            2 => {
                // Objects are aligned to 16 bytes.
                let space = space_of(pointer);
                let aligned =
                    self.emit(&format!("call {pointer} @llvm.ptrmask.p{space}.i64({pointer} {a}, i64 -4)"));
                self.define(Ty::int(32), &format!("load i32, {pointer} {aligned}, align 4"));
            }
            _ => {
                let number = self.emit(&format!("ptrtoint {pointer} {a} to i64"));
                let number = self.emit(&format!("and i64 {number}, -8"));
                let again = self.emit(&format!("inttoptr i64 {number} to {pointer}"));
                self.define(Ty::int(64), &format!("load i64, {pointer} {again}, align 8"));
            }
        }
    }

    /// A copy from memory that no one writes, which cannot overlap.
    fn copy_between(&mut self) {
        let size = self.rng.u32(1..=OBJECT);
        let (to, to_ty, to_align) = self.place(true, size);
        let sources: Vec<_> = self.objects.iter().filter(|o| !o.written).cloned().collect();
        let Some(from) = sources.get(self.rng.usize(..sources.len().max(1))) else { return };
        let inline = if self.rng.bool() { ".inline" } else { "" };
        self.effect(&format!(
            "call void @llvm.memcpy{inline}.p{}.p{}.i64({to_ty} align {to_align} {to}, {} align 16 {}, i64 {size}, i1 false)",
            space_of(to_ty),
            space_of(from.ty),
            from.ty,
            from.pointer
        ));
    }

    /// A value of a type that is stored and read at once where it has room.
    pub(super) fn odd_access(&mut self) {
        if self.depth > 0 {
            return;
        }
        let ty = Ty::any(&mut self.rng);
        let ty = if self.rng.bool() { Ty { lanes: Some(8), ..ty.of(Element::Int(1)) } } else { ty };
        let value = self.operand(ty);
        let memory = self.emit(&format!("alloca {}", ty.text()));
        self.effect(&format!("store {} {value}, ptr {memory}", ty.text()));
        self.define(ty, &format!("load {}, ptr {memory}", ty.text()));
    }
}
