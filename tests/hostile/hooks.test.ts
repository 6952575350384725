import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect as openSocket } from 'node:net';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createAccount, expectStatus, removeAccount } from '../contract/support/accounts.ts';
import { call, stack } from '../contract/support/api.ts';
import type { Answer } from '../contract/support/api.ts';
import type { TestAccount } from '../contract/support/own-accounts.ts';
import type { Bystander } from './support/bystander.ts';
import { startBystander } from './support/bystander.ts';
import { othersServedDuring, whileOthersAreServed } from './support/observe.ts';
import type { AttackingCall } from './support/observe.ts';
import { createHook } from './support/triggers.ts';

const MIB = 1024 * 1024;
const CALLS = 4;
const FLOOD = 1_000;
const SLOW_CALLERS = 50;
/** The statuses of a call that is not accepted. */
const REFUSALS = [429, 503];
const BUSY_MACHINE = { timeout: 120_000, interval: 200 };

let account: TestAccount;
let bystander: Bystander;
let hook = '';
let filtered = '';
beforeAll(async () => {
  account = await createAccount();
  hook = await hookOf({});
  filtered = await hookOf({ filter: 'body.a.b = 1' });
  bystander = await startBystander();
});
afterAll(async () => {
  await bystander.stop();
  await removeAccount(account);
});

/** Path of a trigger's inbound address. */
async function hookOf(members: Record<string, unknown>): Promise<string> {
  const { inboundUrl } = await createHook({ name: 'Attacked', ...members }, account);
  return new URL(inboundUrl).pathname;
}

const callHook = (path: string, body: string, contentType = 'application/json'): Promise<Answer> =>
  call('POST', path, { raw: body, headers: { 'content-type': contentType }, apiKey: null });

/** Refusals are temporary: alone, such a call is eventually accepted. */
const untilAnswered = (path: string, body: string, status: number): Promise<void> =>
  vi.waitFor(async () => void expectStatus(await callHook(path, body), status), BUSY_MACHINE);

const filled = (part: string): string => part.repeat(Math.floor((5 * MIB - 100) / part.length));
const bodies: readonly [string, string][] = [
  ['empty objects', `[${filled('{},')}{}]`],
  ['different names', `{${Array.from({ length: 400_000 }, (_member, at) => `"a${at}":1`).join()}}`],
  ['numbers', `[${filled('1,')}1]`],
  ['levels', `${'['.repeat(2.5 * MIB)}${']'.repeat(2.5 * MIB)}`],
  ['levels that never close', '['.repeat(5 * MIB)],
  ['escapes', `"${filled(String.raw`\n`)}"`],
  ['text that is no JSON', filled('"\\')],
];
it.each(bodies)(
  '5 MiB of %s are taken, or filtered by a worker; the filter is used as before',
  async (_name, body) => {
    const several = (path: string): Promise<readonly Answer[]> =>
      Promise.all(Array.from({ length: CALLS }, () => callHook(path, body)));
    const taken = await othersServedDuring(bystander, () => several(hook));
    for (const { status } of taken) expect([202, ...REFUSALS]).toContain(status);
    await untilAnswered(hook, body, 202);
    const refused = await othersServedDuring(bystander, () => several(filtered));
    // On a busy machine, a call may wait for its account's worker until no time is left.
    for (const { status } of refused) expect([200, 504, ...REFUSALS]).toContain(status);
    await untilAnswered(filtered, body, 200);
    await untilAnswered(filtered, '{"a":{"b":1}}', 202);
  },
);

it('a flood of calls, and one of unknown tokens, is answered', async () => {
  const flood = Array.from({ length: FLOOD }, (): AttackingCall => () => callHook(hook, '{"a":1}'));
  for (const { status } of await whileOthersAreServed(bystander, flood, { callers: 100 }))
    expect([202, ...REFUSALS]).toContain(status);
  await untilAnswered(hook, '{"a":1}', 202);
  const unknown = Array.from(
    { length: FLOOD },
    (): AttackingCall => () => callHook(`/hooks/${randomBytes(16).toString('hex')}`, '{"a":1}'),
  );
  for (const { status } of await whileOthersAreServed(bystander, unknown, { callers: 100 }))
    expect([404, ...REFUSALS]).toContain(status);
  await untilAnswered(`/hooks/${randomBytes(16).toString('hex')}`, '{"a":1}', 404);
});

it('callers that never send the rest of their body are cut off, and keep nobody waiting', async () => {
  const { hostname, port } = new URL(stack.baseUrl);
  const head = (length: number): string =>
    `POST ${hook} HTTP/1.1\r\nhost: ${hostname}\r\nconnection: close\r\ncontent-length: ${length}\r\n\r\n`;
  const slowCall = async (length: number): Promise<string> => {
    const socket: Socket = openSocket(Number(port), hostname);
    await once(socket, 'connect');
    socket.write(`${head(length)}{`);
    // Data written to a closed socket.
    socket.on('error', () => undefined);
    return text(socket).catch(() => '');
  };
  const answers = await othersServedDuring(bystander, () =>
    Promise.all(
      Array.from({ length: SLOW_CALLERS }, (_caller, at) => slowCall(at % 2 === 0 ? 1_000 : 4 * MIB)),
    ),
  );
  for (const answer of answers) expect(answer).toMatch(/^(HTTP\/1\.1 (408|429|503|504) |$)/);
  expect((await callHook(hook, '{}')).status).toBe(202);
});
