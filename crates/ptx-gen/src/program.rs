//! Small random modules: variables, functions, labels, branches, blocks in blocks, and instructions of any row.

use ptx_isa::{FormId, Since};

use crate::choices::Choices;
use crate::instruction::{Instruction, instruction};
use crate::mnemonic::Density;
use crate::module::{Home, head, module, needs_independent_textures};
use crate::surroundings::Symbols;
use crate::valid::{check, uses};

/// Which instructions a program has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Contents {
    /// What is valid by the table alone; the verifier may refuse some.
    Drawn,
    /// Only what our verifier accepts.
    Verified,
}

/// How deep blocks are nested.
const DEEPEST: usize = 4;

/// A random module for a version and architecture, with about `size` statements in all.
///
/// ```
/// use ptx_diag::SourceFile;
/// use ptx_gen::{Contents, Home, Seeded, TARGETS, program};
/// use ptx_isa::PtxVersion;
///
/// let home = Home { version: PtxVersion::NEWEST, sm: TARGETS[0] };
/// let text = program(&mut Seeded::new(7), home, 20, Contents::Verified);
/// assert_eq!(text, program(&mut Seeded::new(7), home, 20, Contents::Verified));
///
/// let (module, diagnostics) = ptx_syntax::parse(&SourceFile::new("random.ptx", text));
/// assert!(diagnostics.is_empty() && ptx_verify::verify(&module).is_ok());
/// ```
pub fn program(choices: &mut dyn Choices, home: Home, size: usize, contents: Contents) -> String {
    let mut draft =
        Draft { choices, home, contents, symbols: Symbols::new(), labels: 0, text: String::new() };
    let functions = 1 + draft.choices.below(3);
    for at in 0..functions {
        draft.function(at, size / functions);
    }
    let mut lines = head(home, &draft.symbols, "k");
    let variables: Vec<String> = (0..draft.choices.below(4)).map(|at| draft.variable(at)).collect();
    // After `.version`, `.target` and `.address_size`, before all functions.
    lines.splice(3..3, variables);
    lines.push("ret;".to_owned());
    lines.push("}".to_owned());
    lines.join("\n") + "\n" + &draft.text
}

struct Draft<'c> {
    choices: &'c mut dyn Choices,
    home: Home,
    contents: Contents,
    symbols: Symbols,
    /// The labels of the function so far.
    labels: usize,
    text: String,
}

impl Draft<'_> {
    fn function(&mut self, at: usize, size: usize) {
        let heads = [
            format!(".func f{at} ()"),
            format!(".func (.reg .b32 out) f{at} (.reg .b32 in)"),
            format!(".visible .func (.param .b32 out) f{at} (.param .b64 in, .param .align 8 .b8 more[12])"),
            format!(".weak .func f{at} ()\n.noreturn"),
        ];
        let head = self.one_of(heads);
        self.text += &head;
        self.text += "\n{\n.reg .pred %p<4>;\n";
        self.labels = 1 + self.choices.below(4);
        self.block(size, 0);
        for label in 0..self.labels {
            self.line(&format!("L{label}:"));
        }
        self.line("ret;");
        self.line("}");
    }

    fn line(&mut self, text: &str) {
        self.text += text;
        self.text.push('\n');
    }

    fn block(&mut self, size: usize, depth: usize) {
        let mut left = size;
        while left > 0 {
            left -= 1;
            match self.choices.below(16) {
                0 => {
                    let label = self.choices.below(self.labels);
                    let guard = ["", "@%p0 ", "@!%p3 "].map(str::to_owned);
                    let guard = guard[self.choices.below(3)].clone();
                    let uni = if self.choices.chance(1, 4) { ".uni" } else { "" };
                    self.line(&format!("{guard}bra{uni} L{label};"));
                }
                1 if depth < DEEPEST => {
                    let inner = self.choices.below(left + 1);
                    left -= inner;
                    self.line("{");
                    self.block(inner, depth + 1);
                    self.line("}");
                }
                2 => self.line("// a comment"),
                3 => self.line("/* one\n   of two lines */"),
                4 => self.line(".pragma \"nounroll\";"),
                5 => {
                    let name = self.text.len();
                    self.line(&format!(".local .align 8 .b8 v{name}[16];"));
                }
                6 => {
                    let name = self.text.len();
                    self.line(&format!(".reg .v2 .f32 %v{name};"));
                }
                _ => {
                    if let Some(generated) = self.instruction() {
                        self.symbols.extend(generated.symbols.iter().copied());
                        self.line(&generated.block());
                    }
                }
            }
        }
    }

    fn instruction(&mut self) -> Option<Instruction> {
        const ATTEMPTS: usize = 16;
        let ids: usize = ptx_isa::form_ids().len();
        (0..ATTEMPTS).find_map(|_| {
            let id = ptx_isa::form_ids().nth(self.choices.below(ids))?;
            let density = if self.choices.chance(1, 4) { Density::Dense } else { Density::Sparse };
            let generated = instruction(self.choices, id, None, density)?;
            (self.is_at_home(generated.mnemonic.since()) && self.fits(id, &generated)).then_some(generated)
        })
    }

    fn is_at_home(&self, since: Since) -> bool {
        self.home.version >= since.ptx && since.admits(self.home.sm)
    }

    /// Texture modes do not mix, and device functions have no parameters of kernels.
    fn fits(&self, id: FormId, generated: &Instruction) -> bool {
        let known = generated.symbols.iter().all(|symbol| *symbol != crate::Symbol::KernelParameter);
        known
            && !needs_independent_textures(generated)
            && (self.contents == Contents::Drawn
                || check(&module(self.home, [generated]).text).is_ok_and(|read| uses(&read, id)))
    }

    fn variable(&mut self, at: usize) -> String {
        let several = [
            format!(".global .b32 g{at} = {};", self.choices.between(-4, 1 << 31)),
            format!(".global .align 8 .b32 g{at}[4] = {{1, 2, 3}};"),
            format!(".const .f32 g{at}[2][2] = {{{{0f3F800000, 2.5}}, {{1.0}}}};"),
            format!(".visible .global .align 4 .b8 g{at}[64];"),
            format!(".shared .align 16 .b64 g{at}[8];"),
            format!(".weak .global .f64 g{at} = 0d3FF0000000000000;"),
        ];
        self.one_of(several)
    }

    fn one_of<const N: usize>(&mut self, several: [String; N]) -> String {
        let chosen = several.into_iter().nth(self.choices.below(N));
        debug_assert!(chosen.is_some(), "a choice below {N}");
        // Default: as asserted.
        chosen.unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::choices::{Script, Seeded};
    use crate::module::TARGETS;
    use ptx_isa::PtxVersion;

    #[test]
    fn verified_programs_verify() {
        for (seed, &sm) in TARGETS.iter().enumerate() {
            let home = Home { version: PtxVersion::NEWEST, sm };
            let text = program(&mut Seeded::new(seed as u64), home, 40, Contents::Verified);
            if let Err(findings) = check(&text) {
                let first = findings.iter().next().map(|finding| finding.message.clone());
                panic!("{first:?}\n{text}");
            }
        }
    }

    #[test]
    fn no_choices_at_all_give_a_program() {
        let home = Home { version: PtxVersion::NEWEST, sm: TARGETS[0] };
        let text = program(&mut Script::new(&[]), home, 40, Contents::Drawn);
        assert!(check(&text).is_ok(), "{text}");
    }
}
