/* The positions of relations: in layers, base relations first, every view after all that it reads.
   Law: the places depend on the relations and their edges alone, never on chance; a recursive group stays together in
   one layer; two nodes never overlap. After Sugiyama: layers, dummies for long edges, orders by averages, places. */
const SWEEPS = 12,
  THIN = 10;

/* `along` is the size of a node in the direction of the layers, `across` in the other one. */
export function layered(relations, edges, { along, across, layerGap, gap }) {
  const groups = groupsOf(relations);
  const levels = levelsOf(relations, edges, groups);
  const { columns, chains } = withDummies(relations, edges, groups, levels);
  order(columns);
  place(columns, (item) => (item.dummy ? THIN : across), gap);
  const low = Math.min(...columns.flat().map((item) => item.at - (item.dummy ? THIN : across) / 2));
  const spots = new Map();
  for (const item of columns.flat()) {
    item.at -= low;
    if (!item.dummy)
      spots.set(item.name, { level: item.level, along: item.level * (along + layerGap), across: item.at });
  }
  const breadth = Math.max(0, ...columns.flat().map((item) => item.at + (item.dummy ? THIN : across) / 2));
  const lines = chains.map(({ edge, items }) => ({ edge, points: waypoints(items, along, layerGap) }));
  return { spots, lines, breadth, depth: columns.length * (along + layerGap) - layerGap, levels: columns.length };
}

const groupsOf = (relations) =>
  new Map(relations.map((r) => [r.name, r.recursive === null ? `1 ${r.name}` : `2 ${r.recursive}`]));

/* The longest way to each group; edges inside a group do not count. */
function levelsOf(relations, edges, groups) {
  const levels = new Map([...groups.values()].map((group) => [group, 0]));
  const outer = edges.filter((e) => groups.has(e.from) && groups.has(e.to) && groups.get(e.from) !== groups.get(e.to));
  for (let turn = 0; turn < levels.size; turn++) {
    let moved = false;
    for (const edge of outer) {
      const least = levels.get(groups.get(edge.from)) + 1;
      if (levels.get(groups.get(edge.to)) < least) {
        levels.set(groups.get(edge.to), least);
        moved = true;
      }
    }
    if (!moved) break;
  }
  for (const relation of relations) {
    const group = groups.get(relation.name);
    if (!relation.base && levels.get(group) === 0) levels.set(group, 1);
  }
  return levels;
}

function withDummies(relations, edges, groups, levels) {
  const columns = [],
    items = new Map(),
    chains = [];
  const add = (item) => {
    while (columns.length <= item.level) columns.push([]);
    columns[item.level].push(item);
    return item;
  };
  const sorted = [...relations].sort((a, b) => (a.stratum ?? 0) - (b.stratum ?? 0) || (a.name < b.name ? -1 : 1));
  for (const { name } of sorted) {
    const group = groups.get(name);
    items.set(name, add({ name, group, level: levels.get(group), back: [], on: [] }));
  }
  for (const edge of edges) {
    const from = items.get(edge.from),
      to = items.get(edge.to);
    if (!from || !to) continue;
    const chain = [from];
    for (let level = from.level + 1; level < to.level; level++) {
      chain.push(add({ dummy: true, group: `0 ${edge.from} ${edge.to} ${edge.negated}`, level, back: [], on: [] }));
    }
    chain.push(to);
    if (from.level !== to.level)
      chain.slice(1).forEach((item, i) => {
        item.back.push(chain[i]);
        chain[i].on.push(item);
      });
    chains.push({ edge, items: chain });
  }
  return { columns: columns.filter((column) => column.length), chains };
}

const mean = (numbers, otherwise) => (numbers.length ? numbers.reduce((a, b) => a + b, 0) / numbers.length : otherwise);

/* Items in the order of the average place of their neighbours, forth and back; members of a group side by side. */
function order(columns) {
  const number = (column) =>
    column.forEach((item, i) => {
      item.order = i;
    });
  columns.forEach(number);
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const side = sweep % 2 ? "on" : "back";
    for (const column of sweep % 2 ? [...columns].reverse() : columns) {
      const own = new Map(
        column.map((item) => [
          item,
          mean(
            item[side].map((other) => other.order),
            item.order,
          ),
        ]),
      );
      const byGroup = new Map();
      for (const item of column) byGroup.set(item.group, [...(byGroup.get(item.group) || []), own.get(item)]);
      const key = (item) => mean(byGroup.get(item.group), 0);
      column.sort(
        (a, b) => key(a) - key(b) || (a.group < b.group ? -1 : a.group > b.group ? 1 : own.get(a) - own.get(b)),
      );
      number(column);
    }
  }
}

/* Places near the average of the neighbours, in order and without overlap: of each column the best in least squares. */
function place(columns, size, gap) {
  const apart = (before, item) => (size(before) + size(item)) / 2 + (before.dummy && item.dummy ? gap / 3 : gap);
  for (const column of columns)
    spread(
      column,
      column.map(() => 0),
      apart,
    );
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const side = sweep % 2 ? "on" : "back";
    const wanted = (item) =>
      mean(
        item[side].map((other) => other.at),
        item.at,
      );
    for (const column of sweep % 2 ? [...columns].reverse() : columns) spread(column, column.map(wanted), apart);
  }
}

const level = (block) => block.sum / block.items.length;
const together = (block, item) => !block.items.includes(item) && !item.dummy && block.items.at(-1).group === item.group;

/* Pool neighbours that would overlap, until none do; members of a group are pooled always. */
function spread(column, wanted, apart) {
  const blocks = [];
  column.forEach((item, i) => {
    item.offset = i ? column[i - 1].offset + apart(column[i - 1], item) : 0;
    let block = { items: [item], sum: wanted[i] - item.offset };
    while (blocks.length && (together(blocks.at(-1), item) || level(blocks.at(-1)) > level(block))) {
      const before = blocks.pop();
      block = { items: [...before.items, ...block.items], sum: before.sum + block.sum };
    }
    blocks.push(block);
  });
  for (const { items, sum } of blocks) for (const item of items) item.at = sum / items.length + item.offset;
}

/* Points of an edge: out of the far side of its first node, through its dummies, into the near side of its last. */
function waypoints(items, along, layerGap) {
  const start = (item) => item.level * (along + layerGap);
  const first = items[0],
    last = items.at(-1);
  const points = [[start(first) + along, first.at]];
  for (const item of items.slice(1, -1)) points.push([start(item), item.at], [start(item) + along, item.at]);
  points.push([first.level === last.level ? start(last) + along : start(last), last.at]);
  return points;
}
