// The client against a server that runs: TIDELOG_URL and TIDELOG_TOKEN name it. Run by tests/client/test_typescript.py.
import assert from "node:assert/strict";
import http from "node:http";
import net from "node:net";
import { test } from "node:test";

import { read, write } from "../connection.js";
import { ServerError, Tidelog } from "../index.js";

const url = process.env.TIDELOG_URL, token = process.env.TIDELOG_TOKEN;
const db = new Tidelog(url, token);

test("views, queries, epochs and proofs", async () => {
  const done = await db.postEpochs({ insert: { edge: [[1, 2], [2, 3]] }, author: "ada" });
  assert.equal(done.changes.reach.plus_count, 3);
  const page = await db.getViewsName("reach", { X: 1, limit: 1 });
  const rest = await db.getViewsName("reach", { X: 1, limit: 1, after: page.next });
  assert.deepEqual([...page.rows, ...rest.rows].sort(), [[1, 2], [1, 3]]);
  assert.deepEqual((await db.postQuery({ text: "reach(X, 3), !edge(X, 3)" })).rows, [[1]]);
  assert.equal((await db.getWhy({ fact: "reach(1, 3)" })).fact, "reach(1, 3)");
  const { id } = await db.postEpochsOpen();
  await db.postEpochsOpenId(id, { insert: { edge: [[3, 4]] } });
  assert.equal(await db.deleteEpochsOpenId(id), undefined);
  assert.match(await db.getMetrics(), /tidelog_http_requests_total/);
  const csv = await db.send("GET", "/v1/views/edge", { headers: { Accept: "text/csv" } });
  assert.equal((await csv.text()).split("\n").length, 4);
});

test("errors are those of the server", async () => {
  await assert.rejects(db.postQuery({ text: "raech(X, Y)" }), (error) => error instanceof ServerError && error.status === 400 && error.code.startsWith("TL"));
  await assert.rejects(new Tidelog(url, "x".repeat(43)).getServer(), { status: 401, code: "TL8001" });
  assert.throws(() => new Tidelog("nowhere", token), TypeError);
  assert.throws(() => new Tidelog(url, "a\nb"), TypeError);
});

test("integers are exact", async () => {
  const big = 9223372036854775807n;
  await db.postRelationsNameInsert("count", [["a", big], ["b", -5], ["c", 2n ** 53n + 1n]]);
  assert.deepEqual((await db.getViewsName("count")).rows.sort(), [["a", big], ["b", -5], ["c", 2n ** 53n + 1n]]);
  assert.deepEqual(read('{"int":["9223372036854775807", 9223372036854775807, 1.5, -1e30, "\\"12345678901234567890"]}'),
    { int: ["9223372036854775807", big, 1.5, -1e30, '"12345678901234567890'] });
  assert.equal(write({ a: [1n, null, undefined, "x"], b: undefined }), '{"a":[1,null,null,"x"]}');
});

test("a feed yields every epoch once, although connections break", async () => {
  const since = (await db.getServer()).epoch;
  const sockets = new Set(), { hostname, port } = new URL(url);
  const proxy = net.createServer((from) => {
    const to = net.connect(Number(port), hostname);
    for (const socket of [from, to]) {
      sockets.add(socket);
      socket.on("error", () => {}).on("close", () => { sockets.delete(socket); from.destroy(); to.destroy(); });
    }
    from.pipe(to);
    to.pipe(from);
  });
  await new Promise((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const wanted = [];
  const ending = new AbortController();
  const feed = new Tidelog(`http://127.0.0.1:${proxy.address().port}`, token).feed("reach", { since, signal: ending.signal });
  for (let n = 0; n < 6; n++) {
    const { epoch } = await db.postEpochs({ insert: { edge: [[100 + 2 * n, 101 + 2 * n]] } });
    if (n === 3) sockets.forEach((socket) => socket.destroy());
    wanted.push({ epoch, plus: [[100 + 2 * n, 101 + 2 * n]], minus: [] });
    assert.deepEqual((await feed.next()).value, wanted.at(-1));
  }
  const waiting = feed.next();
  ending.abort(new Error("enough"));
  await assert.rejects(waiting, /enough/);
  proxy.close();
});

test("a large epoch is one change, and an incomplete one is sent again", async () => {
  const events = (text) => text.map((data) => `event: change\ndata: ${JSON.stringify(data)}\n\n`).join("");
  const parts = [{ epoch: 5, plus: [[1]], minus: [], more: true }, { epoch: 5, plus: [[2]], minus: [[0]] }];
  const asked = [];
  const server = http.createServer((request, response) => {
    asked.push(request.headers["last-event-id"]);
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    response.end(events(asked.length === 1 ? parts.slice(0, 1) : parts));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  for await (const change of new Tidelog(`http://127.0.0.1:${server.address().port}`, token).feed("p", { since: 4 })) {
    assert.deepEqual(change, { epoch: 5, plus: [[1], [2]], minus: [[0]] });
    break;
  }
  assert.deepEqual(asked, ["4", "4"]);
  server.close();
  server.closeAllConnections();
});
