//! Decodes the body of a function.

use ptx_diag::{Diagnostic, Span};
use ptx_ir::{Guard as IrGuard, Inst as IrInst, Stmt};
use ptx_isa::{AsyncSem, Form, OperandKind, Sem, VideoSem, ptx};

use super::arithmetic::{arith_decoder, bits_decoder};
use super::cluster::block_decoder;
use super::collective::warp_decoder;
use super::context::{Context, Decode, Jump, Temporaries};
use super::control::control_decoder;
use super::convert::fill_upper;
use super::matrix::matrix_decoder;
use super::memory::memory_decoder;
use super::modifiers::Modifiers;
use super::moves::move_decoder;
use super::output::{Constants, Decoded, Listing, finding};
use super::scope::Scope;
use super::select::compare_decoder;
use super::shared::async_decoder;
use super::texture::texture_decoder;
use super::video::{video, video_lanes};
use crate::codes;
use crate::program::{Effect, Files, Guard, Inst, Op, Origin};

/// The state of decoding a body.
pub(super) struct BodyDecoder<'a> {
    scope: Scope<'a>,
    temporaries: Temporaries,
    /// Where each label is.
    labels: Vec<Option<u32>>,
    jumps: Vec<Jump>,
    /// The source line of the next instructions.
    line: Option<u32>,
    /// The used bytes of the next load.
    used_bytes: u32,
}

/// Whether the interpreter supports a row; individual modifiers may still be refused.
pub fn executes(form: &Form) -> bool {
    decoder(form.sem).is_some()
}

/// The decoder of instructions with these semantics; `None` for unsupported operations.
fn decoder(sem: Sem) -> Option<Decode> {
    Some(match sem {
        Sem::Arith(sem) => arith_decoder(sem),
        Sem::Bits(sem) => bits_decoder(sem),
        Sem::Compare(sem) => compare_decoder(sem),
        Sem::Video(VideoSem::Video) => video,
        Sem::Video(VideoSem::VideoSimd) => video_lanes,
        Sem::Move(sem) => move_decoder(sem),
        Sem::Memory(sem) => memory_decoder(sem),
        Sem::Async(sem) => return async_decoder(sem),
        Sem::Texture(sem) => texture_decoder(sem),
        Sem::Warp(sem) => warp_decoder(sem),
        Sem::Block(sem) => block_decoder(sem),
        Sem::Matrix(sem) => matrix_decoder(sem),
        Sem::Control(sem) => control_decoder(sem),
    })
}

/// Fills the remaining bits of 128-bit registers that receive a narrower result (manual 9.4.1).
fn fill_wide(cx: &mut Context<'_>) {
    for (at, place) in cx.m.form().operands.iter().enumerate() {
        let wide = matches!(place.kind, OperandKind::Wide(_) | OperandKind::WideVector(..))
            && place.role.is_written();
        if let (true, Some(ty), Some(&operand)) = (wide, cx.m.operand_type(at), cx.operands.get(at)) {
            cx.scope.elements(operand).into_iter().for_each(|element| fill_upper(cx, element, ty));
        }
    }
}

impl<'a> BodyDecoder<'a> {
    pub(super) fn new(scope: Scope<'a>) -> Self {
        let temporaries = Temporaries::new(scope.first_temporary());
        let labels = vec![None; scope.body.labels.len()];
        Self { scope, temporaries, labels, jumps: Vec::new(), line: None, used_bytes: u32::MAX }
    }

    /// Appends the function to the program; returns its number of rows and all diagnostics.
    pub(super) fn run(
        mut self,
        program: &mut Listing,
        constants: &mut Constants,
        files: &mut Files,
    ) -> (u32, Vec<Diagnostic>) {
        let mut errors = Vec::new();
        let mut last = None;
        for stmt in &self.scope.body.statements {
            match stmt {
                Stmt::Inst(inst) => {
                    last = Some(inst);
                    if let Err(error) = self.instruction(inst, program, constants) {
                        errors.push(*error);
                    }
                    self.used_bytes = u32::MAX;
                }
                Stmt::Label(label) => {
                    if let Some(place) = self.labels.get_mut(label.0 as usize) {
                        *place = Some(program.code.len() as u32);
                    }
                }
                Stmt::BranchTargets(..)
                | Stmt::CallTargets(..)
                | Stmt::CallPrototype(..)
                | Stmt::Registers(..)
                | Stmt::Variable(_)
                | Stmt::ScopeStart
                | Stmt::ScopeEnd
                | Stmt::Comment(_)
                | Stmt::TrailingComment(_)
                | Stmt::Mark(_) => {}
                Stmt::Location(location) => {
                    self.line = files.line(location).map(|line| {
                        program.lines.push(line);
                        program.lines.len() as u32 - 1
                    });
                }
                Stmt::Pragma(texts) => {
                    let mut masks =
                        texts.iter().filter_map(|text| ptx_ir::used_bytes(self.scope.module.name(*text)));
                    self.used_bytes = masks.next_back().unwrap_or(self.used_bytes);
                }
            }
        }
        // Falling off the end returns.
        let span = match last {
            Some(inst) => inst.at.0,
            // A body without instructions has no place of its own.
            None => Span::default(),
        };
        program.code.push(Inst { guard: None, op: Effect::Return.into() });
        program.origins.push(Origin {
            span,
            mnemonic: ptx!("ret"),
            function: self.scope.index,
            line: self.line,
        });
        self.resolve(program, &mut errors);
        (self.temporaries.end(), errors)
    }

    fn instruction(
        &mut self,
        inst: &IrInst,
        program: &mut Listing,
        constants: &mut Constants,
    ) -> Decoded<()> {
        self.temporaries.reuse();
        let guard = inst
            .guard
            .map(|guard: IrGuard| Guard { row: self.scope.row_of(guard.register), negated: guard.negated });
        let (operands, spans) = (self.scope.body.operands(inst), self.scope.body.operand_spans(inst));
        let mut cx = Context {
            inst,
            m: Modifiers::new(inst.mnemonic),
            operands,
            spans,
            guard,
            used_bytes: self.used_bytes,
            line: self.line,
            scope: &self.scope,
            program,
            constants,
            temporaries: &mut self.temporaries,
            jumps: &mut self.jumps,
        };
        if operands.len() != cx.m.form().operands.len() {
            let text = format!("`{}` has the wrong number of operands", cx.m);
            return finding(codes::OPERAND, inst.at.0, text);
        }
        // For an unsupported operation no modifier is to blame.
        let Some(decode) = decoder(cx.m.sem()) else {
            return cx.unsupported(match cx.m.sem() {
                Sem::Async(AsyncSem::Fabric) => {
                    "there is no other device, and the manual does not define what a handle names"
                }
                _ => "the interpreter has no such operation",
            });
        };
        decode(&mut cx)?;
        fill_wide(&mut cx);
        match cx.m.untaken() {
            None => Ok(()),
            Some(modifier) => cx.unsupported(&format!("`.{}` is not supported", modifier.as_str())),
        }
    }

    fn resolve(&self, program: &mut Listing, errors: &mut Vec<Diagnostic>) {
        for &Jump { pc, target: at, label, span } in &self.jumps {
            let Some(target) = self.labels.get(label.0 as usize).copied().flatten() else {
                let name = self.scope.module.name(self.scope.body.labels[label.0 as usize].name);
                errors.push(Diagnostic::error(
                    codes::UNDEFINED,
                    span,
                    format!("no code follows label `{name}`"),
                ));
                continue;
            };
            let op = program.code.get_mut(pc as usize).map(|inst| &mut inst.op);
            let Some(Op::Effect(effect)) = op else { continue };
            if let Some(place) = effect.targets_mut().get_mut(at) {
                *place = target;
            }
        }
    }
}
