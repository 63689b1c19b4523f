//! A linear program with wishes: sums of variables that should have a value, at a price for each unit above or below.

use std::collections::BTreeMap;
use std::time::Duration;

use microlp::{ComparisonOp, OptimizationDirection, Problem, Variable};

/// How long a solution may take.
const LIMIT: Duration = Duration::from_secs(120);

/// Variables with their coefficients.
pub(crate) type Terms = BTreeMap<usize, f64>;

/// What a sum should be.
#[derive(Clone, Copy)]
struct Wish {
    value: f64,
    /// The price of each unit below.
    below: f64,
    /// The price of each unit above.
    above: f64,
}

/// Sums of the variables, all at least 0, of which the total price is to be the least.
#[derive(Default)]
pub(crate) struct Program {
    /// The price of each variable's unit, and its largest value.
    variables: Vec<(f64, f64)>,
    equal: Vec<(Terms, f64)>,
    at_most: Vec<(Terms, f64)>,
    wishes: BTreeMap<Vec<(usize, u64)>, Vec<Wish>>,
}

impl Program {
    /// A new variable.
    pub(crate) fn variable(&mut self, price: f64, most: f64) -> usize {
        self.variables.push((price, most));
        self.variables.len() - 1
    }

    /// Makes each unit of a variable dearer.
    pub(crate) fn add_price(&mut self, variable: usize, price: f64) {
        self.variables[variable].0 += price;
    }

    /// The sum must have the value.
    pub(crate) fn require(&mut self, sum: Terms, value: f64) {
        self.equal.push((sum, value));
    }

    /// The sum must not be above the value.
    pub(crate) fn limit(&mut self, sum: Terms, value: f64) {
        self.at_most.push((sum, value));
    }

    /// The sum should have the value. Wishes for the same are added up.
    pub(crate) fn wish(&mut self, sum: &Terms, value: f64, below: f64, above: f64) {
        let key: Vec<(usize, u64)> =
            sum.iter().filter(|(_, c)| **c != 0.0).map(|(v, c)| (*v, c.to_bits())).collect();
        if key.is_empty() {
            return;
        }
        let wishes = self.wishes.entry(key).or_default();
        match wishes.iter_mut().find(|wish| wish.value == value) {
            Some(wish) => {
                wish.below += below;
                wish.above += above;
            }
            None => wishes.push(Wish { value, below, above }),
        }
    }

    /// The values of the variables in a best solution.
    ///
    /// # Errors
    /// Why there is none.
    pub(crate) fn solve(&self) -> Result<Vec<f64>, String> {
        let mut problem = Problem::new(OptimizationDirection::Minimize);
        problem.set_time_limit(LIMIT);
        let variables: Vec<Variable> =
            self.variables.iter().map(|(price, most)| problem.add_var(*price, (0.0, *most))).collect();
        let row = |sum: &Terms| sum.iter().map(|(v, c)| (variables[*v], *c)).collect::<Vec<_>>();
        for (sum, value) in &self.equal {
            problem.add_constraint(row(sum), ComparisonOp::Eq, *value);
        }
        for (sum, value) in &self.at_most {
            problem.add_constraint(row(sum), ComparisonOp::Le, *value);
        }
        for (sum, wishes) in &self.wishes {
            for wish in wishes {
                let mut row: Vec<_> = sum.iter().map(|(v, c)| (variables[*v], f64::from_bits(*c))).collect();
                // What costs nothing needs no variable where the sum may leave the value that way.
                if wish.below > 0.0 {
                    row.push((problem.add_var(wish.below, (0.0, f64::INFINITY)), 1.0));
                }
                if wish.above > 0.0 {
                    row.push((problem.add_var(wish.above, (0.0, f64::INFINITY)), -1.0));
                }
                let relation = match (wish.below > 0.0, wish.above > 0.0) {
                    (true, true) => ComparisonOp::Eq,
                    (true, false) => ComparisonOp::Ge,
                    (false, true) => ComparisonOp::Le,
                    (false, false) => continue,
                };
                problem.add_constraint(row, relation, wish.value);
            }
        }
        let solved = problem.solve().map_err(|error| error.to_string())?;
        if !solved.is_optimal() {
            return Err(format!("not solved after {} s", LIMIT.as_secs()));
        }
        let solution = solved.solution().ok_or("no solution")?;
        Ok(variables.iter().map(|variable| solution.var_value(*variable)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wishes_are_met_as_far_as_the_dearer_ones_allow() {
        let mut program = Program::default();
        let [a, b] = [program.variable(0.0, f64::INFINITY), program.variable(0.1, f64::INFINITY)];
        program.require(Terms::from([(a, 1.0), (b, 1.0)]), 10.0);
        program.wish(&Terms::from([(a, 1.0)]), 4.0, 1.0, 1.0);
        program.wish(&Terms::from([(a, 1.0)]), 6.0, 3.0, 3.0);
        program.limit(Terms::from([(b, 2.0)]), 12.0);
        let values = program.solve().expect("a solution");
        assert!((values[a] - 6.0).abs() < 1e-9 && (values[b] - 4.0).abs() < 1e-9, "{values:?}");
    }

    #[test]
    fn what_cannot_be_is_told() {
        let mut program = Program::default();
        let a = program.variable(0.0, 1.0);
        program.require(Terms::from([(a, 1.0)]), 2.0);
        assert!(program.solve().is_err());
    }
}
