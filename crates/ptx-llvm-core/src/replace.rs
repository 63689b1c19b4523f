//! Instructions replaced by what functions written as LLVM IR compute.

use inkwell::attributes::AttributeLoc;
use inkwell::module::Linkage;
use inkwell::values::FunctionValue;
use rustc_hash::FxHashMap as HashMap;

use crate::edit::{Editor, Function, Inst, edit};
use crate::error::LlvmError;
use crate::machine::Machine;
use crate::module::Module;
use crate::pass::run_passes;
use crate::view::{FunctionId, InstId};

/// An instruction, and the function that computes its result from its operands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Replacement {
    /// Where the instruction is, as a [`View`](crate::view::View) of the module numbers it.
    pub function: FunctionId,
    /// Which it is there.
    pub inst: InstId,
    /// The name of a function of the text. Its parameters are the operands of the instruction that are data, in their order, or the arguments where
    /// it is a call, and its result has the instruction's type.
    pub with: String,
}

const INLINE: &str = "alwaysinline";
const STRICT: &str = "strictfp";

/// Replaces instructions by calls of functions that `text` defines, and inlines these:
///
/// ```text
///   %r = frem float %a, %b     define float @frem(float %a, float %b) {  ..      the body of @frem with %a and %b
/// ```
///
/// The functions of `text` must call no other function of it, and none of them may have the name of one of the module's. What the module itself
/// asks to inline is not inlined. Functions keep their attributes, but for `strictfp`.
///
/// # Errors
///
/// LLVM's message about the text or the module with the calls.
pub fn replace(
    module: &mut Module<'_>,
    text: &str,
    wanted: &[Replacement],
    machine: &Machine,
) -> Result<(), LlvmError> {
    let functions = Module::parse_text(module.context(), "replacements", text.as_bytes())?;
    functions.inkwell().set_triple(&module.inkwell().get_triple());
    functions.set_data_layout(&module.data_layout());
    let defined = functions.inkwell().get_functions().filter(|function| function.count_basic_blocks() > 0);
    let names: Vec<String> =
        defined.map(|function| function.get_name().to_string_lossy().into_owned()).collect();
    withdraw_inlining(module);
    module.link_whole(functions)?;
    for name in &names {
        if let Some(function) = module.inkwell().get_function(name) {
            function.set_linkage(Linkage::Internal);
            inline_without_trace(module, function);
        }
    }
    edit(module, |editor| {
        let named = |name: &String| editor.function_named(name.as_bytes()).map(|own| (name.clone(), own));
        let found: HashMap<String, Function<'_>> = names.iter().filter_map(named).collect();
        found.values().for_each(|function| drop_names(*function));
        // Functions that were linked come after those of the module, so that these have their numbers.
        let sites: Vec<_> = wanted.iter().map(|own| (own.function, own.inst)).collect();
        for (inst, wanted) in places(editor, &sites).into_iter().zip(wanted) {
            let replaced = match inst.zip(found.get(&wanted.with)) {
                Some((inst, function)) => call_instead(editor, inst, *function)?,
                None => false,
            };
            if !replaced {
                return Err(LlvmError::Other {
                    message: format!("{} does not replace an instruction", wanted.with),
                });
            }
        }
        Ok(())
    })?;
    // The bodies are checked with the module before they are inlined.
    module.verify()?;
    run_passes(module, "always-inline", machine)
}

/// The instructions, in the order in which they are wanted; `None` where there is none.
fn places<'e>(editor: &Editor<'e>, wanted: &[(FunctionId, InstId)]) -> Vec<Option<Inst<'e>>> {
    let functions: Vec<Function<'e>> = editor.functions().collect();
    let mut known: HashMap<FunctionId, Vec<Inst<'e>>> = HashMap::default();
    let mut places = Vec::with_capacity(wanted.len());
    for (function, inst) in wanted {
        let insts = known.entry(*function).or_insert_with(|| match functions.get(function.index()) {
            Some(function) => function.instructions(),
            None => Vec::new(),
        });
        places.push(insts.get(inst.index()).copied());
    }
    places
}

/// Gives variables (`alloca`) of functions, as a [`View`](crate::view::View) of the module numbers them, an alignment.
pub fn align_variables(module: &mut Module<'_>, wanted: &[(FunctionId, InstId, u64)]) {
    edit(module, |editor| {
        let sites: Vec<_> = wanted.iter().map(|(function, inst, _)| (*function, *inst)).collect();
        for (inst, (.., align)) in places(editor, &sites).into_iter().zip(wanted) {
            if let Some(inst) = inst.filter(|inst| inst.allocated_type().is_some())
                && let Ok(align) = u32::try_from(*align)
            {
                inst.set_alignment(align);
            }
        }
    });
}

/// Takes what asks to be inlined from functions and calls: the pass that inlines is for the replacements alone. In functions that are
/// `strictfp` it makes `llvm.experimental.constrained.*` of what it inlines; targets without modes of rounding and without exceptions need no such.
fn withdraw_inlining(module: &mut Module<'_>) {
    edit(module, |editor| {
        for function in editor.functions() {
            function.remove_attribute(INLINE);
            function.remove_attribute(STRICT);
            function.instructions().into_iter().for_each(|inst| inst.remove_call_attribute(INLINE));
        }
    });
}

/// The attributes that LLVM's inliner takes from a function where what is inlined does not have them.
const KEPT_IF_SHARED: [&str; 6] = [
    "approx-func-fp-math",
    "less-precise-fpmad",
    "no-infs-fp-math",
    "no-nans-fp-math",
    "no-signed-zeros-fp-math",
    "unsafe-fp-math",
];

/// Has a function inlined wherever it is called, so that its callers keep all their attributes.
fn inline_without_trace(module: &mut Module<'_>, function: FunctionValue<'_>) {
    let context = module.context().inkwell();
    for name in [INLINE, "nounwind", "mustprogress"] {
        let kind = inkwell::attributes::Attribute::get_named_enum_kind_id(name);
        function.add_attribute(AttributeLoc::Function, context.create_enum_attribute(kind, 0));
    }
    for name in KEPT_IF_SHARED {
        function.add_attribute(AttributeLoc::Function, context.create_string_attribute(name, "true"));
    }
}

/// Takes their names from what a function computes and from its blocks: they would be names of the callers'.
fn drop_names(function: Function<'_>) {
    for block in function.blocks() {
        block.value().set_name(b"");
        block.instructions().into_iter().for_each(|inst| inst.value().set_name(b""));
    }
}

/// Puts a call of `function` with the operands of an instruction in its place; whether the function takes these, and gives what the instruction gave.
fn call_instead<'e>(editor: &Editor<'e>, inst: Inst<'e>, function: Function<'e>) -> Result<bool, LlvmError> {
    let count = if inst.opcode().is_call() { inst.argument_count() } else { inst.value().operand_count() };
    let operands = (0..count).filter_map(|at| inst.operand(at));
    let operands: Vec<_> = operands.filter(|operand| operand.ty().is_first_class()).collect();
    if !function.takes(&operands) || function.result_type() != inst.ty() {
        return Ok(false);
    }
    let call = editor.before(inst)?.call(function, &operands)?;
    let name = inst.name();
    if inst.has_users() {
        inst.replace_all_uses(call)?;
    }
    editor.erase(inst)?;
    if !name.is_empty() {
        call.set_name(&name);
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Context, Gpu, OptLevel};

    const TEXT: &str = "
define float @f(float %a, float %b) noinline optnone \"unsafe-fp-math\"=\"true\" {
  %x = call float @own(float %a)
  %r = frem float %x, %b
  ret float %r
}
define internal float @own(float %a) alwaysinline {
  ret float %a
}
";

    fn replaced(with: &str) -> Result<String, LlvmError> {
        let context = Context::new().expect("LLVM 22");
        let mut module = Module::parse(&context, "m", TEXT.as_bytes()).expect("valid LLVM IR");
        let machine = Machine::new(&Gpu::default(), OptLevel::O0).expect("the default machine");
        let wanted =
            Replacement { function: FunctionId::new(0), inst: InstId::new(1), with: "legal.0".to_owned() };
        replace(&mut module, with, &[wanted], &machine)?;
        Ok(module.to_text())
    }

    #[test]
    fn an_instruction_becomes_the_body_of_a_function_and_others_stay() {
        let text = replaced(
            "define float @legal.0(float %a, float %b) {\n  %r = fsub float %a, %b\n  ret float %r\n}\n",
        )
        .expect("replaced");
        assert!(text.contains("fsub float %x, %b") && !text.contains("frem"), "{text}");
        assert!(text.contains("call float @own") && !text.contains("legal"), "{text}");
        assert!(text.contains("noinline optnone \"unsafe-fp-math\"=\"true\""), "{text}");
    }

    #[test]
    fn a_function_of_another_type_is_an_error() {
        let text = "define i32 @legal.0(float %a, float %b) {\n  ret i32 0\n}\n";
        assert!(matches!(replaced(text), Err(LlvmError::Other { .. })));
        let text = "define float @legal.0(float %a, i32 %b) {\n  ret float %a\n}\n";
        assert!(matches!(replaced(text), Err(LlvmError::Other { .. })));
        assert!(matches!(replaced("declare void @other()\n"), Err(LlvmError::Other { .. })));
    }
}
