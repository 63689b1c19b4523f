use super::*;
use crate::analysis::Analysis;

/// The representations of the values that are assigned to registers of one kernel, by name, and those of its loads of `p`.
fn analysed(statements: &str) -> (FxHashMap<String, Repr>, Vec<Repr>) {
    let text = format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.global .b32 g[4];\n.shared .b32 s[4];\n\
         .entry k(.param .u64 p) {{ .reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<8>; {statements} ret; }}\n"
    );
    let (module, findings) = ptx_syntax::parse(&ptx_diag::SourceFile::new("test.ptx", text));
    assert!(!findings.has_errors(), "{findings:?}");
    let function = module.functions.first().expect("a kernel");
    let body = function.body.as_ref().expect("a definition");
    let analysis = Analysis::new(&module, function, body, 64);
    let question = Question {
        module: &module,
        address_bits: 64,
        body,
        slots: &analysis.slots,
        ssa: &analysis.ssa,
        callees: &CalleeSpaces::default(),
        kind: function.kind,
        numbers: &FxHashSet::default(),
    };
    let mut reprs = representations(&question);
    let loads = loads_of_variables(&question);
    let of_p: Vec<ValueId> = loads.into_values().flatten().collect();
    parameter_space(&of_p, &mut reprs);
    let loaded = of_p.iter().map(|load| reprs[load.index()]).collect();
    let mut by_name = FxHashMap::default();
    for (info, repr) in analysis.ssa.values.iter().zip(&reprs) {
        if let (Def::Statement(_), Some(register)) = (&info.def, analysis.slots.register(info.slot)) {
            let number = body.registers[register.index()].number;
            by_name.insert(format!("{}{number}", module.name(body.decl(register).name)), *repr);
        }
    }
    (by_name, loaded)
}

#[test]
fn a_sum_that_is_accessed_is_a_pointer_and_so_is_the_parameter_it_starts_from() {
    let (reprs, loads) = analysed(
        "ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; \
         add.s64 %rd3, %rd1, %rd2; st.global.b32 [%rd3], %r1;",
    );
    assert_eq!(reprs["%rd3"], Repr::Pointer(address_space::GLOBAL));
    assert_eq!(reprs["%rd2"], Repr::Int);
    assert_eq!(loads, [Repr::Pointer(address_space::GLOBAL)]);
}

#[test]
fn a_parameter_that_is_accessed_in_two_spaces_is_a_number_in_the_signature() {
    let (reprs, loads) = analysed(
        "ld.param.u64 %rd1, [p]; ld.param.u64 %rd2, [p]; st.global.b32 [%rd1], 0; st.local.b32 [%rd2], 0;",
    );
    assert_eq!(loads.len(), 2);
    assert_eq!(reprs["%rd1"], Repr::Pointer(address_space::GLOBAL));
    assert_eq!(reprs["%rd2"], Repr::Pointer(address_space::LOCAL));
    let mut own = loads.clone();
    assert_eq!(parameter_space(&[ValueId(0), ValueId(1)], &mut own), None);
    assert_eq!(own, loads);
}

#[test]
fn what_is_loaded_has_the_type_that_its_users_need() {
    let (reprs, _) = analysed(
        "ld.global.b32 %r1, [g]; ld.global.b32 %r2, [g+4]; add.rn.f32 %r3, %r1, %r1; add.u32 %r4, %r2, %r2; \
         st.global.b32 [g], %r3; st.global.b32 [g], %r4;",
    );
    assert_eq!(reprs["%r1"], Repr::Float(ScalarType::F32));
    assert_eq!(reprs["%r2"], Repr::Int);
    assert_eq!(reprs["%r3"], Repr::Float(ScalarType::F32));
}

#[test]
fn the_address_of_a_variable_is_a_pointer_into_its_space() {
    let (reprs, _) = analysed("mov.u64 %rd1, g; mov.u32 %r1, s; mov.u32 %r2, g;");
    assert_eq!(reprs["%rd1"], Repr::Pointer(address_space::GLOBAL));
    assert_eq!(reprs["%r1"], Repr::Pointer(address_space::SHARED));
    assert_eq!(reprs["%r2"], Repr::Int, "a register too narrow for the address");
}

#[test]
fn parameters_of_functions_are_in_local_memory_and_those_of_kernels_are_not() {
    let param = Some(StateSpace::Param);
    assert_eq!(accessed_space(param, FunctionKind::Kernel), Some(param_space(FunctionKind::Kernel)));
    assert_eq!(accessed_space(param, FunctionKind::Device), Some(address_space::LOCAL));
    assert_eq!(accessed_space(None, FunctionKind::Device), llvm_space(None));
    assert_eq!(llvm_space(Some(StateSpace::Reg)), None);
}

#[test]
fn addresses_outside_of_generic_and_global_memory_fit_32_bits() {
    assert!(is_narrow(address_space::SHARED) && is_narrow(address_space::CONST));
    assert!(!is_narrow(address_space::GLOBAL) && !is_narrow(address_space::GENERIC));
}

#[test]
fn only_truncation_and_zero_extension_keep_an_address() {
    assert!(resizes_address(ScalarType::U32, ScalarType::S64));
    assert!(resizes_address(ScalarType::S64, ScalarType::S32));
    assert!(!resizes_address(ScalarType::S32, ScalarType::U64), "sign extension");
    assert!(!resizes_address(ScalarType::F32, ScalarType::U64));
    assert!(!resizes_address(ScalarType::U16, ScalarType::U64));
}
