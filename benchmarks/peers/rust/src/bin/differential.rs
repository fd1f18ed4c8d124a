//! The programs in differential dataflow, which maintains the view.

use std::{cell::RefCell, collections::BTreeMap, rc::Rc};

use contestants::{arguments, cannot, mixed, take_steps, Digest, Row, System};
use differential_dataflow::{
    input::{Input, InputSession},
    operators::iterate::{Iterate, Variable},
    VecCollection,
};
use timely::{
    dataflow::{operators::probe::Handle, Scope},
    order::Product,
    worker::Worker,
};

type Time = u32;
type Pairs<'a, T = Time> = VecCollection<'a, T, (i64, i64), isize>;
type Rows<'a> = VecCollection<'a, Time, Row, isize>;

fn swap((x, y): (i64, i64)) -> (i64, i64) {
    (y, x)
}

fn closure<'a>(edge: Pairs<'a>) -> Pairs<'a> {
    edge.scope().iterate(|scope, reach| {
        let edge = edge.enter(scope);
        edge.clone().map(swap).join_map(reach, |_, &x, &z| (x, z)).concat(edge).distinct()
    })
}

fn same_generation<'a>(parent: Pairs<'a>) -> Pairs<'a> {
    let siblings = parent.clone().join_map(parent.clone(), |_, &x, &y| (x, y)).filter(|(x, y)| x != y);
    parent.scope().iterate(|scope, same| {
        let parent = parent.enter(scope).arrange_by_key();
        let half = same.join_core(parent.clone(), |_, &q, &x| Some((q, x)));
        half.join_core(parent, |_, &x, &y| Some((x, y))).concat(siblings.enter(scope)).distinct()
    })
}

fn points_to<'a>(address: Pairs<'a>, copy: Pairs<'a>, load: Pairs<'a>, store: Pairs<'a>) -> Pairs<'a> {
    address.scope().iterate(|scope, points| {
        let points = points.arrange_by_key();
        let copied = copy.map(swap).enter(scope).join_core(points.clone(), |_, &y, &x| Some((y, x)));
        let opened = load.map(swap).enter(scope).join_core(points.clone(), |_, &y, &z| Some((z, y)));
        let loaded = opened.join_core(points.clone(), |_, &y, &w| Some((y, w)));
        let placed = store.enter(scope).join_core(points.clone(), |_, &x, &z| Some((x, z)));
        let stored = placed.join_core(points, |_, &z, &w| Some((z, w)));
        address.enter(scope).concat(copied).concat(loaded).concat(stored).distinct()
    })
}

fn aliases<'a>(assign: Pairs<'a>, points: Pairs<'a>) -> Pairs<'a> {
    let outer = assign.scope();
    outer.iterative::<u64, _, _>(|scope| {
        let step = Product::new(Default::default(), 1);
        let (flows_next, flows) = Variable::new(scope, step);
        let (memory_next, memory) = Variable::new(scope, step);
        let (alias_next, alias) = Variable::new(scope, step);
        let assign = assign.enter(scope);
        let points = points.enter(scope).arrange_by_key();
        let same = assign.clone().flat_map(|(x, y)| [(x, x), (y, y)]);
        let (ahead, back) = (flows.clone().arrange_by_key(), flows.map(swap).arrange_by_key());
        let memory_of = memory.arrange_by_key();

        let longer = back.clone().join_core(ahead.clone(), |_, &x, &z| Some((x, z)));
        let through = assign.clone().map(swap).join_core(memory_of.clone(), |_, &x, &z| Some((x, z)));
        let flows = same.clone().concat(assign).concat(longer).concat(through).distinct();
        let half = alias.join_core(points.clone(), |_, &q, &x| Some((q, x)));
        let memory = half.join_core(points, |_, &x, &y| Some((x, y))).concat(same).distinct();
        let meeting = back.clone().join_core(back.clone(), |_, &x, &y| Some((x, y)));
        let half = back.clone().join_core(memory_of, |_, &x, &w| Some((w, x)));
        let alias = half.join_core(back, |_, &x, &y| Some((x, y))).concat(meeting).distinct();

        flows_next.set(flows);
        memory_next.set(memory);
        alias_next.set(alias.clone());
        alias.leave(outer)
    })
}

fn nulls<'a>(source: Pairs<'a>, arc: Pairs<'a>) -> Pairs<'a> {
    source.scope().iterate(|scope, null| {
        null.map(swap).join_map(arc.enter(scope), |_, &x, &z| (x, z)).concat(source.enter(scope)).distinct()
    })
}

fn shortest<'a>(source: Rows<'a>, road: Rows<'a>) -> Pairs<'a> {
    let (from, road) = (source.map(|[x, ..]| (x, 0)), road.map(|[x, y, w]| (x, (y, w))));
    from.scope().iterate(|scope, distance| {
        let longer = distance.join_map(road.enter(scope), |_, &d, &(y, w)| (y, d + w));
        longer.concat(from.enter(scope)).reduce(|_, found, least| least.push((*found[0].0, 1)))
    })
}

fn components<'a>(node: Rows<'a>, edge: Pairs<'a>) -> Pairs<'a> {
    let own = node.map(|[x, ..]| (x, x));
    let link = edge.clone().map(swap).concat(edge);
    own.scope().iterate(|scope, component| {
        let next = component.join_map(link.enter(scope), |_, &c, &y| (y, c));
        next.concat(own.enter(scope)).reduce(|_, found, least| least.push((*found[0].0, 1)))
    })
}

fn two_hops<'a>(edge: Pairs<'a>) -> Pairs<'a> {
    edge.clone().map(swap).join_map(edge, |_, &x, &z| (x, z)).distinct()
}

fn triangles<'a>(edge: Pairs<'a>) -> Rows<'a> {
    let edge = edge.filter(|(x, y)| x < y);
    let paths = edge.clone().map(swap).join_map(edge.clone(), |&y, &x, &z| ((x, z), y));
    paths.semijoin(edge).map(|((x, z), y)| [x, y, z])
}

fn unreached<'a>(edge: Pairs<'a>, node: Rows<'a>, source: Rows<'a>) -> Rows<'a> {
    let from = source.map(|[x, ..]| x);
    let reached = from.scope().iterate(|scope, reached| {
        let next = edge.enter(scope).semijoin(reached).map(|(_, y)| y);
        next.concat(from.enter(scope)).distinct()
    });
    node.map(|[x, ..]| (x, ())).antijoin(reached).map(|(x, ())| [x, 0, 0])
}

fn access<'a>(member: Pairs<'a>, inherits: Pairs<'a>, grants: Pairs<'a>, denied: Pairs<'a>) -> Pairs<'a> {
    let acts = member.scope().iterate(|scope, acts| {
        let above = acts.map(swap).join_map(inherits.enter(scope), |_, &user, &role| (user, role));
        above.concat(member.enter(scope)).distinct()
    });
    let granted = acts.map(swap).join_map(grants, |_, &user, &object| ((user, object), ())).distinct();
    granted.antijoin(denied).map(|(pair, ())| pair)
}

fn subsumption<'a>(below: Pairs<'a>, both: Rows<'a>, has: Rows<'a>, made: Rows<'a>) -> Pairs<'a> {
    let outer = below.scope();
    outer.iterative::<u64, _, _>(|scope| {
        let (next, subsumed) = Variable::new(scope, Product::new(Default::default(), 1));
        let below = below.enter(scope);
        let under = subsumed.map(swap).arrange_by_key(); // what is below a class
        let wider = below.clone().join_core(under.clone(), |_, &z, &x| Some((x, z)));
        let left = both.map(|[a, b, c]| (a, (b, c))).enter(scope);
        let left = left.join_core(under.clone(), |_, &(b, c), &x| Some(((b, x), c)));
        let and = left.join_map(under.clone().as_collection(|&b, &x| ((b, x), ())), |&(_, x), &c, ()| (x, c));
        let has = has.map(|[a, r, y]| (a, (r, y))).enter(scope);
        let linked = has.join_core(under.clone(), |_, &(r, y), &x| Some((x, r, y))).distinct();
        let made = made.map(|[r, b, c]| (b, (r, c))).enter(scope);
        let filled = made.join_core(under, |_, &(r, c), &y| Some(((r, y), c)));
        let some = linked.map(|(x, r, y)| ((r, y), x)).join_map(filled, |_, &x, &c| (x, c));
        let found = below.concat(wider).concat(and).concat(some).distinct();
        next.set(found.clone());
        found.leave(outer)
    })
}

/// The inputs of a dataflow, and how far it has come.
struct Dataflow<'w> {
    worker: &'w mut Worker,
    inputs: BTreeMap<&'static str, InputSession<Time, Row, isize>>,
    probe: Handle<Time>,
    view: Rc<RefCell<Digest>>,
    time: Time,
}

impl System for Dataflow<'_> {
    fn change(&mut self, relation: &str, rows: &[Row], weight: i64) {
        let input = self.inputs.get_mut(relation).expect("a base relation of the program");
        rows.iter().for_each(|&row| input.update(row, weight as isize));
    }

    fn update(&mut self) {
        self.time += 1;
        for input in self.inputs.values_mut() {
            input.advance_to(self.time);
            input.flush();
        }
        while self.probe.less_than(&self.time) {
            self.worker.step();
        }
    }

    fn digest(&mut self) -> Digest {
        *self.view.borrow()
    }
}

/// The mixed rows of the view of a program.
fn view<'a>(
    name: &str,
    scope: Scope<'a, Time>,
    inputs: &mut BTreeMap<&'static str, InputSession<Time, Row, isize>>,
) -> VecCollection<'a, Time, u64, isize> {
    let mut rows = |relation| {
        let (input, collection) = scope.clone().new_collection();
        inputs.insert(relation, input);
        collection
    };
    macro_rules! two {
        ($relation:literal) => {
            rows($relation).map(|[x, y, _]| (x, y))
        };
    }
    let pairs = match name {
        "closure" | "grid" | "upwards" => closure(two!("edge")),
        "same-generation" => same_generation(two!("parent")),
        "points-to" => points_to(two!("address"), two!("copy"), two!("load"), two!("store")),
        "cspa" => aliases(two!("assign"), two!("points")),
        "csda" => nulls(two!("source"), two!("arc")),
        "shortest" => shortest(rows("source"), rows("road")),
        "components" => components(rows("node"), two!("edge")),
        "two-hops" => two_hops(two!("edge")),
        "triangles" => return triangles(two!("edge")).map(|row| mixed(&row)),
        "unreached" => return unreached(two!("edge"), rows("node"), rows("source")).map(|row| mixed(&row[..1])),
        "access" => access(two!("member"), two!("inherits"), two!("grants"), two!("denied")),
        "subsumption" => subsumption(two!("below"), rows("both"), rows("has"), rows("made")),
        _ => cannot("not written for differential dataflow"),
    };
    pairs.map(|(x, y)| mixed(&[x, y]))
}

fn main() {
    let (name, folder) = arguments();
    timely::execute_directly(move |worker| {
        let (probe, digest) = (Handle::new(), Rc::new(RefCell::new(Digest::default())));
        let (mut inputs, found) = (BTreeMap::new(), digest.clone());
        worker.dataflow(|scope| {
            view(&name, scope, &mut inputs)
                .inspect(move |&(mixed, _, weight)| found.borrow_mut().add(mixed, weight as i64))
                .probe_with(&probe);
        });
        take_steps(&folder, &mut Dataflow { worker, inputs, probe, view: digest, time: 0 });
    });
}
