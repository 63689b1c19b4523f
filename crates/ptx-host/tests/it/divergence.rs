//! Random programs whose lanes part and meet again, with operations among those that are together, in both engines.
//!
//! Each region of a program has a register with the lanes that run it: that of a side of a branch is a vote of the lanes that
//! come to the branch, that of a round of a loop a vote of those of the round before. Operations in the region name those lanes,
//! or all lanes where the program is outside of every branch, so that no lane waits for ever.

use crate::common::Case;

/// Knuth's multiplicative generator, of which the upper bits are used.
struct Random(u64);

impl Random {
    fn below(&mut self, count: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % count
    }
}

struct Generator {
    random: Random,
    text: String,
    labels: u32,
    /// Registers with lanes that are in use.
    masks: u32,
    /// Regions that are open.
    depth: u32,
}

impl Generator {
    fn label(&mut self) -> String {
        self.labels += 1;
        format!("l{}", self.labels)
    }

    /// A register of its own: what is known of the lanes in it follows from the only instruction that writes it.
    fn mask(&mut self) -> String {
        self.masks += 1;
        format!("%m{}", self.masks)
    }

    fn push(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// A condition of lanes in `%p1`: by their numbers, or by what they have computed.
    fn condition(&mut self) {
        let (bit, limit) = (self.random.below(8), self.random.below(31) + 1);
        let text = match self.random.below(3) {
            0 => format!("shr.u32 %r8, %r10, {bit}; and.b32 %r8, %r8, 1; setp.ne.u32 %p1, %r8, 0;"),
            1 => format!("setp.lt.u32 %p1, %r7, {limit};"),
            _ => format!("and.b32 %r8, %r7, {}; setp.eq.u32 %p1, %r8, 0;", 1 << (bit % 5)),
        };
        self.push(&text);
    }

    /// An operation of the lanes in a register, mixed into `%r10`.
    fn operation(&mut self, lanes: &str) {
        let number = self.random.below(32);
        let operation = match self.random.below(7) {
            0 => format!("shfl.sync.bfly.b32 %r8|%p2, %r10, {number}, 0x1f, {lanes};"),
            1 => format!("shfl.sync.idx.b32 %r8|%p2, %r10, %r7, 0x181f, {lanes};"),
            2 => format!("shfl.sync.down.b32 %r8|%p2, %r10, {number}, 0x1f, {lanes};"),
            3 => format!(
                "shr.u32 %r8, %r10, {number}; and.b32 %r8, %r8, 1; setp.ne.u32 %p2, %r8, 0; vote.sync.ballot.b32 %r8, %p2, {lanes};"
            ),
            4 => format!(
                "and.b32 %r8, %r10, 3; match.any.sync.b32 %r8, %r8, {lanes}; setp.lt.u32 %p2, %r8, %r10;"
            ),
            5 => format!("redux.sync.add.u32 %r8, %r10, {lanes}; setp.lt.u32 %p2, %r8, %r10;"),
            _ => format!("bar.warp.sync {lanes}; mov.u32 %r8, %r7; setp.lt.u32 %p2, %r8, 9;"),
        };
        self.push(&operation);
        self.push("mad.lo.u32 %r10, %r10, 0x9e3779b1, %r8; @%p2 xor.b32 %r10, %r10, 0x5bd1e995; shr.u32 %r8, %r10, 13; xor.b32 %r10, %r10, %r8;");
    }

    fn region(&mut self, lanes: &str, size: u64) {
        for _ in 0..size {
            let part = self.random.below(6);
            if self.depth >= 2 || part < 3 {
                self.operation(lanes);
                continue;
            }
            self.depth += 1;
            let [own, other, opposite] = std::array::from_fn(|_| self.mask());
            let [first, second] = [self.label(), self.label()];
            match part {
                3 => {
                    // Two sides.
                    self.condition();
                    self.push(&format!("vote.sync.ballot.b32 {own}, %p1, {lanes}; not.b32 {opposite}, {own}; and.b32 {other}, {opposite}, {lanes};"));
                    self.push(&format!("@!%p1 bra {first};"));
                    let sizes = [self.random.below(3) + 1, self.random.below(3)];
                    self.region(&own, sizes[0]);
                    self.push(&format!("bra.uni {second}; {first}:"));
                    self.region(&other, sizes[1]);
                    self.push(&format!("{second}:"));
                }
                4 => {
                    // A loop that lanes leave one by one.
                    let counter = format!("%c{}", self.depth);
                    let mask = self.random.below(4) + 1;
                    self.push(&format!("mov.u32 {own}, {lanes}; and.b32 {counter}, %r10, {mask}; {first}:"));
                    let size = self.random.below(2) + 1;
                    self.region(&own, size);
                    self.push(&format!("setp.ne.u32 %p1, {counter}, 0; vote.sync.ballot.b32 {other}, %p1, {own}; mov.u32 {own}, {other}; sub.u32 {counter}, {counter}, 1; @%p1 bra {first};"));
                }
                _ => {
                    // An operation of its own for some lanes.
                    self.condition();
                    self.push(&format!("vote.sync.ballot.b32 {own}, %p1, {lanes}; mov.u32 %r8, 5; @%p1 shfl.sync.idx.b32 %r8, %r10, {}, 0x1f, {own}; add.u32 %r10, %r10, %r8;", self.depth * 3));
                }
            }
            self.depth -= 1;
        }
    }
}

/// The program of a number, `again` and again if lanes are to be in a loop that may wait for other threads, which ends after one round.
fn program(seed: u64, waits: bool) -> String {
    let mut generator =
        Generator { random: Random(seed * 7919 + 1), text: String::new(), labels: 0, masks: 1, depth: 0 };
    generator.push(".reg .b32 %m<300>; .reg .b32 %c<8>; ld.global.u32 %r6, [%rd5]; mov.u32 %r7, %laneid; mul.lo.u32 %r10, %r6, 0x2c1b3c6d;");
    let exits = seed % 3 == 1;
    if exits {
        // Some lanes are not there; the others name all.
        generator.push("setp.ge.u32 %p1, %r4, %r1; @%p1 bra gone;");
    }
    generator.push("vote.sync.ballot.b32 %m0, 1, -1;");
    // Outside of every branch: all lanes by a constant, by one value for the warp, or by one in a register of each lane.
    let lanes = ["-1", "%m0", "%m1"][(seed % 3) as usize];
    generator
        .push("shfl.sync.bfly.b32 %m1, %m0, 1, 0x1f, -1; setp.lt.u32 %p1, %r6, 1000; @%p1 mov.u32 %m1, %m0;");
    if waits {
        generator.push("again:");
    }
    generator.region(if exits { "%m0" } else { lanes }, 2);
    if waits {
        generator.push("ld.volatile.global.u32 %r9, [%rd5]; and.b32 %r9, %r9, 0; setp.ne.u32 %p3, %r9, 0; @%p3 bra again;");
    }
    generator.push("st.global.u32 [%rd4], %r10; gone: ret;");
    generator.text
}

/// `PTX_HOST_PROGRAMS` asks for more programs, and for long ones, which take a minute to compile.
#[test]
fn random_programs_agree() {
    let asked: Option<u64> = std::env::var("PTX_HOST_PROGRAMS").ok().and_then(|count| count.parse().ok());
    for seed in 0..asked.unwrap_or_else(|| testing::count("random programs whose lanes part", 60, 12)) {
        let body = program(seed, false);
        let case = Case { block: [64, 1, 1], n: 41, ..Case::warp(&body) };
        if asked.is_some() || body.len() < 1150 {
            case.agrees();
            // What the analysis claims of them, too; such code takes longer to compile.
            if asked.is_some() || seed % 3 == 0 {
                case.holds();
            }
        }
    }
}

/// In loops that may wait for other threads lanes run in another order.
#[test]
fn random_programs_agree_in_loops_that_wait() {
    let asked: Option<u64> = std::env::var("PTX_HOST_PROGRAMS").ok().and_then(|count| count.parse().ok());
    for seed in 0..asked
        .unwrap_or_else(|| testing::count("random programs whose lanes part in loops that wait", 40, 8))
    {
        let body = program(seed, true);
        let case = Case { block: [64, 1, 1], n: 41, ..Case::warp(&body) };
        if asked.is_some() || body.len() < 1200 {
            case.agrees();
        }
    }
}
