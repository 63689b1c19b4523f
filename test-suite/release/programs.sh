#!/bin/sh
# First programs with what is installed: programs.sh PREFIX SOURCES KIND.., in an empty folder. A kind needs the program that it is named after: `gcc`, `groff`,
# `python3`. SOURCES has the programs of the documents and what they print.
set -u
prefix=$1 sources=$2
shift 2
examples=$prefix/share/doc/ptx-llvm/examples

fail() { printf 'FAILED: %s\n' "$*"; exit 1; }

# expect FILE COMMAND..: the command succeeds and prints the file's text, with addresses left out.
expect() {
    file=$1
    shift
    "$@" >printed 2>&1 </dev/null || fail "$*: exit status $?
$(cat printed)"
    sed 's/0x[0-9a-f]\{4,\}/ADDRESS/g; s/ \(ADDRESS\)/ \1/' printed >compared
    cmp -s "$file" compared || fail "$*: instead of
$(cat "$file")
it prints
$(cat compared)"
}

compile() { "$@" >printed 2>&1 || fail "$*
$(cat printed)"; }

c_programs() {
    # With libptx_exec, by its pkg-config file.
    [ "$prefix" = /usr ] || export PKG_CONFIG_PATH="$prefix/lib/pkgconfig" LD_LIBRARY_PATH="$prefix/lib"
    compile gcc "$sources/square.c" $(pkg-config --cflags --libs ptx_exec) -o square
    expect "$sources/square.txt" ./square
    # With a kernel compiled ahead of time.
    compile ptx2ll --target=host --block 128 --block 256 "$examples/saxpy.ptx" -o saxpy.o
    cp "$sources/saxpy_main.c" .
    compile gcc saxpy_main.c saxpy.o $(pkg-config --cflags --libs-only-L ptx_exec) -lptx_host_rt -lm -lpthread -ldl -o saxpy
    expect "$sources/saxpy.txt" ./saxpy
    # With the CUDA driver.
    compile ptx-cuda run -- gcc "$sources/launch.c" -lcuda -o launch
    ptx-cuda run --memory 512M -- ./launch "$sources/twice.ptx" >printed 2>&1 || fail "launch: $(cat printed)"
    grep -q '^1 devices of 9.0, 536870912 bytes, .*: 2 4 6 8$' printed || fail "launch prints $(cat printed)"
    ptx-cuda run -- ./launch missing.ptx >printed 2>&1
    [ $? -eq 4 ] && grep -q '^cuModuleLoad.*: 301$' printed || fail "launch without a file: $(cat printed)"
    ./launch "$sources/twice.ptx" >printed 2>&1 && fail "launch finds a CUDA driver without ptx-cuda run"
    printf 'programs in C with libptx_exec, libptx_host_rt and libcuda\n'
}

manual_pages() {
    for tool in ptx2ll ll2ptx ptxrun ptxdiff ptx-cuda ptx-lsp; do
        page=$prefix/share/man/man1/$tool.1
        if [ -f "$page.gz" ]; then gzip -dc "$page.gz"; else cat "$page"; fi >page.1
        groff -man -Tascii -P -cbou page.1 >page.txt 2>warnings || fail "groff rejects $page"
        # It warns so of a long word at the end of a line.
        ! grep -v 'cannot adjust line' warnings >others && grep -q SYNOPSIS page.txt || fail "$page: $(cat others)"
    done
    printf 'manual pages\n'
}

python_program() {
    PYTHONPATH=$sources/python expect "$sources/first.txt" python3 -B "$sources/first.py"
    printf 'a program in Python\n'
}

for kind; do
    case "$kind" in
        gcc) c_programs ;;
        groff) manual_pages ;;
        python3) python_program ;;
        *) fail "no programs of the kind $kind" ;;
    esac
done
