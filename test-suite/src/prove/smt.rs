//! Terms in SMT-LIB, and the solver that is asked about them.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};

use super::term::{Bits, Node, Op, Terms, float};

/// A solver's answer about a condition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// No inputs make it true.
    Never,
    /// These inputs do, by their numbers.
    Inputs(Vec<u128>),
    /// It gave up.
    TimedOut,
}

/// An SMT solver: z3, as its Python package ships it.
#[derive(Clone, Debug)]
pub struct Solver {
    /// The program.
    pub program: PathBuf,
    /// How long it may think about one condition.
    pub limit: Duration,
}

impl Solver {
    /// Asks for inputs that make a condition true.
    ///
    /// # Errors
    /// When the solver cannot be run or does not understand.
    pub fn ask(&self, terms: &Terms, condition: Bits<'_>) -> Result<Answer> {
        let vars: Vec<String> = (0..terms.vars().len()).map(|number| format!("v{number}")).collect();
        let query = query(terms, condition, &vars)?;
        let file = tempfile::NamedTempFile::with_suffix(".smt2")?;
        std::fs::write(file.path(), &query)?;
        let run = Command::new(&self.program)
            .arg(format!("-T:{}", self.limit.as_secs().max(1)))
            .arg(file.path())
            .stdin(Stdio::null())
            .output()
            .with_context(|| format!("cannot run {}", self.program.display()))?;
        let output = String::from_utf8_lossy(&run.stdout);
        match output.lines().next().unwrap_or_default() {
            "unsat" => Ok(Answer::Never),
            "timeout" | "unknown" => Ok(Answer::TimedOut),
            "sat" => Ok(Answer::Inputs(model(&output, vars.len()))),
            other => bail!("the solver answers `{other}`"),
        }
    }
}

/// The question in SMT-LIB, with the inputs that the condition depends on.
fn query(terms: &Terms, condition: Bits<'_>, vars: &[String]) -> Result<String> {
    let mut text = "(set-option :produce-models true)\n(set-logic ALL)\n".to_owned();
    let mut used = Vec::new();
    let mut functions: Vec<u32> = Vec::new();
    for id in terms.reachable(condition) {
        let (node, width) = terms.get(id);
        let sort = format!("(_ BitVec {width})");
        match node {
            Node::Const(value) => {
                let _ = writeln!(text, "(define-fun n{id} () {sort} (_ bv{value} {width}))");
            }
            Node::Var(number) => {
                let name = vars.get(number as usize).context("a variable")?;
                let _ = writeln!(text, "(declare-const {name} {sort})\n(define-fun n{id} () {sort} {name})");
                used.push(name.as_str());
            }
            Node::Apply(op, args) => {
                if let Op::Opaque(number) = op
                    && !functions.contains(&number)
                {
                    functions.push(number);
                    let sorts = args.iter().map(|&arg| format!("(_ BitVec {})", terms.get(arg).1));
                    let sorts = sorts.collect::<Vec<_>>().join(" ");
                    let _ = writeln!(text, "(declare-fun f{number} ({sorts}) {sort})");
                }
                let term = application(terms, op, width, &args);
                let _ = writeln!(text, "(define-fun n{id} () {sort} {term})");
            }
        }
    }
    let _ = writeln!(text, "(assert (= n{} #b1))\n(check-sat)", condition.id());
    if !used.is_empty() {
        let _ = writeln!(text, "(get-value ({}))", used.join(" "));
    }
    Ok(text)
}

fn application(terms: &Terms, op: Op, width: u32, args: &[u32]) -> String {
    let names: Vec<String> = args.iter().map(|id| format!("n{id}")).collect();
    let joined = names.join(" ");
    let truth = |name: &str| format!("(ite ({name} {joined}) #b1 #b0)");
    let first = args.first().map_or(0, |&id| terms.get(id).1);
    let plain = match op {
        Op::Add => "bvadd",
        Op::Mul => "bvmul",
        Op::UDiv => "bvudiv",
        Op::URem => "bvurem",
        Op::SDiv => "bvsdiv",
        Op::SRem => "bvsrem",
        Op::And => "bvand",
        Op::Or => "bvor",
        Op::Xor => "bvxor",
        Op::Not => "bvnot",
        Op::Shl => "bvshl",
        Op::LShr => "bvlshr",
        Op::AShr => "bvashr",
        Op::Concat => "concat",
        Op::Extract(low) => return format!("((_ extract {} {low}) {joined})", low + width - 1),
        Op::ZExt => return format!("((_ zero_extend {}) {joined})", width - first),
        Op::SExt => return format!("((_ sign_extend {}) {joined})", width - first),
        Op::Ite => {
            let [condition, rest @ ..] = names.as_slice() else { return joined };
            return format!("(ite (= {condition} #b1) {})", rest.join(" "));
        }
        Op::Eq => return truth("="),
        Op::Ult => return truth("bvult"),
        Op::Slt => return truth("bvslt"),
        Op::Float(op) => return float::smt(op, &names),
        Op::Opaque(number) => return format!("(f{number} {joined})"),
    };
    format!("({plain} {joined})")
}

/// The inputs of an answer: `((v0 #x0000002a) (v3 #b1))`.
fn model(output: &str, count: usize) -> Vec<u128> {
    let mut inputs = vec![0; count];
    let words: Vec<&str> = output.split(|c: char| c.is_whitespace() || c == '(' || c == ')').collect();
    let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
    for pair in words.windows(2) {
        let [name, value] = pair else { continue };
        let number = name.strip_prefix('v').and_then(|digits| digits.parse::<usize>().ok());
        let value = match (value.strip_prefix("#x"), value.strip_prefix("#b")) {
            (Some(digits), _) => u128::from_str_radix(digits, 16).ok(),
            (_, Some(digits)) => u128::from_str_radix(digits, 2).ok(),
            _ => None,
        };
        if let (Some(value), Some(place)) = (value, number.and_then(|number| inputs.get_mut(number))) {
            *place = value;
        }
    }
    inputs
}
