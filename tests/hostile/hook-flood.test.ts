import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { startChild } from '../bench/child.ts';
import type { Scripts } from '../bench/child.ts';
import type { BodyFloodReport } from '../bench/requests.ts';
import { median, quantile } from '../bench/statistics.ts';
import { createAccount, expectStatus, removeAccount } from '../contract/support/accounts.ts';
import { asOther, call, get, post, stack } from '../contract/support/api.ts';
import type { Answer, CallOptions } from '../contract/support/api.ts';
import { createConnection } from '../contract/support/connections.ts';
import type { TestAccount } from '../contract/support/own-accounts.ts';
import { startBystander } from './support/bystander.ts';
import { areFiguresMeasured, times } from './support/figures.ts';
import { othersServedDuring } from './support/observe.ts';
import { createHook } from './support/triggers.ts';

const MIB = 1024 * 1024;
const BYTES = 5 * MIB - 100;
const SOCKETS = 32;
const HOOKS = 4;
/** Large inbound bodies captured per second and account (docs/limits.md). */
const BYTES_PER_SECOND = 16 * MIB;
const REFUSALS = times(40, 100);
const ROUNDS = 5;
const ROUND_MS = 5_000;
const PAUSE_MS = 20;
/** Maximum factor by which another account's p95 may increase. */
const MAX_RATIO = 4;
const BUSY_MACHINE = { timeout: 120_000, interval: 200 };

let account: TestAccount;
let generator: Scripts['body-flood'];
/** Addresses of the attacking account; every second one has a filter. */
const hooks: string[] = [];
beforeAll(async () => {
  account = await createAccount();
  for (let made = 0; made < HOOKS; made += 1) {
    hooks.push(await hookOf(account));
    hooks.push(await hookOf(account, 'body.text = "a"'));
  }
  generator = await startChild('body-flood', { args: [] });
});
afterAll(async () => {
  await generator.stop();
  await removeAccount(account);
});

async function hookOf(by: CallOptions, filter?: string): Promise<string> {
  const { inboundUrl } = await createHook({ name: 'Flooded', ...(filter !== undefined && { filter }) }, by);
  return inboundUrl;
}

const callHook = (url: string, raw: string): Promise<Answer> =>
  call('POST', new URL(url).pathname, { raw, apiKey: null });

async function startFlood(urls: readonly string[]): Promise<void> {
  // Inbound addresses have the stack's public host; replace it by the actual one.
  const here = urls.map((url) => new URL(new URL(url).pathname, stack.baseUrl).href);
  await generator.request({ kind: 'start', urls: here, bytes: BYTES, sockets: SOCKETS });
}

const count = ({ statuses }: BodyFloodReport, ...named: readonly string[]): number =>
  named.reduce((sum, status) => sum + (statuses[status] ?? 0), 0);

it('a flood of 5 MiB bodies at many addresses of an account is taken at a bounded rate, and refused beyond it', async () => {
  const bystander = await startBystander();
  onTestFinished(() => bystander.stop());
  await startFlood(hooks);
  await othersServedDuring(bystander, () =>
    vi.waitUntil(
      async () => count(await generator.request({ kind: 'report' }), '429', '503') >= REFUSALS,
      BUSY_MACHINE,
    ),
  );
  const report = await generator.request({ kind: 'end' });
  expect(['200', '202', '429', '503', '504']).toEqual(expect.arrayContaining(Object.keys(report.statuses)));
  expect(report.withoutRetryAfter).toBe(0);
  const taken = count(report, '200', '202');
  expect(taken).toBeGreaterThan(0);
  // The first one is always accepted.
  expect((taken - 1) * BYTES).toBeLessThanOrEqual(report.seconds * BYTES_PER_SECOND);
  await vi.waitFor(async () => {
    expectStatus(await callHook(hooks[0] ?? '', '{"a":1}'), 202);
    expectStatus(await callHook(hooks[0] ?? '', `{"text":"${'x'.repeat(MIB)}"}`), 202);
  }, BUSY_MACHINE);
});

/** Calls of the other account, by name. */
async function openTargets(): Promise<ReadonlyMap<string, () => Promise<Answer>>> {
  const vendor = createServer((request, response) => {
    request.resume();
    response.setHeader('content-type', 'application/json').end('{"isHonest":true}');
  }).listen(0, '127.0.0.1');
  onTestFinished(() => {
    vendor.closeAllConnections();
    vendor.close();
  });
  await once(vendor, 'listening');
  const { port } = vendor.address() as AddressInfo; // a listening TCP server has an address of this type
  const { id } = await createConnection(
    {
      applicationSlug: 'http',
      connectionName: 'Honest',
      authenticationId: 1,
      fields: { baseUrl: `http://127.0.0.1:${port}`, apiKey: 'k' },
    },
    asOther.apiKey,
  );
  const hook = await hookOf(asOther);
  const execution = `/v1/tools/http-send-request/execute?connectionId=${id}`;
  return new Map([
    ['an execution', () => post(execution, { fields: { url: '/' } }, asOther)],
    ['a list of executions', () => get('/v1/executions?top=5', asOther)],
    ['whoami', () => get('/v1/auth/whoami', asOther)],
    ['a small hook', () => callHook(hook, '{"a":1}')],
  ]);
}

/** The 95th percentile of a target's call durations, measured sequentially for a while. */
async function p95Of(target: () => Promise<Answer>): Promise<number> {
  const tookMs: number[] = [];
  const end = performance.now() + ROUND_MS;
  for (let now = performance.now(); now < end; now = performance.now()) {
    const { status } = await target();
    tookMs.push(performance.now() - now);
    expect([200, 202]).toContain(status);
    await delay(PAUSE_MS);
  }
  return quantile(tookMs, 0.95);
}

it.runIf(areFiguresMeasured).each([
  ['taken as far as the account may', (): readonly string[] => hooks],
  ['refused as those of an unknown token', (): readonly string[] => hooks.map((url) => `${url}x`)],
])(
  'while a flood of 5 MiB bodies is %s, p95 of another account’s calls is below four times its own',
  async (_name, urls) => {
    const targets = await openTargets();
    const names = [...targets.keys()];
    const measure = (): Promise<readonly number[]> => Promise.all([...targets.values()].map(p95Of));
    await measure();
    const rounds: { readonly calm: readonly number[]; readonly flooded: readonly number[] }[] = [];
    while (rounds.length < ROUNDS) {
      const calm = await measure();
      await startFlood(urls());
      rounds.push({ calm, flooded: await measure() });
      await generator.request({ kind: 'end' });
    }
    const ratios = names.map((name, at) => {
      const [calm, flooded] = [
        median(rounds.map((round) => round.calm[at] ?? Number.NaN)),
        median(rounds.map((round) => round.flooded[at] ?? Number.NaN)),
      ];
      const ratio = median(rounds.map((round) => (round.flooded[at] ?? Number.NaN) / (round.calm[at] ?? 1)));
      console.log(
        `${name}: p95 ${calm.toFixed(1)} ms, flooded ${flooded.toFixed(1)} ms: ${ratio.toFixed(1)} x`,
      );
      return { name, ratio };
    });
    expect(ratios.filter(({ ratio }) => ratio >= MAX_RATIO)).toEqual([]);
  },
  600_000,
);
