//! Every shape with every combination of types that the instruction table has: a row that comes to it, or a shape, is checked here without being
//! listed. Which thread holds which element is written down in `model` from the manual's figures.

use ptx_isa::{Field, Form, MatrixSem, Mod, Opcode, OperandKey, Sem, Slot, all_forms};

use super::model::{A, Case, Type};

fn choices(form: &Form, field: Field) -> Vec<Mod> {
    let set = form.slots.iter().find_map(|slot| match slot {
        Slot::One(found, set) if *found == field => Some(set.to_vec()),
        _ => None,
    });
    set.unwrap_or_else(|| panic!("{} has no such slot", form.doc))
}

fn type_of(name: Mod) -> Type {
    const ALL: [Type; 10] = [
        Type::F16,
        Type::Bf16,
        Type::Tf32,
        Type::F32,
        Type::E4m3,
        Type::E5m2,
        Type::U8,
        Type::S8,
        Type::B1,
        Type::S32,
    ];
    let found = ALL.into_iter().find(|ty| ty.name() == name.as_str());
    found.unwrap_or_else(|| panic!("{} is not a type of the model", name.as_str()))
}

/// Both places of A, with every width and every combination of types of a row.
#[test]
fn every_shape_and_type_of_the_table() {
    let mut cases = Vec::new();
    for form in all_forms().iter().filter(|form| form.opcode == Opcode::Wgmma) {
        let sparse = match form.sem {
            Sem::Matrix(MatrixSem::Wgmma) => false,
            Sem::Matrix(MatrixSem::WgmmaSparse) => true,
            _ => continue,
        };
        let is_shared = form.operand(OperandKey::ADesc).is_some();
        for shape in choices(form, Field::Shape) {
            let (n, k) = shape.as_str().strip_prefix("m64n").and_then(|rest| rest.split_once('k')).unwrap();
            let (n, k): (usize, usize) = (n.parse().unwrap(), k.parse().unwrap());
            for d in choices(form, Field::DType).into_iter().map(type_of) {
                for a in choices(form, Field::AType).into_iter().map(type_of) {
                    for b in choices(form, Field::BType).into_iter().map(type_of) {
                        let selector = sparse.then_some(if a.bits() == 8 { 0 } else { n / 8 % 2 });
                        let mut case = Case { selector, ..Case::new(n, [d, a, b]) };
                        if sparse {
                            case.k *= 2;
                        }
                        assert_eq!(case.k, k, "{}", shape.as_str());
                        case.place = if is_shared {
                            A::Shared { swizzle: 128, mn_major: false }
                        } else {
                            A::Registers
                        };
                        cases.push(case);
                    }
                }
            }
        }
    }
    assert!(cases.len() > 1000, "{}", cases.len());
    for case in testing::sample("shapes and types of wgmma", cases, 250) {
        case.check();
    }
}
