//! Control flow beside branches, loops and switches: addresses of blocks, cycles with two ways in, loops over pointers.

use std::fmt::Write as _;

use super::generate::Generator;
use super::ty::Ty;

impl Generator {
    /// One of the statements of this file.
    pub(super) fn flow(&mut self) {
        match self.rng.u8(..3) {
            0 => self.indirect_branch(),
            1 => self.cycle_with_two_ways_in(),
            _ if self.objects.is_empty() => self.indirect_branch(),
            _ => self.walk(),
        }
    }

    /// A branch to an address of a block, from a table or chosen.
    fn indirect_branch(&mut self) {
        let types = self.some_types();
        let labels: Vec<String> = (0..self.rng.u32(2..5)).map(|_| self.fresh_label("block")).collect();
        let end = self.fresh_label("end");
        let function = self.function.clone();
        let address = |label: &String| format!("ptr blockaddress(@{function}, %{label})");
        let target = if self.rng.bool() {
            let which = self.operand(Ty::int(1));
            let rest = self.operand(Ty::int(1));
            let (first, second) = (address(&labels[0]), address(&labels[1]));
            let last = labels.last().map(address).unwrap_or_default();
            let one = self.emit(&format!("select i1 {which}, {first}, {second}"));
            self.emit(&format!("select i1 {rest}, ptr {one}, {last}"))
        } else {
            let all: Vec<String> = labels.iter().map(address).collect();
            let list = format!("[{} x ptr]", all.len());
            let table = self.constant(&format!("internal constant {list} [{}]", all.join(", ")));
            let at = self.index(all.len() as u32);
            let place = self.emit(&format!("getelementptr {list}, ptr {table}, i32 0, i32 {at}"));
            self.emit(&format!("load ptr, ptr {place}"))
        };
        let list: Vec<String> = labels.iter().map(|label| format!("label %{label}")).collect();
        self.effect(&format!("indirectbr ptr {target}, [ {} ]", list.join(", ")));
        let mut arms = Vec::new();
        for label in &labels {
            arms.push(self.scope(label, &types));
            self.effect(&format!("br label %{end}"));
        }
        self.join(&end, &types, &arms);
    }

    /// Two blocks that branch to each other, seven times at most, and each of which may be the first.
    fn cycle_with_two_ways_in(&mut self) {
        let ty = Ty::any(&mut self.rng);
        let first = self.operand(ty);
        let bound = self.operand(Ty::int(32));
        let bound = self.emit(&format!("and i32 {bound}, 7"));
        let which = self.operand(Ty::int(1));
        let labels = [self.fresh_label("left"), self.fresh_label("right")];
        let tails = [self.fresh_label("tail"), self.fresh_label("tail")];
        let end = self.fresh_label("end");
        // What goes around is named before it exists: the number of rounds and a value, of both blocks.
        let counts = [self.fresh(), self.fresh()];
        let values = [self.fresh(), self.fresh()];
        let before = self.label.clone();
        self.effect(&format!("br i1 {which}, label %{}, label %{}", labels[0], labels[1]));
        let (mark, depth) = (self.values.len(), self.depth);
        for (this, other) in [(0, 1), (1, 0)] {
            self.start_block(&labels[this]);
            let from = &tails[other];
            let now = self.emit(&format!(
                "phi {} [ {first}, %{before} ], [ {}, %{from} ]",
                ty.text(),
                values[other]
            ));
            let count = self.emit(&format!("phi i32 [ 0, %{before} ], [ {}, %{from} ]", counts[other]));
            self.values.push((ty, now));
            self.values.push((Ty::int(32), count.clone()));
            self.depth += 2;
            let statements = self.rng.u32(..4);
            self.statements(statements);
            let value = self.operand(ty);
            self.effect(&format!("br label %{}", tails[this]));
            self.start_block(&tails[this]);
            let (name, text) = (&values[this], ty.text());
            let _ = writeln!(self.body, "  {name} = select i1 true, {text} {value}, {text} {value}");
            let _ = writeln!(self.body, "  {} = add i32 {count}, 1", counts[this]);
            let goes_on = self.emit(&format!("icmp ult i32 {count}, {bound}"));
            self.effect(&format!("br i1 {goes_on}, label %{}, label %{end}", labels[other]));
            self.values.truncate(mark);
            self.depth = depth;
        }
        let arms = [0, 1].map(|at| (vec![values[at].clone()], tails[at].clone()));
        self.join(&end, &[ty], &arms);
    }

    /// A loop whose counter is a pointer.
    fn walk(&mut self) {
        let object = self.objects[self.rng.usize(..self.objects.len())].clone();
        let ty = Ty::int(*self.rng.choice(&[8, 16, 32, 64]).unwrap_or(&32));
        let (size, text) = (ty.bytes(), ty.text());
        let steps = self.rng.u32(1..=object.bytes / size);
        let first = self.operand(ty);
        let end =
            self.emit(&format!("getelementptr i8, {} {}, i32 {}", object.ty, object.pointer, steps * size));
        let (head, out) = (self.fresh_label("head"), self.fresh_label("end"));
        let before = self.label.clone();
        let (next, sum) = (self.fresh(), self.fresh());
        self.effect(&format!("br label %{head}"));
        self.start_block(&head);
        let pointer = object.ty;
        let at = self.emit(&format!("phi {pointer} [ {}, %{before} ], [ {next}, %{head} ]", object.pointer));
        let now = self.emit(&format!("phi {text} [ {first}, %{before} ], [ {sum}, %{head} ]"));
        let value = self.emit(&format!("load {text}, {pointer} {at}"));
        let op = ["add", "xor", "sub", "mul"][self.rng.usize(..4)];
        let _ = writeln!(self.body, "  {sum} = {op} {text} {now}, {value}");
        if object.written && self.rng.bool() {
            self.effect(&format!("store {text} {sum}, {pointer} {at}"));
        }
        let _ = writeln!(self.body, "  {next} = getelementptr i8, {pointer} {at}, i64 {size}");
        let goes_on = self.emit(&format!("icmp ne {pointer} {next}, {end}"));
        self.effect(&format!("br i1 {goes_on}, label %{head}, label %{out}"));
        self.start_block(&out);
        self.values.push((ty, sum));
    }
}
