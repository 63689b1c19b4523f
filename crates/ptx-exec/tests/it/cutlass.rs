//! Kernels of CUTLASS as `GemmUniversalAdapter` launches them: each `.ptx` here is of the `.cu` beside it, and each `.json` has what the `.cu`
//! prints as a program of the host, by the commands at its head: the grid, and the bytes of CUTLASS's parameters with the places of addresses and
//! tensor maps in them. Elements are small integers, so that sums are exact, and are compared with those of a plain loop.

mod products;

use ptx_diag::SourceFile;
use ptx_exec::{Completion, Launch, run};

use products::{Product, f16, f32, launch, matrix, narrow, product};

/// Ways in which asynchronous operations complete.
const WAYS: [Completion; 4] =
    [Completion::Eager, Completion::Late, Completion::Random(1), Completion::Random(2)];

/// What the five buffers hold after a launch.
fn outcome(text: &str, launch: &Launch, completion: Completion) -> Vec<Vec<u8>> {
    let source = SourceFile::new("universal.ptx", text.to_owned());
    let (module, findings) = ptx_syntax::parse(&source);
    assert!(!findings.has_errors(), "{findings:?}");
    let (verified, _) = ptx_verify::verify(&module).unwrap_or_else(|findings| panic!("{findings:?}"));
    let launch = Launch { completion, ..launch.clone() };
    let outcome = run(verified, &launch).unwrap_or_else(|error| panic!("{completion:?}: {error:?}"));
    outcome.buffers.into_iter().flatten().collect()
}

/// Executes a kernel in every way and compares D, its fourth buffer.
fn check(text: &str, launch: &Launch, expected: &[u8]) {
    for completion in WAYS {
        let found = &outcome(text, launch, completion)[3];
        let wrong = found.iter().zip(expected).position(|(found, expected)| found != expected);
        assert_eq!((found.len(), wrong), (expected.len(), None), "{}, {completion:?}", launch.entry);
    }
}

fn check_product((text, launch, expected): Product) {
    check(text, &launch, &expected);
}

mod sm90 {
    use super::*;

    const TEXT: &str = products::SM90[0];
    const LAUNCHES: &str = products::SM90[1];

    #[test]
    fn ping_pong() {
        check_product(products::ping_pong());
    }

    #[test]
    fn cooperative() {
        check_product(products::cooperative());
    }

    /// One kernel finds what there is of A, and where; the other multiplies with it.
    #[test]
    fn sparse() {
        const TEXT: &str = include_str!("cutlass/sparse90.ptx");
        const LAUNCHES: &str = include_str!("cutlass/sparse90.json");
        let size @ [m, n, k] = [256, 128, 256];
        let (mut a, b, c) = (matrix(m, k, 1), matrix(n, k, 2), matrix(m, n, 3));
        const PAIRS: [[usize; 2]; 6] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
        for (at, element) in a.iter_mut().enumerate() {
            if !PAIRS[(at / 4 * 5 + at / k) % 6].contains(&(at % 4)) {
                *element = 0;
            }
        }
        let compress = [f16(&a), vec![0; 64], vec![0; 64], vec![0xff; m * k], vec![0xff; m * k / 8]];
        let mut left = outcome(TEXT, &launch(LAUNCHES, "compress", compress), Completion::Eager);
        let (metadata, kept) = (left.remove(4), left.remove(3));
        let buffers = [kept, f16(&b), f32(&c), vec![0xff; m * n * 4], metadata];
        check(TEXT, &launch(LAUNCHES, "sparse", buffers), &f32(&product([&a, &b, &c], size, [1, 1])));
    }

    /// Values of eight bits in two formats.
    #[test]
    fn narrow_values() {
        let size @ [m, n, k] = [128, 128, 256];
        let (a, b, c) = (matrix(m, k, 7), matrix(n, k, 8), matrix(m, n, 9));
        let factors = [narrow(&a, [0, 0x38, 0x40, 0x44]), narrow(&b, [0, 0x3c, 0x40, 0x42])];
        let [a_bytes, b_bytes] = factors;
        let buffers = [a_bytes, b_bytes, f32(&c), vec![0xff; m * n * 4], vec![0; 64]];
        check(TEXT, &launch(LAUNCHES, "narrow", buffers), &f32(&product([&a, &b, &c], size, [2, 0])));
    }
}

mod sm120 {
    use super::*;

    /// Values of eight bits in two formats; warps take turns.
    #[test]
    fn narrow_values() {
        let size @ [m, n, k] = [128, 192, 256];
        let (a, b, c) = (matrix(m, k, 1), matrix(n, k, 2), matrix(m, n, 3));
        let factors = [narrow(&a, [0, 0x38, 0x40, 0x44]), narrow(&b, [0, 0x3c, 0x40, 0x42])];
        let [a_bytes, b_bytes] = factors;
        let buffers = [a_bytes, b_bytes, f32(&c), vec![0xff; m * n * 4], vec![0; 64]];
        let launch = launch(include_str!("cutlass/universal120.json"), "narrow", buffers);
        check(include_str!("cutlass/universal120.ptx"), &launch, &f32(&product([&a, &b, &c], size, [1, 2])));
    }
}

mod sm80 {
    use super::*;

    const TEXT: &str = include_str!("cutlass/universal80.ptx");
    const LAUNCHES: &str = include_str!("cutlass/universal80.json");

    /// Half of K each is with two blocks, of which one waits for the other.
    #[test]
    fn split_along_k() {
        let size @ [m, n, k] = [128, 192, 160];
        let (a, b, c) = (matrix(m, k, 1), matrix(n, k, 2), matrix(m, n, 3));
        let buffers = [f16(&a), f16(&b), f32(&c), vec![0xff; m * n * 4], vec![0; 64]];
        check(TEXT, &launch(LAUNCHES, "dense", buffers), &f32(&product([&a, &b, &c], size, [1, 2])));
    }

    /// Two of four neighbours are kept of each row of A. Metadata are in the order that CUTLASS has for `ldmatrix`: 16 bits are about
    /// 16 columns, pairs of them follow each other down the rows, and of 32 rows eight times four that are eight apart are neighbours.
    #[test]
    fn sparse() {
        let size @ [m, n, k] = [128, 128, 128];
        const PAIRS: [[usize; 2]; 6] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
        let pair = |row: usize, chunk: usize| PAIRS[(row * 5 + chunk * 7 + row / 8) % 6];
        let kept = matrix(m, k / 2, 4);
        let (mut a, mut metadata) = (vec![0; m * k], vec![0u16; m * k / 16]);
        for row in 0..m {
            for chunk in 0..k / 4 {
                let [first, second] = pair(row, chunk);
                a[row * k + chunk * 4 + first] = kept[row * k / 2 + chunk * 2];
                a[row * k + chunk * 4 + second] = kept[row * k / 2 + chunk * 2 + 1];
                let (mut line, mut column) = (row / 32 * 32 + row % 8 * 4 + row % 32 / 8, chunk / 4);
                // The two by two that are off their diagonal change places.
                match (line % 2, column % 2) {
                    (0, 1) => (line, column) = (line + 1, column - 1),
                    (1, 0) => (line, column) = (line - 1, column + 1),
                    _ => {}
                }
                let at = column / 2 * m * 2 + line * 2 + column % 2;
                metadata[at] |= ((first | second << 2) << (chunk % 4 * 4)) as u16;
            }
        }
        let (b, c) = (matrix(n, k, 5), matrix(m, n, 6));
        let metadata = metadata.into_iter().flat_map(u16::to_le_bytes).collect();
        let buffers = [f16(&kept), f16(&b), f32(&c), vec![0xff; m * n * 4], metadata];
        check(TEXT, &launch(LAUNCHES, "sparse", buffers), &f32(&product([&a, &b, &c], size, [1, 1])));
    }
}

mod sm100 {
    use super::*;

    #[test]
    fn blocks_alone() {
        check_product(products::blocks_alone());
    }

    #[test]
    fn pairs_of_blocks() {
        check_product(products::pairs_of_blocks());
    }
}
