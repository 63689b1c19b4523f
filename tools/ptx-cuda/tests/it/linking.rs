//! `libnvJitLink.so`, by a program in C.

use std::fs;
use std::path::PathBuf;
use std::process::Output;

use crate::common::{TWICE, compile, libraries, run, succeeded, texts};

const HEAD: &str = ".version 8.0\n.target sm_80\n.address_size 64\n";

struct Linker {
    folder: tempfile::TempDir,
    program: PathBuf,
}

impl Linker {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let program = compile(folder.path(), "link", "nvJitLink");
        let linker = Self { folder, program };
        // The kernel adds by a function of another file.
        let caller = TWICE
            .replace(".visible .entry", ".extern .func (.reg .u32 r) sum(.reg .u32 x);\n.visible .entry")
            .replace("add.u32 %n1, %n1, %n1", "call (%n1), sum, (%n1)");
        linker.write("caller.ptx", &caller);
        linker.write(
            "callee.ptx",
            format!("{HEAD}.visible .func (.reg .u32 r) sum(.reg .u32 x) {{ add.u32 r, x, x; ret; }}\n"),
        );
        linker
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().unwrap().to_owned()
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        fs::write(self.path(name), text).unwrap();
    }

    /// Links files to `image`.
    fn link(&self, options: &[&str], files: &[&str]) -> Output {
        let mut arguments = vec![self.path("image")];
        arguments.extend(options.iter().map(|&option| option.to_owned()));
        arguments.extend(files.iter().map(|file| self.path(file)));
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        run(self.folder.path(), &[], &self.program, &arguments)
    }

    /// What linking prints that fails.
    fn refused(&self, options: &[&str], files: &[&str]) -> String {
        let output = self.link(options, files);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        texts(&output).0
    }

    /// Loads the image and launches the kernel.
    fn launch(&self) {
        let program = compile(self.folder.path(), "launch", "cuda");
        let output = run(self.folder.path(), &["--arch", "80"], program, &[&self.path("image")]);
        assert!(succeeded(&output).ends_with(": 2 4 6 8\n"), "{output:?}");
    }
}

#[test]
fn linked_files_are_loaded_by_the_driver() {
    let linker = Linker::new();
    let output = linker.link(&["-arch=sm_80", "-O3", "-lineinfo", "-verbose"], &["caller.ptx", "callee.ptx"]);
    let out = succeeded(&output);
    assert_eq!(out, "2 files are linked for sm_80: twice\nversion 12.2\n");
    linker.launch();
    // What was linked can be linked again, also with what ptxas wrote.
    fs::rename(linker.path("image"), linker.path("first")).unwrap();
    linker.write("unused.ptx", HEAD);
    succeeded(&linker.link(&["-arch=sm_80"], &["first", "unused.ptx"]));
    linker.launch();
}

#[test]
fn linked_files_as_ptx() {
    let linker = Linker::new();
    succeeded(&linker.link(&["-arch=sm_80", "-lto", "-ptx"], &["caller.ptx", "callee.ptx"]));
    let text = fs::read_to_string(linker.path("image")).unwrap();
    assert!(text.contains(".entry twice") && text.contains("sum"), "{text}");
    linker.launch();
}

#[test]
fn libraries_of_the_device_runtime_are_built_in() {
    let linker = Linker::new();
    linker.write("libcudadevrt.a", b"!<arch>\nwhatever");
    succeeded(&linker.link(&["-arch=sm_80"], &["caller.ptx", "callee.ptx", "libcudadevrt.a"]));
}

#[test]
fn nothing_is_linked_to_an_image_that_is_loaded() {
    let linker = Linker::new();
    succeeded(&linker.link(&["-arch=sm_80"], &[]));
    let program = compile(linker.folder.path(), "launch", "cuda");
    let output = run(linker.folder.path(), &["--arch", "80"], program, &[&linker.path("image")]);
    // The image is loaded, and has no kernel: CUDA_ERROR_NOT_FOUND.
    assert_eq!(texts(&output).0, "cuModuleGetFunction(&function, module, \"twice\"): 500\n");
}

#[test]
fn errors_are_in_the_log() {
    let linker = Linker::new();
    let out = linker.refused(&["-arch=sm_80"], &["caller.ptx"]);
    assert!(out.contains("__nvJitLinkComplete_12_9(handle): 6\n"), "{out}");
    assert!(
        out.contains("error   : Undefined reference to 'sum' in '") && out.contains("caller.ptx'\n"),
        "{out}"
    );
    assert!(out.contains("caller.ptx:13:") && out.contains("`sum` is declared and defined nowhere"), "{out}");
    linker.write("wrong.ptx", TWICE.replace("add.u32", "add.u33"));
    let out = linker.refused(&["-arch=sm_80"], &["wrong.ptx"]);
    assert!(out.contains(": 4\n") && out.contains("wrong.ptx:12:8: error[P0302]"), "{out}");
    let out = linker.refused(&["-arch=sm_75"], &["caller.ptx", "callee.ptx"]);
    assert!(out.contains("the module requires sm_80, but the device is sm_75"), "{out}");
    let out = linker.refused(&["-arch=sm_80"], &["callee.ptx", "callee.ptx"]);
    assert!(out.contains("callee.ptx:4:"), "{out}");
    assert!(linker.refused(&["-arch=sm_80"], &["none.ptx"]).contains("cannot read"));
    assert!(linker.refused(&["-arch=sm_80", "-lto"], &[]).contains("there is nothing to link"));
    for (options, result) in [
        (&["-arch=sm_80", "-nope"][..], 1),
        (&["-O3"], 2),
        (&["-arch=sm_81"], 16),
        (&["-arch=sm_80", "-ptx"], 11),
        (&["-arch=sm_XX"], 1),
    ] {
        assert!(linker.refused(options, &[]).contains(&format!(": {result}\n")), "{options:?}");
    }
}

#[test]
fn what_is_no_ptx_is_refused_with_the_way_out() {
    let linker = Linker::new();
    // The header of a cubin (190) that has no sections.
    let mut cubin = b"\x7fELF\x02\x01\x01".to_vec();
    cubin.resize(64, 0);
    cubin[18] = 190;
    for (name, bytes, message) in [
        ("k.cubin", &cubin[..], "-lineinfo"),
        ("k.ltoir", b"\xed\x43\x4e\x7f\x01\0\0\0", "without link-time optimization"),
        ("libk.a", b"!<arch>\n", "which are machine code"),
        ("empty", b"", "the image is empty"),
    ] {
        linker.write(name, bytes);
        let out = linker.refused(&["-arch=sm_80", "-lto"], &[name]);
        assert!(out.contains(message), "{name}: {out}");
    }
}

#[test]
fn all_names_are_exported() {
    // SAFETY: the library has no initializers, and its functions are not called.
    #[allow(unsafe_code)]
    let library = unsafe { libloading::Library::new(libraries().join("libnvJitLink.so")) }.unwrap();
    let functions = "Create Destroy AddData AddFile Complete GetLinkedCubinSize GetLinkedCubin GetLinkedPtxSize GetLinkedPtx GetLinkedLTOIRSize \
                     GetLinkedLTOIR GetErrorLogSize GetErrorLog GetInfoLogSize GetInfoLog";
    let versions: Vec<(u32, u32)> =
        (0..10).map(|minor| (12, minor)).chain((0..6).map(|minor| (13, minor))).collect();
    let mut names = vec!["nvJitLinkVersion".to_owned()];
    for function in functions.split_whitespace() {
        names.push(format!("nvJitLink{function}"));
        names.extend(versions.iter().map(|(major, minor)| format!("__nvJitLink{function}_{major}_{minor}")));
    }
    assert_eq!(names.len(), 256);
    for name in names {
        // SAFETY: as above.
        #[allow(unsafe_code)]
        let found = unsafe { library.get::<extern "C" fn()>(name.as_bytes()) };
        assert!(found.is_ok(), "{name}");
    }
}
