#!/bin/sh
# The first steps with the tools, mostly the commands of README.md: tools.sh PREFIX VERSION, in an empty folder, with the tools on PATH. The machine
# may have nothing but a shell and what the package depends on.
set -u
prefix=$1 version=$2
examples=$prefix/share/doc/ptx-llvm/examples
steps=0

fail() { printf 'FAILED: %s\n' "$*"; exit 1; }

# expect STATUS TEXT COMMAND..: the command ends with the status and prints the text.
expect() {
    status=$1 text=$2
    shift 2
    printed=$("$@" 2>&1 </dev/null)
    got=$?
    [ "$got" -eq "$status" ] || fail "$*: exit status $got instead of $status
$printed"
    case "$printed" in
        *"$text"*) ;;
        *) fail "$*: \`$text\` is not in
$printed" ;;
    esac
    steps=$((steps + 1))
}

for tool in ptx2ll ll2ptx ptxrun ptxdiff ptx-cuda ptx-lsp; do
    expect 0 "$tool $version" "$tool" --version
    expect 0 "$tool" "$tool" --help
done

# A kernel to LLVM IR, back, and executed; then again compiled for this machine.
expect 0 "" ptx2ll "$examples/scale.ptx" -o scale.ll
expect 0 "fmul float %f2, %factor" cat scale.ll
expect 0 "" ll2ptx -O2 scale.ll -o scale.O2.ptx
expect 0 ".visible .entry scale(" cat scale.O2.ptx
perl -e 'print pack "f<*", 1, 2, 3' >x.bin || fail "no numbers"
for engine in interp jit; do
    expect 0 "0:f32 = 0.5 1.0 1.5" \
        ptxrun --engine=$engine scale.O2.ptx --entry scale --grid 1 --block 3 --arg inout=x.bin:y.bin --arg f32=0.5 --print 0:f32
done
expect 0 "scale(.u64 p, .f32 factor)" ptxrun --list scale.O2.ptx

expect 1 "functions are the same" ptxdiff "$examples/scale.ptx" scale.O2.ptx
expect 0 "" ptxdiff "$examples/scale.ptx" "$examples/scale.ptx"
expect 0 "" ptx2ll "$examples/scale.ptx" --view scale.html
expect 0 "mul.rn.f32" cat scale.html
expect 0 "__ptx_counters" ptx2ll --instrument=blocks --emit=ptx "$examples/scale.ptx"

# Wrong input, wrong use, and a kernel that goes wrong.
expect 1 "error[P0303]: \`mul.u32\` needs the part of the product to keep" ptx2ll "$examples/wrong.ptx"
expect 1 "missing.ptx" ptx2ll missing.ptx
expect 1 "error" ll2ptx x.bin -o wrong.ptx
expect 2 "--nope" ptx2ll --nope
expect 2 "--nope" ptxrun --nope
expect 3 "out of bounds" ptxrun scale.O2.ptx --entry scale --grid 1 --block 4 --arg inout=x.bin:y.bin --arg f32=0.5
expect 0 "A name that is not declared" ptx2ll --explain P0201

# A kernel compiled ahead of time.
expect 0 "" ptx2ll --target=host --block 128 --block 256 "$examples/saxpy.ptx" -o saxpy.o
expect 0 "PtxHostStatus saxpy(" cat saxpy.h

# The launcher of programs for CUDA finds its libraries.
expect 0 "it runs" ptx-cuda run -- echo "it runs"
expect 0 "LD_LIBRARY_PATH" ptx-cuda env
expect 127 "no-such-program" ptx-cuda run -- no-such-program
expect 2 "--nope" ptx-cuda run --nope -- true
expect 0 "" ptx-cuda ptxas -arch=sm_80 "$examples/scale.ptx" -o scale.cubin
expect 255 "wrong.ptx" ptx-cuda ptxas -arch=sm_80 "$examples/wrong.ptx" -o wrong.cubin

# An editor asks the language server.
message() { printf 'Content-Length: %s\r\n\r\n%s' "${#1}" "$1"; }
answers=$({
    message '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}'
    message '{"jsonrpc":"2.0","method":"initialized","params":{}}'
    message '{"jsonrpc":"2.0","id":2,"method":"shutdown"}'
    message '{"jsonrpc":"2.0","method":"exit"}'
} | ptx-lsp) || fail "ptx-lsp: exit status $?"
case "$answers" in
    *'"capabilities"'*'"id":2'*) steps=$((steps + 1)) ;;
    *) fail "ptx-lsp answers $answers" ;;
esac

# Completions are for the shell that this is, manual pages are there.
for tool in ptx2ll ll2ptx ptxrun ptxdiff ptx-cuda ptx-lsp; do
    expect 0 "-F _" bash -c 'source "$0" && complete -p "$1"' "$prefix/share/bash-completion/completions/$tool" "$tool"
    expect 0 "--version" bash -c 'source "$0" && COMP_WORDS=("$1" --ver) COMP_CWORD=1
        $(complete -p "$1" | sed "s/.*-F \([^ ]*\).*/\1/") "$1" --ver "$1" && echo "${COMPREPLY[@]}"' \
        "$prefix/share/bash-completion/completions/$tool" "$tool"
    expect 0 ".TH" sh -c 'if [ -f "$0.gz" ]; then gzip -dc "$0.gz"; else cat "$0"; fi' "$prefix/share/man/man1/$tool.1"
done
printf '%s steps with the tools of %s\n' "$steps" "$prefix"
