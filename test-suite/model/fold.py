#!/usr/bin/env python3
"""Holds a transcript of executed instructions against what ptxas computes of the same constants.

    cargo xtask differential --transcript --operands 12 --mnemonics 40 [OPCODE..] | fold.py FOLDER [--arch sm_90]

FOLDER holds ptxas and nvdisasm.  `ptxas -O3` computes many instructions whose operands are constants itself, as its machine
code shows: a store of a constant, or of a sum of constants and carries, which is added up here.  Each execution becomes a block that gives its registers their values, executes the
instruction and stores the results; where the machine code stores something else than a constant, the execution does not count.
Printed are the executions that ptxas computes otherwise, and a last line with how many were folded.

With --listing the file is nvdisasm's listing of a module; printed are the bytes that its kernel is seen to store as constants where its
first parameter points, `OFFSET BYTE` a line.
"""

import argparse
import collections
import os
import re
import struct
import subprocess
import sys
import tempfile

BLOCKS = 64
SHOWN = 3
BITS = {"pred": 1, "f16x2": 32, "bf16x2": 32, "f32x2": 64, "tf32": 32, "f16": 16, "bf16": 16, "u16x2": 32, "s16x2": 32,
        "u8x4": 32, "s8x4": 32}


def bits(ty):
    return BITS.get(ty) or int(re.match(r"[a-z]+(\d+)", ty).group(1))


def block(text, names, types, before, results, first):
    """One execution; result `n` goes to the n-th 8 bytes."""
    lines = ["{"]
    for name, value in zip(names, before):
        ty, size = types[name], bits(types[name])
        lines.append(".reg .%s %s;" % (ty, name))
        if size == 1:
            lines.append("mov.pred %s, %d;" % (name, -value))
        elif ty == "f32":
            lines.append("mov.f32 %s, 0f%08X;" % (name, value))
        elif ty == "f64":
            lines.append("mov.f64 %s, 0d%016X;" % (name, value))
        else:
            lines.append("mov.b%d %s, %#x;" % (size, name, value))
    lines.append(text if text.endswith(";") else text + ";")
    for n, name in enumerate(results):
        at, size = 8 * (first + n), bits(types[name])
        if size == 1:
            lines.append("selp.u32 %%fold_bit, 1, 0, %s;" % name)
            lines.append("st.volatile.global.u32 [%%fold_out+%d], %%fold_bit;" % at)
        else:
            lines.append("st.volatile.global.b%d [%%fold_out+%d], %s;" % (size, at, name))
    return "\n".join(lines + ["}"])


def assemble(folder, arch, version, blocks):
    """The disassembly of a kernel of these blocks; nothing when ptxas refuses it."""
    head = [".version " + version, ".target " + arch, ".address_size 64", ".visible .entry k(.param .u64 out)", "{",
            ".reg .b64 %fold_out;", ".reg .b32 %fold_bit;", "ld.param.u64 %fold_out, [out];",
            "cvta.to.global.u64 %fold_out, %fold_out;"]
    with tempfile.TemporaryDirectory() as work:
        source, code = os.path.join(work, "k.ptx"), os.path.join(work, "k.cubin")
        with open(source, "w") as file:
            file.write("\n".join(head + blocks + ["ret;", "}", ""]))
        command = [os.path.join(folder, "ptxas"), "-O3", "-w", "-arch=" + arch, source, "-o", code]
        if subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode:
            return None
        return subprocess.run([os.path.join(folder, "nvdisasm"), "-c", code], stdout=subprocess.PIPE, text=True).stdout


def literal(text):
    if text in ("RZ", "URZ"):
        return 0
    match = re.fullmatch(r"(-?)(0x[0-9a-f]+|\d+)", text)
    return int(text, 0) & 0xFFFFFFFF if match else None


def half(text):
    """An operand of the HFMA2 that loads two halves at once."""
    text = text.replace("-RZ", "-0").replace("RZ", "0")
    try:
        return struct.unpack("<H", struct.pack("<e", float(text)))[0] if "NAN" not in text else None
    except (ValueError, OverflowError):
        return None


PREDICATE = re.compile(r"U?P[0-9T]$")
ALL_ONES = (1 << 32) - 1


def permute(low, selection, high):
    """PRMT: four bytes of eight, or their signs."""
    result = 0
    for k in range(4):
        chosen = selection >> 4 * k & 15
        byte = (high << 32 | low) >> 8 * (chosen & 7) & 0xFF
        if chosen & 8:
            byte = 0xFF if byte & 0x80 else 0
        result |= byte << 8 * k
    return result


def looked_up(a, b, c, table):
    """LOP3: each bit is one of the table."""
    bit = lambda k: table >> (((a >> k & 1) << 2) | ((b >> k & 1) << 1) | (c >> k & 1)) & 1
    return sum(bit(k) << k for k in range(32))


class Machine:
    """What registers and predicates hold in straight code; `None` is not known."""

    def __init__(self):
        self.registers, self.predicates = {}, {}

    def get(self, text):
        """An operand; `~` and `-` of it are 32 bits."""
        if text[0] in "~-" and not text[1:2].isdigit():
            value = self.get(text[1:])
            return None if value is None else (~value if text[0] == "~" else -value) & ALL_ONES
        value = literal(text)
        return self.registers.get(text) if value is None else value

    def flag(self, text):
        if text.startswith("!"):
            value = self.flag(text[1:])
            return None if value is None else 1 - value
        return 1 if text in ("PT", "UPT") else self.predicates.get(text)

    def sum(self, opcode, operands):
        """The sum that IADD3 and IADD3.X are, and its carry. `-b` is `~b + 1` with the carry of both."""
        total, extended = 0, opcode.endswith(".X")
        for text in operands[:3]:
            negated = text.startswith("-") and not text[1:2].isdigit()
            value = self.get("~" + text[1:] if negated else text)
            if value is None:
                return None, None
            total += value + negated
        for text in operands[3:] if extended else []:
            flag = self.flag(text)
            if flag is None:
                return None, None
            total += flag
        return total & ALL_ONES, total >> 32

    def plain(self, opcode, sources):
        """What an instruction without carries computes."""
        values = [self.get(text) for text in sources if text and not PREDICATE.match(text.lstrip("!"))]
        if None in values or len(values) < 2:
            return None
        a, b = values[:2]
        if opcode == "VIADD" and len(values) == 2:
            return (a + b) & ALL_ONES
        if opcode in ("LEA", "ULEA") and len(values) == 3:
            return ((a << values[2]) + b) & ALL_ONES
        if opcode in ("PRMT", "UPRMT") and len(values) == 3 and not b >> 16:
            return permute(a, b, values[2])
        if opcode in ("LOP3.LUT", "ULOP3.LUT") and len(values) == 4:
            return looked_up(a, b, values[2], values[3])
        if opcode in ("IMAD.HI", "IMAD.HI.U32") and sources[2:] == ["RZ"]:
            if opcode == "IMAD.HI":
                a, b = (one - (one >> 31 << 32) for one in (a, b))
            return (a * b >> 32) & ALL_ONES
        return None

    def step(self, opcode, operands, guarded):
        """Executes an instruction, as far as it is known."""
        if opcode.startswith(("LOP3", "ULOP3")) and operands[0].startswith(("P", "UP")):  # a predicate before the register
            self.predicates[operands[0]] = None
            operands = operands[1:]
        outs = [operands[0]]
        while PREDICATE.match(operands[len(outs)] if len(outs) < len(operands) else ""):
            outs.append(operands[len(outs)])
        sources = operands[len(outs):]
        value, pair, carry = None, False, None
        if opcode in ("MOV", "UMOV") or (opcode in ("IMAD.MOV.U32", "IMAD.U32") and sources[:2] == ["RZ", "RZ"]):
            value = self.get(sources[-1])
        elif opcode in ("HFMA2", "HFMA2.MMA") and len(operands) == 5 and sources[0].lstrip("-") == "RZ":
            parts = half(operands[3]), half(operands[4])
            value = None if None in parts else parts[0] << 16 | parts[1]
        elif opcode in ("CS2R", "CS2R.64"):
            value, pair = 0, True
        elif opcode in ("IADD3", "IADD3.X", "UIADD3", "UIADD3.X"):
            value, carry = self.sum(opcode, sources)
        elif opcode in ("IMAD.IADD", "IMAD.X") and sources[1] == "0x1":
            value, carry = self.sum("IADD3.X" if opcode == "IMAD.X" else "IADD3", [sources[0], "RZ"] + sources[2:])
        elif opcode in ("IMAD", "UIMAD") and None not in [self.get(text) for text in sources]:
            a, b, c = (self.get(text) for text in sources)
            value = (a * b + c) & ALL_ONES
        elif opcode in ("LOP3.LUT", "ULOP3.LUT") and sources[0] in ("RZ", "URZ") and sources[2:4] == [sources[0], "0x33"]:
            value = self.get("~" + sources[1])
        elif len(outs) == 1 and value is None:
            value = self.plain(opcode, sources)
        for name in outs:
            if PREDICATE.match(name):
                self.predicates[name] = None
        if len(outs) > 1 and not guarded and "ADD" in opcode:
            self.predicates[outs[1]] = carry if carry in (0, 1) else None
        target = re.match(r"(U?R)(\d+)$", outs[0])
        if not target:
            return
        self.registers[outs[0]] = None if guarded else value
        # An instruction that may write two registers makes the second unknown.
        single = ("MOV", "UMOV", "IMAD.MOV", "IMAD.U32", "IMAD.X", "IMAD.IADD", "IMAD.HI", "IADD3", "UIADD3", "VIADD", "LEA",
                  "HFMA2", "SEL", "PRMT", "LOP3", "ULOP3", "FADD", "FMUL")
        if pair or not (opcode.startswith(single) or opcode in ("IMAD", "UIMAD")):
            self.registers["%s%d" % (target.group(1), int(target.group(2)) + 1)] = 0 if pair else None
        # Loads of several words write as many registers.
        for n in range(2, 8 if ".256" in opcode else 4 if ".128" in opcode else 0):
            self.registers["%s%d" % (target.group(1), int(target.group(2)) + n)] = None


WIDTHS = {"U8": 1, "S8": 1, "U16": 2, "S16": 2, "64": 8, "128": 16}
PARAMETERS = re.compile(r"c\[0x0\]\[0x(160|210|380)\]$")
STORED_TO = re.compile(r"\[(U?R\d+)(?:\.64)?(?:\+(0x[0-9a-f]+))?\]")


class Pointers:
    """The registers that hold the first parameter of the kernel."""

    def __init__(self):
        self.names = set()

    def step(self, opcode, operands, guarded):
        name, source = operands[0], operands[-1]
        loaded = opcode.startswith(("LDC", "ULDC", "MOV", "UMOV", "IMAD.MOV", "IMAD.U32")) and PARAMETERS.match(source)
        copied = opcode.startswith(("MOV", "UMOV", "IMAD.MOV", "IMAD.U32")) and source in self.names
        (self.names.add if (loaded or copied) and not guarded else self.names.discard)(name)
        if opcode.startswith(("LDC.64", "LDCU.64", "CS2R", "IMAD.WIDE")) and re.match(r"U?R\d+$", name):
            self.names.discard(after(name, 1))


def after(name, count):
    """The register that is so many further on."""
    match = re.match(r"(U?R)(\d+)$", name)
    return "%s%d" % (match.group(1), int(match.group(2)) + count) if match else name


def stores(code):
    """The bytes that are stored as constants where the first parameter points, by their offsets, of the straight code before the
    first call or branch."""
    machine, pointers, found = Machine(), Pointers(), {}
    for line in code.splitlines():
        match = re.search(r"/\*[0-9a-f]{4,}\*/\s+(.*?)\s*;", line)
        if not match:
            continue
        instruction = match.group(1).lstrip("{ ")
        guarded = instruction.startswith("@")
        if guarded:
            instruction = instruction.split(None, 1)[1]
        opcode, _, rest = instruction.partition(" ")
        operands = [part.strip().replace(".reuse", "") for part in rest.split(",")]
        if opcode.startswith(("CALL", "BRA", "EXIT")):
            break
        if opcode.startswith("ST"):
            to = STORED_TO.search(rest.partition("]")[2] if rest.startswith("desc") else rest)
            if opcode.startswith("STG") and to and to.group(1) in pointers.names:
                width = next((WIDTHS[part] for part in opcode.split(".")[1:] if part in WIDTHS), 4)
                at = int(to.group(2), 16) if to.group(2) else 0
                for n in range(0, width, 4):
                    value = None if guarded else machine.get(after(operands[-1], n // 4))
                    for k in range(min(4, width - n)):
                        found[at + n + k] = None if value is None else value >> 8 * k & 0xFF
            continue
        machine.step(opcode, operands, guarded)
        pointers.step(opcode, operands, guarded)
    return {at: byte for at, byte in found.items() if byte is not None}


def written(text):
    """The registers that the statements of a text write first."""
    names = []
    for statement in filter(None, (part.strip() for part in text.split(";"))):
        statement = re.sub(r"^@!?\S+\s+", "", statement)
        operands = statement.partition(" ")[2]
        first = operands[: operands.index("}") + 1] if operands.startswith("{") else operands.split(",")[0]
        names += re.findall(r"%[A-Za-z0-9_]+", first)
    return list(dict.fromkeys(names))


def judge(folder, arch, version, runs, counts, shown):
    blocks, first, places = [], 0, []
    for text, names, types, before, after in runs:
        results = written(text)
        blocks.append(block(text, names, types, before, results, first))
        places.append((first, results))
        first += len(results)
    code = assemble(folder, arch, version, blocks)
    if code is None:
        if len(runs) == 1:
            counts["refused"] += 1
            return
        middle = len(runs) // 2
        judge(folder, arch, version, runs[:middle], counts, shown)
        judge(folder, arch, version, runs[middle:], counts, shown)
        return
    found = stores(code)
    for (text, names, types, before, after), (first, results) in zip(runs, places):
        for n, name in enumerate(results):
            size = bits(types[name])
            parts = [found.get(8 * (first + n) + k) for k in range((size + 7) // 8)]
            if None in parts:
                counts["not folded"] += 1
                continue
            got = int.from_bytes(parts, "little") & ((1 << size) - 1)
            counts["folded"] += 1
            wanted = dict(zip(names, after))[name]
            if got == wanted:
                continue
            counts["different"] += 1
            shown[text] += 1
            if shown[text] <= SHOWN:
                inputs = ", ".join("%s = %#x" % pair for pair in zip(names, before))
                print("%s: %s is %#x, ptxas computes %#x; %s" % (text, name, wanted, got, inputs))


def listing(path):
    """The part of a listing that is the kernel `kernel`."""
    with open(path) as file:
        text = file.read()
    return text.partition(".section\t.text.kernel,")[2].partition("\n\t.section")[0] or text


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", help="where ptxas and nvdisasm are")
    parser.add_argument("--listing", metavar="FILE", help="print what a listing stores")
    parser.add_argument("--arch", help="the target for all; else each instruction's own")
    arguments = parser.parse_args()
    if arguments.listing:
        for at, byte in sorted(stores(listing(arguments.listing)).items()):
            print(at, byte)
        return 0
    if not arguments.folder:
        parser.error("no folder with ptxas and nvdisasm")
    counts, shown = collections.Counter(), collections.Counter()
    groups = collections.defaultdict(list)
    home, text, names, types = None, "", [], {}
    for line in sys.stdin:
        word, _, rest = line.rstrip("\n").partition(" ")
        if word == "home":
            version, target = rest.split()
            home = (version, arguments.arch or target)
        elif word == "case":
            text = rest
        elif word == "registers":
            pairs = [one.split(":") for one in rest.split()]
            names, types = [name for name, _ in pairs], dict(pairs)
        elif word == "run" and all(bits(ty) not in (8, 128) for ty in types.values()):
            values = [[int(side, 16) for side in one.split(":")] for one in rest.split()]
            groups[home].append((text, names, types, [b for b, _ in values], [a for _, a in values]))
    for (version, arch), runs in groups.items():
        for at in range(0, len(runs), BLOCKS):
            judge(arguments.folder, arch, version, runs[at : at + BLOCKS], counts, shown)
    print(", ".join("%d %s" % (counts[key], key) for key in ("folded", "not folded", "refused", "different")))
    return 1 if counts["different"] or not counts["folded"] else 0


if __name__ == "__main__":
    sys.exit(main())
