use std::path::Path;

use super::*;

/// Three numbers and one that is doubled, the double within bounds, and a NaN of any bits.
const TEXT: &str = "\
// RUN: exec
// LAUNCH: entry=k grid=2 block=4 shared=16
// ARG: u32 = 0x01020304
// ARG: out y u32[2]
// ARG: out z f32[2]
// WANT: y = 7 9
// WANT: z = 2.0 nan rtol=0.1
// LAUNCH: entry=k
// ARG: u32 = 1
// WANT: fault X0101
.version 8.0
.target sm_90a
.address_size 64
.visible .entry k(.param .u32 a, .param .u64 y, .param .u64 z)
{
    .reg .b64 %y, %z;
    ld.param.u64 %y, [y];
    ld.param.u64 %z, [z];
    st.global.v2.u32 [%y], {7, 9};
    st.global.v2.b32 [%z], {0x40000000, 0x7fffffff};
    ret;
}
";

fn case(text: &str) -> Case {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("k.ptx");
    std::fs::write(&path, text).unwrap();
    Case::read(folder.path(), &path).unwrap()
}

fn device() -> Device {
    Device { device: "a GPU".to_owned(), capability: (9, 0), driver: 13000 }
}

fn output(job: &Job, y: &str, z: &str) -> Output {
    let buffers = vec![None, Some(y.to_owned()), Some(z.to_owned())];
    let (name, digest) = (job.name.clone(), job.digest.clone());
    Output { name, digest, launch: 0, buffers, printed: String::new(), error: None, same: false }
}

/// 7 and 9; 2.0 and a NaN, little-endian.
const Y: &str = "0700000009000000";
const Z: &str = "00000040ffffff7f";

#[test]
fn a_job_has_the_launches_that_finish_with_their_arguments_as_bytes() {
    let job = job(&case(TEXT)).unwrap().unwrap();
    assert_eq!((job.name.as_str(), job.sm, job.variant.as_str()), ("k.ptx", 90, "a"));
    let [launch] = job.launches.as_slice() else { panic!("{:?}", job.launches) };
    assert_eq!((launch.grid, launch.block, launch.shared, launch.cluster), ([2, 1, 1], [4, 1, 1], 16, None));
    let poison = "a5".repeat(8);
    let arguments = [(false, "04030201".to_owned()), (true, poison.clone()), (true, poison)];
    assert_eq!(launch.arguments, arguments);
    assert!(job.ptx.contains(".visible .entry k"));
}

#[test]
fn what_a_gpu_cannot_be_asked_is_left_out() {
    let delayed = TEXT.replace("shared=16", "async=late");
    assert!(job(&case(&delayed)).unwrap().is_err());
    assert!(job(&case("// RUN: parse\n.version 8.0\n.target sm_80\n")).unwrap().is_err());
}

#[test]
fn a_digest_follows_text_and_inputs_but_not_comments() {
    let of = |text: &str| job(&case(text)).unwrap().unwrap().digest;
    assert_eq!(of(TEXT), of(&format!("// more\n{TEXT}")));
    assert_ne!(of(TEXT), of(&TEXT.replace("{7, 9}", "{7, 8}")));
    assert_ne!(of(TEXT), of(&TEXT.replace("0x01020304", "1")));
}

#[test]
fn only_what_the_case_expects_is_recorded() {
    let case = case(TEXT);
    let job = job(&case).unwrap().unwrap();
    let record = |output: Output| record(&case, &job, &device(), &[output]);
    assert!(record(output(&job, Y, Z)).is_ok());
    assert!(record(output(&job, Y, "cdcc0440ffffff7f")).is_ok(), "2.075 is within the bounds of 2");
    assert!(record(output(&job, "0700000008000000", Z)).is_err(), "a wrong bit");
    assert!(record(output(&job, Y, "00008040ffffff7f")).is_err(), "4 instead of 2");
    assert!(record(output(&job, Y, "0000004000000000")).is_err(), "no NaN");
    assert!(record(output(&job, "07000000", Z)).is_err(), "half of it");
    assert!(record(Output { digest: String::new(), ..output(&job, Y, Z) }).is_err(), "of another text");
    assert!(record(Output { error: Some("CUDA_ERROR".to_owned()), ..output(&job, Y, Z) }).is_err());
    assert!(record(Output { launch: 1, ..output(&job, Y, Z) }).is_err(), "nothing of launch 0");
    assert!(record(Output { buffers: vec![None], ..output(&job, Y, Z) }).is_err(), "buffers are missing");
}

#[test]
fn a_recording_is_read_back_and_holds_the_interpreter_to_it() {
    let case = case(TEXT);
    let job = job(&case).unwrap().unwrap();
    let recording = record(&case, &job, &device(), &[output(&job, Y, "cdcc0440ffffff7f")]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = recording.path(folder.path(), "exec/k.ptx");
    assert!(path.ends_with(Path::new("sm_90/exec/k.ptx.json")));
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, serde_json::to_string(&recording).unwrap()).unwrap();
    let read = recordings(folder.path()).unwrap();
    assert_eq!(read, [("exec/k.ptx".to_owned(), "sm_90".to_owned(), recording.clone())]);
    recording.compare(&case).unwrap();
    for (buffer, bytes) in [("y", "0700000008000000"), ("z", "00000041ffffff7f"), ("z", "0000")] {
        let mut wrong = recording.clone();
        wrong.launches.get_mut(&0).unwrap().insert(buffer.to_owned(), bytes.to_owned());
        let error = format!("{:#}", wrong.compare(&case).unwrap_err());
        assert!(bytes == "0000" || error.contains("is not as on a GPU"), "{error}");
    }
    assert_eq!(recordings(Path::new("no such folder")).unwrap(), []);
}

#[test]
fn long_buffers_are_recorded_as_a_hash_or_in_part() {
    let long = "// RUN: exec\n// LAUNCH: entry=k\n// ARG: out e u8[100]\n// ARG: out n f32[300]\n// WANT: e = 100*0\n\
                // WANT: n = 300*0 atol=1\n.target sm_80\n";
    let found = case(long);
    let [exact, near] = found.directives.launches[0].arguments.as_slice() else { panic!() };
    let kept = recorded(exact, &[0; 100]);
    // FNV-1a of a hundred zeros is the offset basis times the prime to the power of a hundred, modulo 2^64: Python's
    // 0xcbf29ce484222325 * pow(0x100000001b3, 100, 2**64) % 2**64.
    assert_eq!(kept, HUNDRED_ZEROS);
    assert!(agree(exact, &kept, &[0; 100]).is_ok() && agree(exact, &kept, &[1; 100]).is_err());
    let kept = recorded(near, &[0; 1200]);
    assert_eq!(kept, "00".repeat(1024));
    // 1.5 is within twice the bounds of what is recorded, 2.5 is not.
    let other = |value: f32| value.to_le_bytes().repeat(300);
    assert!(agree(near, &kept, &other(1.5)).is_ok() && agree(near, &kept, &other(2.5)).is_err());
}

const HUNDRED_ZEROS: &str = "fnv1a64:1fc05eb337858375";

#[test]
fn lines_of_blocks_are_compared_in_any_order() {
    assert_eq!(in_order("b\na\n", "a\nb\n"), "a\nb\n");
    assert_eq!(in_order("b\nc\n", "a\nb\n"), "b\nc\n");
}

#[test]
fn generated_programs_that_left_something_else_are_told_by_the_first_word() {
    let amount = Amount { seed: 1, kernels: 3, programs: 2, mnemonics: 1, operands: 4 };
    let jobs = jobs(amount, 90).unwrap();
    assert!(jobs.iter().any(|job| job.name.starts_with("instructions/")));
    assert!(jobs.iter().any(|job| job.name.starts_with("programs/")));
    let job = &jobs[0];
    let output = |buffers, same| Output {
        name: job.name.clone(),
        digest: job.digest.clone(),
        launch: 0,
        buffers,
        printed: String::new(),
        error: None,
        same,
    };
    let mut wrong: Vec<Option<String>> = job.launches[0].wanted.clone();
    let last = wrong.last_mut().unwrap().as_mut().unwrap();
    let digit = if last.ends_with('0') { "1" } else { "0" };
    last.replace_range(last.len() - 1.., digit);
    let outputs = [output(Vec::new(), true), output(wrong, false)];
    let (differing, same) = differences(&jobs, &outputs).unwrap();
    assert_eq!((differing.len(), same), (1, 1));
    assert!(differing[0].contains("1 bytes differ"), "{differing:?}");
}

#[test]
fn raised_programs_have_the_launches_of_the_written_ones() {
    let amount = Amount { seed: 1, kernels: 0, programs: 1, mnemonics: 1, operands: 2 };
    let job = jobs(amount, 90).unwrap().remove(0);
    let raised = job.clone().through_llvm(Level::O2).unwrap();
    assert!(raised.ptx != job.ptx && raised.launches == job.launches && raised.digest == job.digest);
}
