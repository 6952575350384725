import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  attackMark,
  SLOW_VENDORS,
  startHostileVendor,
  VENDOR_ATTACKS,
} from '@fairlead/connector-runtime/testing/hostile-vendor';
import type { HostileVendor } from '@fairlead/connector-runtime/testing/hostile-vendor';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createAccount, expectStatus, removeAccount } from '../contract/support/accounts.ts';
import { get, post } from '../contract/support/api.ts';
import type { Answer } from '../contract/support/api.ts';
import type { TestAccount } from '../contract/support/own-accounts.ts';
import type { Bystander } from './support/bystander.ts';
import { startBystander } from './support/bystander.ts';
import { areFiguresMeasured, times } from './support/figures.ts';
import { expectNoGrowth, othersServedDuring, whileOthersAreServed } from './support/observe.ts';
import type { AttackingCall } from './support/observe.ts';

const MIB = 1024 * 1024;
const REPEATS = times(2, 8);
const BUSY_MACHINE = { timeout: 120_000, interval: 200 };
let vendor: HostileVendor;
let account: TestAccount;
let bystander: Bystander;
beforeAll(async () => {
  vendor = await startHostileVendor();
  account = await createAccount();
  bystander = await startBystander();
});
afterAll(async () => {
  await bystander.stop();
  await removeAccount(account);
  await vendor.close();
});

/** A destination whose receiver performs this attack. */
async function destinationAt(url: string): Promise<string> {
  const sent = { url, maxConsecutiveFailures: 100 };
  return String(expectStatus(await post('/v1/triggers/destinations', sent, account), 201).body.id);
}

/** A trigger for these destinations. */
async function triggerTo(destinationIds: readonly string[]): Promise<{ id: string; inboundUrl: string }> {
  const sent = { name: 'Attacked', triggerTypeSlug: 'http_webhook', destinationIds };
  return expectStatus(await post('/v1/triggers', sent, account), 201).body as {
    id: string;
    inboundUrl: string;
  };
}

const receiver = (attack: string): string => `${vendor.url}/${attackMark(attack)}`;

const all: AttackingCall[] = [];

describe('a receiver', () => {
  it.each(Object.keys(VENDOR_ATTACKS))('that attacks by %s fails or gets its event', async (attack) => {
    const { id } = await triggerTo([await destinationAt(receiver(attack))]);
    const call = (): Promise<Answer> => post(`/v1/triggers/${id}/test`, undefined, account);
    all.push(call);
    for (const answer of await whileOthersAreServed(bystander, Array<AttackingCall>(REPEATS).fill(call))) {
      const { delivered, status_code: status, error } = expectStatus(answer, 200).body;
      // Delivered by its status, or a named failure.
      const isAccepted = Number(status) >= 200 && Number(status) < 300;
      expect([delivered, error === null], answer.text).toEqual([isAccepted, isAccepted]);
      // If the body is too large or breaks off, the response's status counts.
      const said = status === null ? /^[a-z_]+$/ : /^(null|redirect|http_\d{3})$/;
      expect(String(error), answer.text).toMatch(said);
    }
  });

  it('that keeps its sender waiting, in whichever way, fails at the deadline', async () => {
    const calls = Object.keys(SLOW_VENDORS).map(async (attack): Promise<AttackingCall> => {
      const { id } = await triggerTo([await destinationAt(receiver(attack))]);
      return () => post(`/v1/triggers/${id}/test`, undefined, account);
    });
    // All in parallel, because each waits for its deadline.
    for (const answer of await whileOthersAreServed(bystander, await Promise.all(calls))) {
      const { delivered, error } = expectStatus(answer, 200).body;
      expect([delivered, error]).toEqual([false, 'timeout']);
    }
  });

  it('that answers with 512 MiB is read no further than its status needs', async () => {
    const closed = Promise.withResolvers<number>();
    const server = createServer((_request, response) => {
      response.writeHead(200, { 'content-length': 512 * MIB });
      const piece = Buffer.alloc(MIB);
      const writeOn = (): void => {
        while (!response.destroyed && response.write(piece));
      };
      response.on('drain', writeOn);
      const { socket } = response;
      response.on('close', () => closed.resolve(socket?.bytesWritten ?? Number.NaN));
      writeOn();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo; // a listening TCP server has an address of this type
    const { id } = await triggerTo([await destinationAt(`http://127.0.0.1:${port}/`)]);
    const answer = await othersServedDuring(bystander, () =>
      post(`/v1/triggers/${id}/test`, undefined, account),
    );
    expect(expectStatus(answer, 200).body).toMatchObject({ delivered: true, status_code: 200 });
    // Size of the buffers at both ends of a connection.
    expect(await closed.promise).toBeLessThan(64 * MIB);
  });

  it.each([
    'http://169.254.169.254/latest/meta-data',
    'http://10.0.0.1/',
    'http://[::ffff:192.168.0.1]/',
    'http://0x0a000001/',
    'http://metadata.google.internal/',
  ])('inside the network is not called: %s', async (url) => {
    const made = await post('/v1/triggers/destinations', { url }, account);
    if (made.status === 400) return;
    const { id } = await triggerTo([String(expectStatus(made, 201).body.id)]);
    const { body } = expectStatus(await post(`/v1/triggers/${id}/test`, undefined, account), 200);
    expect(body).toMatchObject({ delivered: false, status_code: null });
    expect(['address_blocked', 'dns_not_found', 'dns_failed']).toContain(body.error);
  });
});

it('an event reaches an honest destination beside all of those, and each has its attempt', async () => {
  const attacks = [...Object.keys(VENDOR_ATTACKS), ...Object.keys(SLOW_VENDORS)];
  const honest = await destinationAt(`${vendor.url}/honest`);
  const hostile = await Promise.all(attacks.map((attack) => destinationAt(receiver(attack))));
  const { inboundUrl } = await triggerTo([honest, ...hostile]);
  const attempts = await othersServedDuring(bystander, async () => {
    const fired = await fetch(inboundUrl, { method: 'POST', body: '{"a":1}' });
    expect(fired.status).toBe(202);
    const { id } = (await fired.json()) as { id: string };
    return vi.waitFor(async () => {
      const { attempts: found } = expectStatus(await get(`/v1/triggers/events/${id}`, account), 200).body;
      const settled = (found as { attempt: number; state: string; destination: string }[]).filter(
        ({ attempt, state }) => attempt === 1 && state !== 'pending',
      );
      expect(new Set(settled.map(({ destination }) => destination)).size).toBe(attacks.length + 1);
      return settled;
    }, BUSY_MACHINE);
  });
  expect(attempts.find(({ destination }) => destination === honest)?.state).toBe('delivered');
});

it.runIf(areFiguresMeasured)(
  'a repeat of the attacks adds less than a fifth to the memory of a service',
  async () => {
    await expectNoGrowth(() => whileOthersAreServed(bystander, all));
  },
);
