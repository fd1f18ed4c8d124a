//! The programs in Feldera's dbsp, which maintains the view.

use std::collections::BTreeMap;

use contestants::{arguments, cannot, mixed, take_steps, Digest, Row, System};
use dbsp::{
    operator::Min,
    typed_batch::{IndexedZSetReader, SpineSnapshot},
    utils::{Tup2, Tup3},
    DBSPHandle, OrdIndexedZSet, OrdZSet, OutputHandle, RootCircuit, Runtime, Stream, ZSetHandle,
};

type Pair = Tup2<i64, i64>;
type Triple = Tup3<i64, i64, i64>;
type Pairs = Stream<RootCircuit, OrdZSet<Pair>>;
type Triples = Stream<RootCircuit, OrdZSet<Triple>>;
type Keyed = OrdIndexedZSet<i64, i64>;

/// Pairs by their first column, and by their second.
macro_rules! ahead {
    ($pairs:expr) => {
        $pairs.map_index(|&Tup2(x, y)| (x, y))
    };
}
macro_rules! back {
    ($pairs:expr) => {
        $pairs.map_index(|&Tup2(x, y)| (y, x))
    };
}

fn closure(edge: Pairs) -> Pairs {
    edge.circuit()
        .recursive(|child, reach: Stream<_, OrdZSet<Pair>>| {
            let edge = edge.delta0(child);
            Ok(back!(edge).join(&ahead!(reach), |_, &x, &z| Tup2(x, z)).plus(&edge))
        })
        .expect("a circuit")
}

fn same_generation(parent: Pairs) -> Pairs {
    let siblings = ahead!(parent).join(&ahead!(parent), |_, &x, &y| Tup2(x, y)).filter(|&Tup2(x, y)| x != y);
    parent
        .circuit()
        .recursive(|child, same: Stream<_, OrdZSet<Pair>>| {
            let parent = ahead!(parent.delta0(child));
            let half = ahead!(same).join_index(&parent, |_, &q, &x| Some((q, x)));
            Ok(half.join(&parent, |_, &x, &y| Tup2(x, y)).plus(&siblings.delta0(child)))
        })
        .expect("a circuit")
}

fn points_to(address: Pairs, copy: Pairs, load: Pairs, store: Pairs) -> Pairs {
    address
        .circuit()
        .recursive(|child, points: Stream<_, OrdZSet<Pair>>| {
            let points = ahead!(points);
            let copied = back!(copy.delta0(child)).join(&points, |_, &y, &x| Tup2(y, x));
            let opened = back!(load.delta0(child)).join_index(&points, |_, &y, &z| Some((z, y)));
            let loaded = opened.join(&points, |_, &y, &w| Tup2(y, w));
            let placed = ahead!(store.delta0(child)).join_index(&points, |_, &x, &z| Some((x, z)));
            let stored = placed.join(&points, |_, &z, &w| Tup2(z, w));
            Ok(address.delta0(child).plus(&copied).plus(&loaded).plus(&stored))
        })
        .expect("a circuit")
}

fn nulls(source: Pairs, arc: Pairs) -> Pairs {
    source
        .circuit()
        .recursive(|child, null: Stream<_, OrdZSet<Pair>>| {
            let next = back!(null).join(&ahead!(arc.delta0(child)), |_, &x, &z| Tup2(x, z));
            Ok(next.plus(&source.delta0(child)))
        })
        .expect("a circuit")
}

fn shortest(source: Triples, road: Triples) -> Pairs {
    let from = source.map_index(|&Tup3(x, ..)| (x, 0));
    let road = road.map_index(|&Tup3(x, y, w)| (x, Tup2(y, w)));
    from.circuit()
        .recursive(|child, distance: Stream<_, Keyed>| {
            let longer = distance.join_index(&road.delta0(child), |_, &d, &Tup2(y, w)| Some((y, d + w)));
            Ok(longer.plus(&from.delta0(child)).aggregate(Min).mark_distinct())
        })
        .expect("a circuit")
        .map(|(&x, &d)| Tup2(x, d))
}

fn components(node: Triples, edge: Pairs) -> Pairs {
    let own = node.map_index(|&Tup3(x, ..)| (x, x));
    let link = ahead!(edge).plus(&back!(edge));
    own.circuit()
        .recursive(|child, component: Stream<_, Keyed>| {
            let next = component.join_index(&link.delta0(child), |_, &c, &y| Some((y, c)));
            Ok(next.plus(&own.delta0(child)).aggregate(Min).mark_distinct())
        })
        .expect("a circuit")
        .map(|(&x, &c)| Tup2(x, c))
}

fn two_hops(edge: Pairs) -> Pairs {
    back!(edge).join(&ahead!(edge), |_, &x, &z| Tup2(x, z)).distinct()
}

fn triangles(edge: Pairs) -> Triples {
    let edge = edge.filter(|&Tup2(x, y)| x < y);
    let paths = back!(edge).join_index(&ahead!(edge), |&y, &x, &z| Some((Tup2(x, z), y)));
    paths.join(&edge.map_index(|&pair| (pair, ())), |&Tup2(x, z), &y, ()| Tup3(x, y, z))
}

fn unreached(edge: Pairs, node: Triples, source: Triples) -> Triples {
    let reached = edge
        .circuit()
        .recursive(|child, reached: Stream<_, OrdZSet<i64>>| {
            let from = reached.map_index(|&x| (x, ()));
            let next = from.join(&ahead!(edge.delta0(child)), |_, (), &y| y);
            Ok(next.plus(&source.delta0(child).map(|&Tup3(x, ..)| x)))
        })
        .expect("a circuit");
    let left = node.map_index(|&Tup3(x, ..)| (x, ())).antijoin(&reached.map_index(|&x| (x, ())));
    left.map(|(&x, ())| Tup3(x, 0, 0))
}

fn access(member: Pairs, inherits: Pairs, grants: Pairs, denied: Pairs) -> Pairs {
    let acts = member
        .circuit()
        .recursive(|child, acts: Stream<_, OrdZSet<Pair>>| {
            let above = back!(acts).join(&ahead!(inherits.delta0(child)), |_, &user, &role| Tup2(user, role));
            Ok(above.plus(&member.delta0(child)))
        })
        .expect("a circuit");
    let granted = back!(acts).join(&ahead!(grants), |_, &user, &object| Tup2(user, object)).distinct();
    let left = granted.map_index(|&pair| (pair, ())).antijoin(&denied.map_index(|&pair| (pair, ())));
    left.map(|(&pair, ())| pair)
}

fn subsumption(below: Pairs, both: Triples, has: Triples, made: Triples) -> Pairs {
    type Two<C> = (Stream<C, OrdZSet<Pair>>, Stream<C, OrdZSet<Triple>>);
    let (subsumed, _) = below
        .circuit()
        .recursive(|child, (subsumed, linked): Two<_>| {
            let (below, under) = (below.delta0(child), back!(subsumed));
            let wider = under.join(&ahead!(below), |_, &x, &z| Tup2(x, z));
            let left = both.delta0(child).map_index(|&Tup3(a, b, c)| (a, Tup2(b, c)));
            let left = left.join_index(&under, |_, &Tup2(b, c), &x| Some((Tup2(x, b), c)));
            let and = left.join(&subsumed.map_index(|&pair| (pair, ())), |&Tup2(x, _), &c, ()| Tup2(x, c));
            let has = has.delta0(child).map_index(|&Tup3(a, r, y)| (a, Tup2(r, y)));
            let next_linked = has.join(&under, |_, &Tup2(r, y), &x| Tup3(x, r, y));
            let made = made.delta0(child).map_index(|&Tup3(r, b, c)| (b, Tup2(r, c)));
            let filled = made.join_index(&under, |_, &Tup2(r, c), &y| Some((Tup2(r, y), c)));
            let linked = linked.map_index(|&Tup3(x, r, y)| (Tup2(r, y), x));
            let some = linked.join(&filled, |_, &x, &c| Tup2(x, c));
            Ok((below.plus(&wider).plus(&and).plus(&some), next_linked))
        })
        .expect("a circuit");
    subsumed
}

type Inputs = BTreeMap<&'static str, ZSetHandle<Triple>>;
type View = OutputHandle<SpineSnapshot<OrdZSet<u64>>>;

/// The inputs of a program, and the mixed rows of its view.
fn circuit(name: &str, root: &mut RootCircuit) -> (Inputs, View) {
    let mut inputs = Inputs::new();
    let mut rows = |relation| {
        let (stream, handle) = root.add_input_zset::<Triple>();
        inputs.insert(relation, handle);
        stream
    };
    macro_rules! two {
        ($relation:literal) => {
            rows($relation).map(|&Tup3(x, y, _)| Tup2(x, y))
        };
    }
    let pairs = match name {
        "closure" | "grid" | "upwards" => closure(two!("edge")),
        "same-generation" => same_generation(two!("parent")),
        "points-to" => points_to(two!("address"), two!("copy"), two!("load"), two!("store")),
        "cspa" => cannot("the circuit written for it holds other rows than the judge after the deletion"),
        "csda" => nulls(two!("source"), two!("arc")),
        "shortest" => shortest(rows("source"), rows("road")),
        "components" => components(rows("node"), two!("edge")),
        "two-hops" => two_hops(two!("edge")),
        "triangles" => {
            let view = triangles(two!("edge")).map(|&Tup3(x, y, z)| mixed(&[x, y, z]));
            return (inputs, view.accumulate_output());
        }
        "unreached" => {
            let view = unreached(two!("edge"), rows("node"), rows("source")).map(|&Tup3(x, ..)| mixed(&[x]));
            return (inputs, view.accumulate_output());
        }
        "access" => access(two!("member"), two!("inherits"), two!("grants"), two!("denied")),
        "subsumption" => subsumption(two!("below"), rows("both"), rows("has"), rows("made")),
        _ => cannot("not written for dbsp"),
    };
    (inputs, pairs.map(|&Tup2(x, y)| mixed(&[x, y])).accumulate_output())
}

struct Running {
    handle: DBSPHandle,
    inputs: Inputs,
    view: View,
    digest: Digest,
}

impl System for Running {
    fn change(&mut self, relation: &str, rows: &[Row], weight: i64) {
        let input = &self.inputs[relation];
        rows.iter().for_each(|&[x, y, z]| input.push(Tup3(x, y, z), weight));
    }

    fn update(&mut self) {
        self.handle.transaction().expect("a transaction");
    }

    fn digest(&mut self) -> Digest {
        let changes = self.view.concat().consolidate();
        changes.iter().for_each(|(mixed, (), weight)| self.digest.add(mixed, weight));
        self.digest
    }
}

fn main() {
    let (name, folder) = arguments();
    let (handle, (inputs, view)) =
        Runtime::init_circuit(1, move |root| Ok(circuit(&name, root))).expect("a circuit");
    take_steps(&folder, &mut Running { handle, inputs, view, digest: Digest::default() });
}
