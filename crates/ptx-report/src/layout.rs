//! Places for the boxes of a graph and routes for its edges: a layered layout, after Sugiyama, Tagawa and Toda.
//!
//! Boxes are in rows, each below those that lead to it but for loops; an edge over several rows goes through a narrow gap in each. The rows are
//! ordered by the mean of the neighbours, and moved sideways towards it. All steps are a fixed number of passes over boxes, edges and gaps.

/// Space between the boxes of a row.
const GAP: f64 = 22.0;
/// Space between rows.
const ROW_GAP: f64 = 42.0;
/// The width of an edge that passes a row.
const LANE: f64 = 8.0;
/// Passes that order the rows, and passes that move the boxes.
const PASSES: usize = 8;
/// A layout has at most so many gaps for edges that pass rows; these are what can be more than linear in the graph.
const MOST_LANES: usize = 6_000;

/// A box: its left upper corner and its size.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Rect {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) width: f64,
    pub(crate) height: f64,
}

/// An edge: the points that it passes, from its start to its end.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Route {
    pub(crate) points: Vec<(f64, f64)>,
    /// Whether it goes up: the end of a loop.
    pub(crate) is_back: bool,
}

/// A graph with places.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Placed {
    pub(crate) boxes: Vec<Rect>,
    /// For each edge, in their order.
    pub(crate) routes: Vec<Route>,
    pub(crate) width: f64,
    pub(crate) height: f64,
}

/// Lays out boxes of these sizes with edges between them, from the first box down; `None` if too many edges pass too many rows.
pub(crate) fn place(sizes: &[(f64, f64)], edges: &[(usize, usize)]) -> Option<Placed> {
    let (rows, is_back) = rows(sizes.len(), edges);
    let mut layers = Layers::new(sizes, edges, &rows, &is_back)?;
    layers.order();
    layers.move_sideways();
    Some(layers.placed(sizes.len(), edges, &is_back))
}

/// The row of each box, and for each edge whether it leads back to where it can be reached from.
fn rows(count: usize, edges: &[(usize, usize)]) -> (Vec<usize>, Vec<bool>) {
    let mut outgoing = vec![Vec::new(); count];
    for (edge, (from, _)) in edges.iter().enumerate() {
        outgoing[*from].push(edge);
    }
    #[derive(Clone, Copy, PartialEq)]
    enum Seen {
        Not,
        Open,
        Done,
    }
    let (mut seen, mut is_back) = (vec![Seen::Not; count], vec![false; edges.len()]);
    let mut finished = Vec::with_capacity(count);
    for start in 0..count {
        if seen[start] != Seen::Not {
            continue;
        }
        seen[start] = Seen::Open;
        let mut stack = vec![(start, 0)];
        while let Some((at, next)) = stack.pop() {
            let Some(&edge) = outgoing[at].get(next) else {
                seen[at] = Seen::Done;
                finished.push(at);
                continue;
            };
            stack.push((at, next + 1));
            let to = edges[edge].1;
            match seen[to] {
                Seen::Open => is_back[edge] = true,
                Seen::Done => {}
                Seen::Not => {
                    seen[to] = Seen::Open;
                    stack.push((to, 0));
                }
            }
        }
    }
    let mut rows = vec![0; count];
    for &from in finished.iter().rev() {
        for &edge in &outgoing[from] {
            let to = edges[edge].1;
            if !is_back[edge] {
                rows[to] = rows[to].max(rows[from] + 1);
            }
        }
    }
    (rows, is_back)
}

/// Boxes and lanes in rows. Boxes have the first numbers, lanes those after them.
struct Layers {
    rows: Vec<Vec<usize>>,
    sizes: Vec<(f64, f64)>,
    above: Vec<Vec<usize>>,
    below: Vec<Vec<usize>>,
    /// The left side of each.
    x: Vec<f64>,
    /// For each edge the lanes that it passes, from above.
    lanes: Vec<Vec<usize>>,
}

impl Layers {
    fn new(
        sizes: &[(f64, f64)],
        edges: &[(usize, usize)],
        row_of: &[usize],
        is_back: &[bool],
    ) -> Option<Self> {
        let row_count = row_of.iter().map(|row| row + 1).fold(0, usize::max);
        let mut layers = Self {
            rows: vec![Vec::new(); row_count],
            sizes: sizes.to_vec(),
            above: vec![Vec::new(); sizes.len()],
            below: vec![Vec::new(); sizes.len()],
            x: Vec::new(),
            lanes: Vec::with_capacity(edges.len()),
        };
        for (number, &row) in row_of.iter().enumerate() {
            layers.rows[row].push(number);
        }
        for (&(from, to), &back) in edges.iter().zip(is_back) {
            let (upper, lower) = if back { (to, from) } else { (from, to) };
            let mut lanes = Vec::new();
            let mut last = upper;
            for row in row_of[upper] + 1..row_of[lower] {
                let lane = layers.sizes.len();
                if lane - sizes.len() >= MOST_LANES {
                    return None;
                }
                layers.sizes.push((LANE, 0.0));
                layers.above.push(Vec::new());
                layers.below.push(Vec::new());
                layers.rows[row].push(lane);
                layers.connect(last, lane);
                lanes.push(lane);
                last = lane;
            }
            if row_of[upper] < row_of[lower] {
                layers.connect(last, lower);
            }
            layers.lanes.push(lanes);
        }
        Some(layers)
    }

    fn connect(&mut self, upper: usize, lower: usize) {
        self.below[upper].push(lower);
        self.above[lower].push(upper);
    }

    /// Orders each row by the mean place of the neighbours in the row above and the row below, in turns.
    fn order(&mut self) {
        let mut place = vec![0.0; self.sizes.len()];
        let number = |row: &[usize], place: &mut Vec<f64>| {
            let middle = row.len() as f64 / 2.0;
            row.iter().enumerate().for_each(|(at, &item)| place[item] = at as f64 - middle);
        };
        self.rows.iter().for_each(|row| number(row, &mut place));
        for pass in 0..PASSES {
            let is_down = pass % 2 == 0;
            let count = self.rows.len();
            for at in 0..count {
                let at = if is_down { at } else { count - 1 - at };
                let neighbours = if is_down { &self.above } else { &self.below };
                let mean = |item: usize| mean(&neighbours[item], |other| place[other]).unwrap_or(place[item]);
                let mut row: Vec<(f64, usize)> =
                    self.rows[at].iter().map(|&item| (mean(item), item)).collect();
                row.sort_by(|one, other| one.0.total_cmp(&other.0));
                self.rows[at] = row.into_iter().map(|(_, item)| item).collect();
                number(&self.rows[at], &mut place);
            }
        }
    }

    /// Moves everything towards the middle of its neighbours, as far as the others of its row let it.
    fn move_sideways(&mut self) {
        self.x = vec![0.0; self.sizes.len()];
        for row in &self.rows {
            let mut next = 0.0;
            for &item in row {
                self.x[item] = next;
                next += self.sizes[item].0 + GAP;
            }
            let middle = (next - GAP) / 2.0;
            row.iter().for_each(|&item| self.x[item] -= middle);
        }
        for pass in 0..PASSES {
            let is_down = pass % 2 == 0;
            for at in 0..self.rows.len() {
                let at = if is_down { at } else { self.rows.len() - 1 - at };
                let middle = |item: usize| self.x[item] + self.sizes[item].0 / 2.0;
                let wanted = |&item: &usize| {
                    let (above, below) = (&self.above[item], &self.below[item]);
                    let near = if is_down { above } else { below };
                    let far = if is_down { below } else { above };
                    let near = if near.is_empty() { far } else { near };
                    mean(near, middle).map_or(self.x[item], |middle| middle - self.sizes[item].0 / 2.0)
                };
                let wanted: Vec<f64> = self.rows[at].iter().map(wanted).collect();
                self.fit(at, &wanted);
            }
        }
    }

    /// Puts a row as near to these places as its order and its gaps let it: the mean of what pushing to the right and pushing to the left give,
    /// which both keep the gaps, so that it does, too.
    fn fit(&mut self, row: usize, wanted: &[f64]) {
        let row = &self.rows[row];
        let step = |at: usize| self.sizes[row[at]].0 + GAP;
        let (mut right, mut left) = (wanted.to_vec(), wanted.to_vec());
        for at in 1..row.len() {
            right[at] = right[at].max(right[at - 1] + step(at - 1));
        }
        for at in (1..row.len()).rev() {
            left[at - 1] = left[at - 1].min(left[at] - step(at - 1));
        }
        for (at, &item) in row.iter().enumerate() {
            self.x[item] = (right[at] + left[at]) / 2.0;
        }
    }

    fn placed(&self, boxes: usize, edges: &[(usize, usize)], is_back: &[bool]) -> Placed {
        let left = self.x.iter().copied().fold(f64::INFINITY, f64::min);
        let mut rects = vec![Rect { x: 0.0, y: 0.0, width: 0.0, height: 0.0 }; self.sizes.len()];
        let (mut y, mut right) = (GAP, 0.0_f64);
        for row in &self.rows {
            let height = row.iter().map(|&item| self.sizes[item].1).fold(0.0, f64::max);
            for &item in row {
                let (width, own) = self.sizes[item];
                // A lane is as high as the row: an edge passes it straight down.
                let height = if item < boxes { own } else { height };
                rects[item] = Rect { x: self.x[item] - left + GAP, y, width, height };
                right = right.max(rects[item].x + width);
            }
            y += height + ROW_GAP;
        }
        let routes = edges.iter().zip(is_back).zip(&self.lanes);
        let routes = routes.map(|((&edge, &is_back), lanes)| route(&rects, edge, is_back, lanes)).collect();
        rects.truncate(boxes);
        Placed { boxes: rects, routes, width: right + 2.0 * GAP, height: y - ROW_GAP + GAP }
    }
}

/// The points of an edge.
fn route(rects: &[Rect], (from, to): (usize, usize), is_back: bool, lanes: &[usize]) -> Route {
    let (upper, lower) = if is_back { (rects[to], rects[from]) } else { (rects[from], rects[to]) };
    let mut points = Vec::with_capacity(2 * lanes.len() + 4);
    if from == to {
        let (right, top, low) = (upper.x + upper.width, upper.y, upper.y + upper.height);
        points = vec![
            (right, low - upper.height / 4.0),
            (right + 0.8 * GAP, low - upper.height / 4.0),
            (right + 0.8 * GAP, top + upper.height / 4.0),
            (right, top + upper.height / 4.0),
        ];
        return Route { points, is_back };
    }
    // Edges up are beside those down between the same boxes.
    let shift = |rect: Rect| if is_back { (rect.width / 4.0).min(16.0) } else { 0.0 };
    points.push((upper.x + upper.width / 2.0 + shift(upper), upper.y + upper.height));
    for &lane in lanes {
        let lane = rects[lane];
        points.push((lane.x + LANE / 2.0, lane.y));
        points.push((lane.x + LANE / 2.0, lane.y + lane.height));
    }
    points.push((lower.x + lower.width / 2.0 + shift(lower), lower.y));
    if is_back {
        points.reverse();
    }
    Route { points, is_back }
}

/// The mean of values; `None` of none.
fn mean(items: &[usize], value: impl Fn(usize) -> f64) -> Option<f64> {
    let sum: f64 = items.iter().map(|&item| value(item)).sum();
    if items.is_empty() { None } else { Some(sum / items.len() as f64) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn overlap(one: &Rect, other: &Rect) -> bool {
        let apart = |low: f64, size: f64, other: f64, other_size: f64| {
            low + size <= other + 1e-6 || other + other_size <= low + 1e-6
        };
        !apart(one.x, one.width, other.x, other.width) && !apart(one.y, one.height, other.y, other.height)
    }

    fn check(sizes: &[(f64, f64)], edges: &[(usize, usize)]) -> Placed {
        let placed = place(sizes, edges).expect("small enough");
        for (at, one) in placed.boxes.iter().enumerate() {
            assert_eq!((one.width, one.height), sizes[at]);
            assert!(one.x >= 0.0 && one.y >= 0.0, "{one:?}");
            assert!(one.x + one.width <= placed.width && one.y + one.height <= placed.height, "{one:?}");
            for other in &placed.boxes[at + 1..] {
                assert!(!overlap(one, other), "{one:?} {other:?} {edges:?}");
            }
        }
        assert_eq!(placed.routes.len(), edges.len());
        for (route, &(from, to)) in placed.routes.iter().zip(edges) {
            let on_edge = |point: (f64, f64), rect: &Rect| {
                let inside = |at: f64, low: f64, size: f64| low - 1e-6 <= at && at <= low + size + 1e-6;
                inside(point.0, rect.x, rect.width) && inside(point.1, rect.y, rect.height)
            };
            assert!(on_edge(route.points[0], &placed.boxes[from]), "{route:?}");
            assert!(on_edge(route.points[route.points.len() - 1], &placed.boxes[to]), "{route:?}");
            if !route.is_back {
                assert!(placed.boxes[from].y < placed.boxes[to].y, "{from} is above {to}");
            }
        }
        placed
    }

    #[test]
    fn a_loop_has_one_edge_up() {
        let sizes = [(100.0, 40.0); 4];
        let placed = check(&sizes, &[(0, 1), (1, 2), (2, 1), (1, 3)]);
        let back: Vec<bool> = placed.routes.iter().map(|route| route.is_back).collect();
        assert_eq!(back, [false, false, true, false]);
        let placed = check(&sizes[..1], &[(0, 0)]);
        assert!(placed.routes[0].is_back);
    }

    #[test]
    fn no_boxes_overlap_in_random_graphs() {
        let mut random = fastrand::Rng::with_seed(7);
        for _ in 0..300 {
            let count = random.usize(1..40);
            let sizes: Vec<(f64, f64)> =
                (0..count).map(|_| (random.f64() * 300.0 + 20.0, random.f64() * 90.0 + 12.0)).collect();
            let edges: Vec<(usize, usize)> = (0..random.usize(0..2 * count))
                .map(|_| (random.usize(0..count), random.usize(0..count)))
                .collect();
            check(&sizes, &edges);
        }
    }

    #[test]
    fn an_empty_graph_has_a_size() {
        let placed = place(&[], &[]).expect("small");
        assert!(placed.width.is_finite() && placed.height.is_finite(), "{placed:?}");
    }

    #[test]
    fn too_many_long_edges_are_given_up() {
        let count = 1000;
        let sizes = vec![(10.0, 10.0); count];
        let chain = (1..count).map(|at| (at - 1, at));
        let edges: Vec<(usize, usize)> = chain.chain((0..count).map(|at| (at, count - 1))).collect();
        assert_eq!(place(&sizes, &edges), None);
    }
}
