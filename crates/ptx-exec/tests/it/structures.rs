//! Parameters and buffers with addresses and tensor maps in them. What is expected follows from the kernels, which are a few lines each.

use crate::common;
use ptx_exec::tensormap::{ElementType, Tensor};
use ptx_exec::{Argument, Content, ExecError, Launch, Outcome, Relocation, TensorMap};

/// `struct { u64 to; u32 count; u64 list; }`: stores the sum of the numbers that the addresses of the list point to.
const SUM: &str = ".version 8.0\n.target sm_80\n.address_size 64\n
.visible .entry k(.param .align 8 .b8 s[24])
{
    .reg .pred %p; .reg .b32 %n, %v, %sum; .reg .b64 %to, %list, %a;
    ld.param.u64 %to, [s]; ld.param.u32 %n, [s+8]; ld.param.u64 %list, [s+16];
    mov.u32 %sum, 0;
next:
    ld.global.u64 %a, [%list];
    ld.global.u32 %v, [%a];
    add.u32 %sum, %sum, %v;
    add.u64 %list, %list, 8;
    sub.u32 %n, %n, 1;
    setp.ne.u32 %p, %n, 0;
    @%p bra next;
    st.global.u32 [%to], %sum;
    ret;
}
";

fn address(inside: usize, offset: usize, buffer: usize, at: u64) -> Relocation {
    Relocation { inside, offset, content: Content::Address { buffer, offset: at } }
}

/// Buffers `a`, `b` and so on.
fn named<const N: usize>(buffers: [Vec<u8>; N]) -> Vec<(String, Vec<u8>)> {
    ["a", "b", "c"].into_iter().map(str::to_owned).zip(buffers).collect()
}

/// A structure of 24 bytes with a count of 3; buffer 1 has the result, 2 the list, 3 the numbers.
fn sum() -> Launch {
    let mut structure = vec![0; 24];
    structure[8] = 3;
    let numbers = [100u32, 20, 3, 4000].map(u32::to_le_bytes).concat();
    Launch {
        arguments: vec![Argument::Bytes(structure)],
        buffers: named([vec![0; 4], vec![0; 24], numbers]),
        relocations: vec![
            address(0, 0, 1, 0),
            address(0, 16, 2, 0),
            address(2, 0, 3, 4),
            address(2, 8, 3, 12),
            address(2, 16, 3, 4),
        ],
        ..Launch::new("k")
    }
}

fn run(text: &str, launch: &Launch) -> Outcome {
    common::execute(text, launch).unwrap_or_else(|error| panic!("{error:?}"))
}

#[test]
fn structures_and_buffers_have_addresses_in_them() {
    let outcome = run(SUM, &sum());
    let found: Vec<Option<usize>> =
        outcome.buffers.iter().map(|buffer| buffer.as_ref().map(Vec::len)).collect();
    assert_eq!(found, [None, Some(4), Some(24), Some(16)]);
    assert_eq!(outcome.buffers[1], Some((20u32 + 4000 + 20).to_le_bytes().to_vec()));
    // The list has the addresses of the buffer of the numbers, which is the third one.
    let base = Argument::buffer_address(2);
    let list = [base + 4, base + 12, base + 4].map(u64::to_le_bytes).concat();
    assert_eq!(outcome.buffers[2], Some(list));
}

#[test]
fn addresses_of_32_bits_take_four_bytes() {
    let narrow = [
        (".address_size 64", ".address_size 32"),
        (".reg .b64", ".reg .b32"),
        ("ld.param.u64", "ld.param.u32"),
        ("ld.global.u64", "ld.global.u32"),
        ("add.u64 %list, %list, 8", "add.u32 %list, %list, 4"),
    ];
    let text = narrow.iter().fold(SUM.to_owned(), |text, (wide, narrow)| text.replace(wide, narrow));
    let mut launch = sum();
    for relocation in &mut launch.relocations {
        if relocation.inside == 2 {
            relocation.offset /= 2;
        }
    }
    let outcome = run(&text, &launch);
    assert_eq!(outcome.buffers[1], Some((20u32 + 4000 + 20).to_le_bytes().to_vec()));
}

#[test]
fn a_fault_names_the_buffer() {
    let mut launch = sum();
    launch.relocations[3] = address(2, 8, 3, 16);
    let Err(ExecError::Trap(trap)) = common::execute(SUM, &launch) else { panic!("it was not stopped") };
    assert_eq!(trap.object.as_deref(), Some("offset 16 of buffer `c`, which has 16 bytes"));
}

/// `struct { u64 to; TensorMap map at 64; }`: copies a row of 16 bytes.
const ROW: &str = ".version 8.6\n.target sm_100\n.address_size 64\n
.visible .entry k(.param .align 64 .b8 s[192], .param .u32 row)
{
    .reg .pred %p; .reg .b32 %s, %r; .reg .b64 %m, %to, %state;
    .shared .align 128 .b8 tile[16]; .shared .b64 bar;
    mov.b64 %m, s; cvta.param.u64 %m, %m; add.u64 %m, %m, 64;
    ld.param.u64 %to, [s]; ld.param.u32 %r, [row]; mov.b32 %s, tile;
    mbarrier.init.shared.b64 [bar], 1;
    mbarrier.arrive.expect_tx.shared.b64 %state, [bar], 16;
    cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [%s], [%m, {0, %r}], [bar];
wait:
    mbarrier.test_wait.shared.b64 %p, [bar], %state;
    @!%p bra wait;
    cp.async.bulk.global.shared::cta.bulk_group [%to], [%s], 16;
    cp.async.bulk.commit_group;
    cp.async.bulk.wait_group 0;
    ret;
}
";

#[test]
fn structures_have_tensor_maps_in_them() {
    // Five rows of 16 bytes, 16 bytes after the start of their buffer.
    let tensor = Tensor::new(ElementType::U8, 16, &[16, 5], &[16]);
    let map = TensorMap::tiled(&tensor, &[16, 1]).unwrap();
    let launch = Launch {
        arguments: vec![Argument::Bytes(vec![0; 192]), Argument::Bytes(3u32.to_le_bytes().to_vec())],
        buffers: named([vec![0; 16], (0..96).collect()]),
        relocations: vec![
            address(0, 0, 2, 0),
            Relocation { inside: 0, offset: 64, content: Content::Tensor { map, buffer: 3 } },
        ],
        ..Launch::new("k")
    };
    let row: Vec<u8> = (64..80).collect();
    assert_eq!(run(ROW, &launch).buffers[2], Some(row));
}

#[test]
fn places_that_there_cannot_be_are_refused() {
    let wrong = |relocation: Relocation, wanted: &str| {
        let mut launch = sum();
        launch.relocations = vec![relocation];
        match common::execute(SUM, &launch) {
            Err(ExecError::Refused(findings)) => {
                let finding = findings.iter().next().unwrap();
                assert_eq!((finding.code.0, finding.message.as_str()), ("X0003", wanted));
            }
            other => panic!("{other:?}"),
        }
    };
    let map = TensorMap::tiled(&Tensor::new(ElementType::U8, 0, &[16], &[]), &[16]).unwrap();
    wrong(address(0, 17, 1, 0), "argument 0 has 24 bytes, and is to have an address of 8 bytes at byte 17");
    wrong(
        address(2, usize::MAX, 1, 0),
        "buffer `b` has 24 bytes, and is to have an address of 8 bytes at byte 18446744073709551615",
    );
    wrong(
        Relocation { inside: 0, offset: 0, content: Content::Tensor { map, buffer: 1 } },
        "argument 0 has 24 bytes, and is to have a tensor map of 128 bytes at byte 0",
    );
    wrong(address(4, 0, 1, 0), "buffer 3 is to have an address in it, and is neither bytes nor a buffer");
    wrong(address(0, 0, 0, 0), "argument 0 is to have an address of argument 0 in it, which is not a buffer");
    wrong(address(0, 0, 9, 0), "argument 0 is to have an address of buffer 8 in it, which is not a buffer");
}
