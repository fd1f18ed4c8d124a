//! The programs in Ascent, which computes everything again after every change.

use std::collections::{BTreeMap, HashSet};

use ascent::{ascent, Dual};
use contestants::{arguments, cannot, mixed, take_steps, Digest, Row, System};

type Facts = BTreeMap<String, Vec<Row>>;

ascent! {
    struct Closure;
    relation edge(i64, i64);
    relation reach(i64, i64);
    reach(x, y) <-- edge(x, y);
    reach(x, z) <-- edge(x, y), reach(y, z);
}

ascent! {
    struct SameGeneration;
    relation parent(i64, i64);
    relation same(i64, i64);
    same(x, y) <-- parent(p, x), parent(p, y), if x != y;
    same(x, y) <-- parent(p, x), same(p, q), parent(q, y);
}

ascent! {
    struct PointsTo;
    relation address(i64, i64);
    relation copy(i64, i64);
    relation load(i64, i64);
    relation store(i64, i64);
    relation points(i64, i64);
    points(y, x) <-- address(y, x);
    points(y, x) <-- copy(y, z), points(z, x);
    points(y, w) <-- load(y, x), points(x, z), points(z, w);
    points(z, w) <-- store(y, x), points(y, z), points(x, w);
}

ascent! {
    struct Aliases;
    relation assign(i64, i64);
    relation points(i64, i64);
    relation flows(i64, i64);
    relation memory(i64, i64);
    relation alias(i64, i64);
    flows(x, x), memory(x, x), flows(y, y), memory(y, y), flows(x, y) <-- assign(x, y);
    flows(x, z) <-- flows(x, y), flows(y, z);
    flows(x, z) <-- assign(x, y), memory(y, z);
    memory(x, y) <-- points(p, x), alias(p, q), points(q, y);
    alias(x, y) <-- flows(x, z), flows(y, z);
    alias(x, y) <-- flows(x, z), memory(z, w), flows(y, w);
}

ascent! {
    struct Nulls;
    relation source(i64, i64);
    relation arc(i64, i64);
    relation null(i64, i64);
    null(x, y) <-- source(x, y);
    null(x, z) <-- null(x, y), arc(y, z);
}

ascent! {
    struct Shortest;
    relation source(i64);
    relation road(i64, i64, i64);
    lattice distance(i64, Dual<i64>);
    distance(x, Dual(0)) <-- source(x);
    distance(y, Dual(d + w)) <-- distance(x, ?Dual(d)), road(x, y, w);
}

ascent! {
    struct Components;
    relation node(i64);
    relation edge(i64, i64);
    lattice component(i64, Dual<i64>);
    component(x, Dual(*x)) <-- node(x);
    component(y, c) <-- edge(x, y), component(x, c);
    component(x, c) <-- edge(x, y), component(y, c);
}

ascent! {
    struct TwoHops;
    relation edge(i64, i64);
    relation hop(i64, i64);
    hop(x, z) <-- edge(x, y), edge(y, z);
}

ascent! {
    struct Triangles;
    relation edge(i64, i64);
    relation triangle(i64, i64, i64);
    triangle(x, y, z) <-- edge(x, y), if x < y, edge(y, z), if y < z, edge(x, z);
}

ascent! {
    struct Unreached;
    relation edge(i64, i64);
    relation node(i64);
    relation source(i64);
    relation reached(i64);
    relation unreached(i64);
    reached(x) <-- source(x);
    reached(y) <-- reached(x), edge(x, y);
    unreached(x) <-- node(x), !reached(x);
}

ascent! {
    struct Access;
    relation member(i64, i64);
    relation inherits(i64, i64);
    relation grants(i64, i64);
    relation denied(i64, i64);
    relation acts(i64, i64);
    relation may(i64, i64);
    acts(u, r) <-- member(u, r);
    acts(u, s) <-- acts(u, r), inherits(r, s);
    may(u, o) <-- acts(u, r), grants(r, o), !denied(u, o);
}

ascent! {
    struct Subsumption;
    relation below(i64, i64);
    relation both(i64, i64, i64);
    relation has(i64, i64, i64);
    relation made(i64, i64, i64);
    relation subsumed(i64, i64);
    relation linked(i64, i64, i64);
    subsumed(x, y) <-- below(x, y);
    subsumed(x, z) <-- subsumed(x, y), below(y, z);
    subsumed(x, c) <-- both(a, b, c), subsumed(x, a), subsumed(x, b);
    linked(x, r, y) <-- subsumed(x, a), has(a, r, y);
    subsumed(x, c) <-- linked(x, r, y), made(r, b, c), subsumed(y, b);
}

fn one(facts: &Facts, relation: &str) -> Vec<(i64,)> {
    facts[relation].iter().map(|row| (row[0],)).collect()
}

fn two(facts: &Facts, relation: &str) -> Vec<(i64, i64)> {
    facts[relation].iter().map(|row| (row[0], row[1])).collect()
}

fn three(facts: &Facts, relation: &str) -> Vec<(i64, i64, i64)> {
    facts[relation].iter().map(|row| (row[0], row[1], row[2])).collect()
}

/// A program with its facts, run; returns what yields the mixed rows of its view.
macro_rules! computed {
    ($facts:ident, $program:ident, $($part:ident($relation:ident)),* => $view:ident, $row:pat => $cells:expr) => {{
        let mut program = $program::default();
        $(program.$relation = $part($facts, stringify!($relation));)*
        program.run();
        Box::new(move || {
            let mut found = Digest::default();
            program.$view.iter().for_each(|$row| found.add(mixed(&$cells), 1));
            found
        })
    }};
}

fn compute(name: &str, facts: &Facts) -> Box<dyn Fn() -> Digest> {
    match name {
        "closure" | "grid" | "upwards" => computed!(facts, Closure, two(edge) => reach, &(x, y) => [x, y]),
        "same-generation" => computed!(facts, SameGeneration, two(parent) => same, &(x, y) => [x, y]),
        "points-to" => {
            computed!(facts, PointsTo, two(address), two(copy), two(load), two(store) => points, &(x, y) => [x, y])
        }
        "cspa" => computed!(facts, Aliases, two(assign), two(points) => alias, &(x, y) => [x, y]),
        "csda" => computed!(facts, Nulls, two(source), two(arc) => null, &(x, y) => [x, y]),
        "shortest" => computed!(facts, Shortest, one(source), three(road) => distance, &(x, Dual(d)) => [x, d]),
        "components" => computed!(facts, Components, one(node), two(edge) => component, &(x, Dual(c)) => [x, c]),
        "two-hops" => computed!(facts, TwoHops, two(edge) => hop, &(x, y) => [x, y]),
        "triangles" => computed!(facts, Triangles, two(edge) => triangle, &(x, y, z) => [x, y, z]),
        "unreached" => computed!(facts, Unreached, two(edge), one(node), one(source) => unreached, &(x,) => [x]),
        "access" => {
            computed!(facts, Access, two(member), two(inherits), two(grants), two(denied) => may, &(x, y) => [x, y])
        }
        "subsumption" => computed!(
            facts, Subsumption, two(below), three(both), three(has), three(made) => subsumed, &(x, y) => [x, y]
        ),
        _ => cannot("not written for Ascent"),
    }
}

struct Again {
    name: String,
    facts: Facts,
    view: Option<Box<dyn Fn() -> Digest>>,
}

impl System for Again {
    fn change(&mut self, relation: &str, rows: &[Row], weight: i64) {
        let held = self.facts.entry(relation.to_string()).or_default();
        if weight > 0 {
            held.extend(rows);
        } else {
            let gone: HashSet<&Row> = rows.iter().collect();
            held.retain(|row| !gone.contains(row));
        }
    }

    fn update(&mut self) {
        self.view = None; // the former result is not kept beside the next
        self.view = Some(compute(&self.name, &self.facts));
    }

    fn digest(&mut self) -> Digest {
        self.view.as_ref().expect("a view that was built")()
    }
}

fn main() {
    let (name, folder) = arguments();
    take_steps(&folder, &mut Again { name, facts: Facts::new(), view: None });
}
