// Starts `provely simulate`, and a subscriber that keeps what is posted to it.

import { spawn } from "node:child_process";
import { createServer } from "node:http";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import path from "node:path";

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
const PROVELY = process.env.PROVELY_BIN ?? path.join(ROOT, "target/debug/provely");

/** A simulated service in a process of its own, on a free port. Stops with the test. */
export async function simulated(test, ...options) {
  const child = spawn(PROVELY, ["--json", "simulate", ...options, "--port", "0", "--root", ROOT], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  test.after(() => child.kill());
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  const { address } = JSON.parse(line);
  const control = async (method, below, body) => {
    const reply = await fetch(`${address}/_control${below}`, { method, body: body && JSON.stringify(body) });
    if (!reply.ok) throw new Error(await reply.text());
    return reply.json();
  };
  return { address, control };
}

/** Keeps the deliveries that it gets: raw bodies and headers. */
export async function subscriber(test) {
  const kept = [];
  const waiting = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const part of request) body += part;
    response.writeHead(204).end();
    const delivery = { body, headers: request.headers };
    waiting.length ? waiting.shift()(delivery) : kept.push(delivery);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  test.after(() => server.close());
  const next = () => (kept.length ? Promise.resolve(kept.shift()) : new Promise((take) => waiting.push(take)));
  return { url: `http://127.0.0.1:${server.address().port}/hooks`, next };
}
