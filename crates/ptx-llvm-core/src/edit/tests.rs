use super::*;
use crate::build::{BinaryOp, CastOp, FloatPredicate, IntPredicate};
use crate::{Context, LlvmError, Module};

const TEXT: &str = "
@v = internal global i32 7
@t = private constant [2 x i32] [i32 1, i32 2]
declare float @llvm.fabs.f32(float)
define i32 @f(i32 %x, ptr %p) {
entry:
  %a = add nsw i32 %x, 1, !ptx.mods !0
  %b = mul i32 %a, %a
  %c = icmp samesign ult i32 %b, 9
  br i1 %c, label %left, label %right
left:
  %l = load volatile i32, ptr %p, align 8
  br label %join
right:
  br label %join
join:
  %r = phi i32 [ %l, %left ], [ %b, %right ]
  ret i32 %r
}
define i32 @g(i32 %y) optnone noinline {
  %z = sub i32 %y, 3
  ret i32 %z
}
!0 = !{!\".cg\"}
";

/// Runs a closure on the text's module with its instructions by name, and gives the text afterwards, which LLVM's verifier accepts.
fn edited(change: impl for<'e> FnOnce(&Editor<'e>, &dyn Fn(&str) -> Inst<'e>)) -> String {
    let context = Context::new().expect("LLVM 22");
    let mut module = Module::parse(&context, "m", TEXT.as_bytes()).expect("valid text");
    edit(&mut module, |editor| {
        let instructions: Vec<Inst<'_>> =
            editor.functions().flat_map(|function| function.instructions()).collect();
        let named = |name: &str| {
            let mut own = instructions.iter().filter(|inst| inst.name() == name.as_bytes());
            *own.next().expect("an instruction of that name")
        };
        change(editor, &named);
    });
    module.verify().expect("still valid");
    module.to_text()
}

fn is_refused<T>(result: Result<T, LlvmError>) -> bool {
    matches!(result, Err(LlvmError::Other { .. }))
}

#[test]
fn instructions_tell_what_they_are() {
    edited(|editor, inst| {
        let (a, b, c, l, r) = (inst("a"), inst("b"), inst("c"), inst("l"), inst("r"));
        assert_eq!((a.opcode(), a.wrap_flags()), (Opcode::Add, WrapFlags { nuw: false, nsw: true }));
        assert_eq!(a.operand(1).and_then(Value::as_unsigned), Some(1));
        assert_eq!((a.operand(2), b.use_count(), a.use_count()), (None, 2, 2));
        assert_eq!(b.users().map(Inst::opcode).collect::<Vec<_>>(), [Opcode::Phi, Opcode::ICmp]);
        assert_eq!((c.int_predicate(), c.is_same_sign()), (Some(IntPredicate::Ult), true));
        assert_eq!((l.alignment(), l.is_volatile()), (Some(8), true));
        assert_eq!(l.memory_order().map(|order| order.0), Some(AtomicOrder::NotAtomic));
        let incoming: Vec<_> = r.incomings().map(|(value, _)| value).collect();
        assert_eq!(incoming, [l.value(), b.value()]);
        let entry = a.block().expect("a block");
        assert_eq!(entry.successors().count(), 2);
        assert_eq!(entry.terminator().and_then(Inst::condition), Some(c.value()));
        assert_eq!(entry.next(), entry.successors().next());
        let optimized: Vec<Vec<u8>> = editor.optimized_functions().map(Function::name).collect();
        assert_eq!(optimized, [&b"llvm.fabs.f32"[..], b"f"]);
        assert_eq!(editor.variables().map(Variable::name).collect::<Vec<_>>(), [b"v", b"t"]);
        let layout = editor.layout();
        assert_eq!(layout.abi_size(b.ty()), Some(4));
        // Questions that do not fit have no answer.
        assert_eq!((a.int_predicate(), a.condition(), a.incoming_count()), (None, None, 0));
        assert!(a.callee().is_none() && a.allocated_type().is_none() && a.shuffle_mask().is_empty());
        assert!(a.aggregate_indices().is_empty() && a.value().gep_source().is_none());
        assert_eq!((a.successor(0), a.location(), a.value().as_parameter()), (None, None, None));
    });
}

#[test]
fn instructions_are_replaced_with_their_names() {
    let text = edited(|editor, inst| {
        let b = inst("b");
        let two = b.ty().number(2).expect("an integer");
        let a = inst("a").value();
        let shifted = editor.before(b).and_then(|builder| builder.binary(BinaryOp::Shl, a, two));
        editor.replace(b, shifted.expect("built")).expect("replaced");
        assert!(b.is_erased() && !b.has_users() && b.next().is_none());
    });
    assert!(text.contains("%b = shl i32 %a, 2") && !text.contains("mul"), "{text}");
    assert!(text.contains("[ %b, %right ]"), "{text}");
}

/// Handles of what was erased are of no use, but do no harm.
#[test]
fn erased_instructions_stay_erased() {
    let text = edited(|editor, inst| {
        let (a, b, c, l) = (inst("a"), inst("b"), inst("c"), inst("l"));
        let x = a.operand(0).expect("the parameter");
        assert!(is_refused(editor.erase(a)), "it has users");
        assert!(is_refused(editor.erase(a.block().and_then(Block::terminator).expect("an end"))));
        b.replace_all_uses(x).expect("of one type");
        editor.erase(b).expect("no users");
        assert!(a.use_count() == 0, "an erased instruction uses nothing");
        assert!(is_refused(editor.erase(b)), "erased twice");
        // It is told what it was, and no more.
        assert_eq!((b.opcode(), b.block(), b.ty()), (Opcode::Mul, None, x.ty()));
        assert!(b.operands().all(Value::is_undef));
        // It does not come back.
        assert!(is_refused(a.set_operand(0, b.value())));
        assert!(is_refused(l.replace_all_uses(b.value())));
        assert!(is_refused(b.replace_all_uses(x)));
        assert!(is_refused(b.set_operand(0, x)));
        assert!(is_refused(editor.move_before(b, a)) && is_refused(editor.move_before(a, b)));
        assert!(editor.before(b).is_err());
        let before = editor.before(c).expect("present");
        assert!(is_refused(before.binary(BinaryOp::Add, x, b.value())));
        assert!(is_refused(before.freeze(b.value())));
        assert!(is_refused(before.cast(CastOp::ZExt, b.value(), editor.integer(64))));
        editor.replace(c, editor.integer(1).zero().expect("false")).expect("replaced");
        assert!(is_refused(before.freeze(x)), "the place is gone");
    });
    assert!(text.contains("br i1 false") && text.contains("[ %x, %right ]"), "{text}");
}

#[test]
fn what_does_not_fit_is_refused() {
    let before = edited(|_, _| {});
    let after = edited(|editor, inst| {
        let (a, c, l, r, z) = (inst("a"), inst("c"), inst("l"), inst("r"), inst("z"));
        let truth = c.value();
        assert!(is_refused(a.set_operand(0, truth)), "of another type");
        assert!(is_refused(a.set_operand(2, a.value())), "no such operand");
        assert!(is_refused(a.set_operand(0, z.value())), "of another function");
        assert!(is_refused(a.replace_all_uses(truth)) && is_refused(a.replace_all_uses(a.value())));
        assert!(is_refused(a.set_condition(truth)), "no branch");
        let (entry, other) = (a.block().expect("a block"), z.block().expect("a block"));
        let branch = entry.terminator().expect("an end");
        assert!(is_refused(branch.set_successor(0, other)) && is_refused(branch.set_successor(2, entry)));
        assert!(is_refused(branch.set_operand(1, truth)), "a label");
        assert!(is_refused(branch.set_condition(a.value())));
        assert!(is_refused(editor.move_before(branch, a)) && is_refused(editor.move_before(a, r)));
        assert!(is_refused(editor.move_before(a, z)) && is_refused(editor.move_before(a, a)));
        let builder = editor.before(l).expect("present");
        let pointer = l.operand(0).expect("its address");
        assert!(is_refused(builder.binary(BinaryOp::Add, pointer, pointer)));
        assert!(is_refused(builder.int_compare(IntPredicate::Eq, a.value(), truth)));
        let flags = FastMath::default();
        assert!(is_refused(builder.float_compare(FloatPredicate::Oeq, a.value(), a.value(), flags)));
        assert!(is_refused(builder.select(a.value(), truth, truth)));
        assert!(is_refused(builder.freeze(entry.terminator().expect("an end").value())));
        let (array, one) = (editor.variables().nth(1).expect("@t").initializer().expect("a value"), a.ty());
        let index = one.number(5).expect("an integer");
        assert!(is_refused(builder.gep(one, pointer, &[index, index], GepFlags::default())));
        assert!(is_refused(builder.gep(array.ty(), index, &[index], GepFlags::default())));
        assert!(is_refused(builder.store(a.value(), pointer, 3)), "no alignment");
        assert!(is_refused(builder.ret(a.value())));
        assert!(is_refused(builder.phi(one, &[(a.value(), other)])), "a block of another function");
        assert!(is_refused(builder.phi(one, &[(truth, entry)])), "a value of another type");
        let fabs = editor.functions().next().expect("@llvm.fabs.f32");
        assert!(is_refused(builder.call(fabs, &[a.value()])));
        assert!(is_refused(builder.intrinsic("llvm.fabs", &[one], &[a.value()])));
        assert!(is_refused(pointer.ty().number(1)) && is_refused(branch.ty().poison()));
        assert!(is_refused(editor.at_end(entry).ret(a.value())), "a block with an end");
        // Without effect.
        c.set_wrap_flags(WrapFlags { nuw: true, nsw: true });
        a.set_alignment(16);
        l.set_alignment(3);
        a.relax();
    });
    assert_eq!(before, after);
}

#[test]
fn instructions_move_with_their_names() {
    let text = edited(|editor, inst| {
        let (b, l) = (inst("b"), inst("l"));
        let end = l.next().expect("the branch");
        let copy = editor.before(l).and_then(|builder| builder.freeze(b.value())).expect("built");
        copy.set_name(b"k");
        editor.move_before(copy.as_inst().expect("an instruction"), end).expect("moved");
    });
    assert!(text.contains("align 8\n  %k = freeze i32 %b\n  br label %join"), "{text}");
}

#[test]
fn metadata_is_taken_off() {
    let text = edited(|editor, inst| {
        let (a, kind) = (inst("a"), editor.metadata_kind("ptx.mods"));
        let node = a.metadata(kind).expect("a node");
        inst("b").set_metadata(kind, Some(node));
        a.set_metadata(kind, None);
        assert!(a.metadata(kind).is_none());
        inst("l").set_metadata(editor.metadata_kind("nothing"), Some(editor.empty_node()));
    });
    assert!(text.contains("add nsw i32 %x, 1\n") && text.contains("%a, !ptx.mods !0"), "{text}");
    assert!(text.contains("!nothing"), "{text}");
}

#[test]
fn variables_go_when_nothing_uses_them() {
    let text = edited(|editor, inst| {
        let (own, used) = (editor.variables().next().expect("@v"), editor.variables().nth(1).expect("@t"));
        editor.erase_variable(own);
        editor.erase_variable(own);
        editor.erase_variable(used);
        let kept = editor.before(inst("l")).and_then(|builder| builder.freeze(used.value()));
        assert_eq!(used.users().collect::<Vec<_>>(), [kept.expect("built")]);
    });
    assert!(!text.contains("@v") && text.contains("@t = private constant"), "{text}");
}

#[test]
fn functions_are_added_whole() {
    let text = edited(|editor, inst| {
        let word = inst("a").ty();
        let (function, block) = editor.add_function(b"own", word, &[word]).expect("a function");
        let parameter = function.parameter(0).expect("one parameter");
        assert_eq!((parameter.as_parameter(), function.parameter(1)), (Some((function, 0)), None));
        editor.at_end(block).ret(parameter).expect("built");
        let (a, b) = (inst("a").value(), inst("b"));
        let call = editor.before(b).and_then(|builder| builder.call(function, &[a]));
        editor.replace(b, call.expect("built")).expect("replaced");
        let end = block.terminator().expect("an end");
        assert!(is_refused(editor.add_function(b"none", word, &[end.ty()])), "a parameter without values");
    });
    assert!(text.contains("define internal i32 @own(i32 %0) {\n  ret i32 %0\n}"), "{text}");
    assert!(text.contains("%b = call i32 @own(i32 %a)"), "{text}");
}
