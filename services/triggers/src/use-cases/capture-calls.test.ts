import { createHmac } from 'node:crypto';
import { ManualClock } from '@fairlead/service-kit/clock';
import { Secret } from '@fairlead/service-kit/secret';
import { testContext } from '@fairlead/service-kit/testing/context';
import { describe, expect, it } from 'vitest';
import type { Firing } from '../domain/event.ts';
import { hookPayload } from '../domain/hook-call.ts';
import type { HookCall } from '../domain/hook-call.ts';
import type { FilterVerdict } from '../ports/filters.ts';
import { MADE_AT, trigger, VENDOR_TYPE, webhook } from '../testing/triggers.ts';
import { captureCalls } from './capture-calls.ts';

const SECRET = 'a secret of the registration';

const call = (tokenHash: string, key?: string) => ({
  tokenHash,
  method: 'POST',
  headers: [],
  query: '',
  body: Buffer.from('1'),
  traceparent: `of the call to ${tokenHash}`,
  ...(key !== undefined && { key }),
});

function setUp(verdict: FilterVerdict = { kind: 'passed' }, refuses = false) {
  const captured: Firing[] = [];
  const noted: string[] = [];
  const known = new Map(
    [
      trigger({ id: 'trg_open' }),
      trigger({ id: 'trg_filtered', filter: 'x' }),
      trigger({ id: 'trg_off', isEnabled: false }),
    ].map((each) => [each.id.replace('trg_', ''), { ...each, accountId: 'acc_1' }]),
  );
  const registered = new Map([
    ['vendor', webhook()],
    ['former', webhook({ id: 'whk_0' })],
  ]);
  const deps = {
    clock: new ManualClock(MADE_AT),
    filters: { run: () => Promise.resolve(verdict) },
    capture: {
      captureFirings(firings: readonly Firing[]) {
        if (refuses) return Promise.reject(new Error('full'));
        captured.push(...firings);
        return Promise.resolve(firings.map(({ firingKey }) => ({ id: `te_${firingKey}`, isNew: true })));
      },
    },
    webhooks: {
      findByTokens: (hashes: readonly string[]) =>
        Promise.resolve(new Map([...registered].filter(([hash]) => hashes.includes(hash)))),
      secretsOf: () => Promise.resolve({ token: new Secret('t'), secret: new Secret(SECRET) }),
    },
    types: { resolve: () => Promise.resolve(VENDOR_TYPE) },
    payloads: { of: (_accountId: string, given: HookCall) => Promise.resolve(hookPayload(given)) },
    firings: {
      findByHooks: () => Promise.resolve(known),
      findMany: (of: readonly { readonly triggerId: string }[]) =>
        Promise.resolve(
          new Map(
            of.map(({ triggerId }) => [
              triggerId,
              { ...trigger({ id: triggerId, webhookId: 'whk_1' }), accountId: 'acc_1' },
            ]),
          ),
        ),
      noteFired(fired: readonly { readonly id: string }[]) {
        noted.push(...fired.map(({ id }) => `fired ${id}`));
        return Promise.resolve();
      },
      noteError(of: { readonly id: string }, message: string) {
        noted.push(`${of.id}: ${message}`);
        return Promise.resolve();
      },
    },
  };
  return { deps, captured, noted };
}

describe('captureCalls', () => {
  it('answers each call by itself; a disabled trigger is as an unknown token', async () => {
    const { deps, captured, noted } = setUp();
    const outcomes = await captureCalls(deps, testContext(), [call('open'), call('off'), call('nope')]);
    expect(outcomes).toMatchObject([{ kind: 'captured' }, { kind: 'notFound' }, { kind: 'notFound' }]);
    expect(captured).toMatchObject([
      {
        triggerId: 'trg_open',
        accountId: 'acc_1',
        occurredAt: MADE_AT,
        traceparent: 'of the call to open',
      },
    ]);
    expect(noted).toEqual(['fired trg_open']);
  });

  it('calls with one key are one firing, others are firings of their own', async () => {
    const { deps, captured } = setUp();
    const calls = [call('open', 'a'), call('open', 'a'), call('open', 'b'), call('open'), call('open')];
    await captureCalls(deps, testContext(), calls);
    const [first, second, ...others] = captured.map(({ firingKey }) => firingKey);
    expect(second).toBe(first);
    expect(new Set([first, ...others]).size).toBe(4);
  });

  it('captures nothing that a filter refuses, and notes why one failed', async () => {
    const refused = setUp({ kind: 'refused' });
    expect(await captureCalls(refused.deps, testContext(), [call('filtered')])).toEqual([
      { kind: 'filtered' },
    ]);
    expect([refused.captured, refused.noted]).toEqual([[], []]);
    const failed = setUp({ kind: 'failed', message: 'Why.' });
    expect(await captureCalls(failed.deps, testContext(), [call('filtered')])).toEqual([
      { kind: 'filtered' },
    ]);
    expect([failed.captured, failed.noted]).toEqual([[], ['trg_filtered: Why.']]);
  });

  it('captures what a vendor signed for the registration that its trigger wants', async () => {
    const { deps, captured } = setUp();
    const body = Buffer.from('{"id":"d1","data":{"a":1}}');
    const value = `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`;
    const headers = ['x-signature', value];
    const calls = [
      { ...call('vendor'), headers, body },
      { ...call('vendor'), body },
      { ...call('former'), headers, body },
    ];
    const outcomes = await captureCalls(deps, testContext(), calls);
    expect(outcomes.map(({ kind }) => kind)).toEqual(['captured', 'unauthorized', 'notFound']);
    expect(captured.map(({ payload }) => Buffer.from(payload).toString())).toEqual(['{"a":1}']);
  });

  it('is unavailable for what cannot be captured now', async () => {
    const { deps, noted } = setUp(undefined, true);
    expect(await captureCalls(deps, testContext(), [call('open')])).toEqual([{ kind: 'unavailable' }]);
    expect(noted).toEqual([]);
  });
});
