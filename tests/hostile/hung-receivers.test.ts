import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { createAccount, expectStatus, removeAccount } from '../contract/support/accounts.ts';
import { asOther, call, post } from '../contract/support/api.ts';
import type { CallOptions } from '../contract/support/api.ts';
import type { TestAccount } from '../contract/support/own-accounts.ts';
import { areFiguresMeasured, times } from './support/figures.ts';

const HUNG = 100;
/** Maximum number of a trigger's destinations. */
const OF_A_TRIGGER = 50;
const CALM_EVENTS = times(25, 250);
const EVENT_EVERY_MS = 40;
/** Maximum factor by which another account's p95 may increase. */
const MAX_RATIO = 4;
const BUSY_MACHINE = { timeout: 120_000, interval: 50 };

interface Arrival {
  readonly atMs: number;
  readonly attempt: unknown;
}

const servers: Server[] = [];
const arrivals = new Map<number, Arrival[]>();
const hanging = new Set<ServerResponse>();
const hung = { isHanging: true, begun: 0 };
let honest = '';
let honestUrl = '';

beforeAll(async () => {
  honestUrl = await serve((request, response) => {
    void json(request).then((event) => {
      const { body } = (event as { payload: { body: { n: number } } }).payload; // fired by this test
      const { n } = body;
      const arrival = { atMs: performance.now(), attempt: request.headers['fairlead-attempt'] };
      arrivals.set(n, [...(arrivals.get(n) ?? []), arrival]);
      return response.end();
    });
  });
  honest = await hookTo([await destinationAt(honestUrl, asOther)], asOther);
});
afterAll(async () => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // a listening TCP server has an address of this type
  return `http://127.0.0.1:${port}/`;
}

async function destinationAt(url: string, by: CallOptions): Promise<string> {
  const sent = { url, maxConsecutiveFailures: 100 };
  return String(expectStatus(await post('/v1/triggers/destinations', sent, by), 201).body.id);
}

/** Path of an inbound address whose events go to these destinations. */
async function hookTo(destinationIds: readonly string[], by: CallOptions): Promise<string> {
  const sent = { name: 'Hung', triggerTypeSlug: 'http_webhook', destinationIds };
  const { inboundUrl } = expectStatus(await post('/v1/triggers', sent, by), 201).body;
  return new URL(String(inboundUrl)).pathname;
}

async function fire(hook: string, body: object): Promise<void> {
  expectStatus(await call('POST', hook, { body, apiKey: null }), 202);
}

/** Inbound addresses of the attacking account; each one's events go to many destinations. */
async function openFlood(account: TestAccount): Promise<readonly string[]> {
  const url = await serve((request, response) => {
    request.resume();
    hung.begun += 1;
    if (!hung.isHanging) return void response.end();
    hanging.add(response);
    response.on('close', () => hanging.delete(response));
  });
  const ids: string[] = [];
  while (ids.length < HUNG) ids.push(await destinationAt(url + String(ids.length), account));
  const hooks: string[] = [];
  for (let at = 0; at < HUNG; at += OF_A_TRIGGER)
    hooks.push(await hookTo(ids.slice(at, at + OF_A_TRIGGER), account));
  return hooks;
}

/** Releases hanging requests and removes everything still to be sent, so that the next flood starts clean. */
async function endFlood(account: TestAccount): Promise<void> {
  hung.isHanging = false;
  await removeAccount(account);
  for (const response of hanging) response.end();
  hanging.clear();
}

/** Fires at the addresses in turn until the returned function is called. */
function flood(hooks: readonly string[]): () => Promise<void> {
  const stopping = new AbortController();
  const flooding = (async () => {
    for (let at = 0; !stopping.signal.aborted; at += 1) {
      await fire(hooks[at % hooks.length] ?? '', { a: 1 });
    }
  })();
  return () => {
    stopping.abort();
    return flooding;
  };
}

let fired = 0;

/** Fires events of the other account while `goesOn`; returns the time from each call to its single arrival, on the first attempt. */
async function deliverWhile(goesOn: (count: number) => boolean): Promise<readonly number[]> {
  const begun = new Map<number, number>();
  const calls: Promise<void>[] = [];
  while (goesOn(begun.size)) {
    fired += 1;
    begun.set(fired, performance.now());
    calls.push(fire(honest, { n: fired }));
    await delay(EVENT_EVERY_MS);
  }
  await Promise.all(calls);
  await vi.waitUntil(() => [...begun.keys()].every((n) => arrivals.has(n)), BUSY_MACHINE);
  return [...begun].map(([n, atMs]) => {
    const found = arrivals.get(n) ?? [];
    expect(found.map(({ attempt }) => attempt)).toEqual(['1']);
    return (found[0]?.atMs ?? Number.NaN) - atMs;
  });
}

/** The 95th percentile. */
function p95(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.95)] ?? Number.NaN;
}

it.each([
  ['never answered', true],
  ['answered at once until then', false],
])(
  'while a flood goes to 100 destinations that hang and %s, another account gets each event at the first attempt',
  async (_name, isHangingAtFirst) => {
    hung.isHanging = isHangingAtFirst;
    const account = await createAccount();
    onTestFinished(() => endFlood(account));
    const hooks = await openFlood(account);
    const calm = await deliverWhile((count) => count < CALM_EVENTS);
    if (!isHangingAtFirst)
      for (let times = 1; times <= 3; times += 1) {
        const before = hung.begun;
        for (const hook of hooks) await fire(hook, { a: 1 });
        await vi.waitUntil(() => hung.begun >= before + HUNG, BUSY_MACHINE);
      }
    hung.isHanging = true;
    const before = hung.begun;
    const stop = flood(hooks);
    await vi.waitUntil(() => hung.begun >= before + HUNG, BUSY_MACHINE);
    // Longer than the deadline: the hanging ones have failed, and others hang instead.
    const flooded = await deliverWhile(() => hung.begun < before + 3 * HUNG);
    await stop();
    expect(flooded.length).toBeGreaterThan(0);
    if (!areFiguresMeasured) return;
    const ratio = p95(flooded) / p95(calm);
    console.log(
      `p95 ${p95(calm).toFixed(0)} ms, flooded ${p95(flooded).toFixed(0)} ms: ${ratio.toFixed(1)} x`,
    );
    expect(ratio).toBeLessThan(MAX_RATIO);
  },
);
