import { createHmac } from 'node:crypto';
import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { describe, expect, it } from 'vitest';
import type { Firing } from '../domain/event.ts';
import { hookPayload } from '../domain/hook-call.ts';
import type { HookCall } from '../domain/hook-call.ts';
import type { FilterVerdict } from '../ports/filters.ts';
import { MADE_AT, registered, trigger, VENDOR_TYPE } from '../testing/triggers.ts';
import { captureCalls } from './capture-calls.ts';

const SECRET = 'a secret of the registration';

const capture = (
  deps: Parameters<typeof captureCalls>[0],
  calls: readonly HookCall[],
  { onlyQuick = false } = {},
) => captureCalls(deps, testContext(), calls, { onlyQuick });

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
  const vendors = new Map([
    ['vendor', registered({}, SECRET)],
    ['former', registered({ id: 'whk_0' }, SECRET)],
  ]);
  const deps = {
    clock: new ManualClock(MADE_AT),
    filters: { run: () => Promise.resolve(verdict) },
    capture: {
      captureFirings(firings: readonly Firing[]) {
        if (refuses) return Promise.reject(new Error('full'));
        const before = new Set(captured.map(({ firingKey }) => firingKey));
        captured.push(...firings);
        return Promise.resolve(
          firings.map(({ firingKey }) => ({ id: `te_${firingKey}`, isNew: !before.has(firingKey) })),
        );
      },
    },
    webhooks: {
      findByTokens: (hashes: readonly string[]) =>
        Promise.resolve(new Map([...vendors].filter(([hash]) => hashes.includes(hash)))),
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
    const outcomes = await capture(deps, [call('open'), call('off'), call('nope')]);
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
    await capture(deps, calls);
    const [first, second, ...others] = captured.map(({ firingKey }) => firingKey);
    expect(second).toBe(first);
    expect(new Set([first, ...others]).size).toBe(4);
  });

  it('a call that was captured before is no firing of now', async () => {
    const { deps, noted } = setUp();
    await capture(deps, [call('open', 'a')]);
    noted.length = 0;
    expect(await capture(deps, [call('open', 'a')])).toMatchObject([{ kind: 'captured' }]);
    expect(noted).toEqual([]);
  });

  it('calls that are to be quick are answered though filters of others do not end', async () => {
    const { deps, noted } = setUp();
    const looping = { ...deps, filters: { run: () => new Promise<FilterVerdict>(() => undefined) } };
    const calls = [call('filtered'), call('open'), call('vendor')];
    const outcomes = await capture(looping, calls, { onlyQuick: true });
    expect(outcomes.map(({ kind }) => kind)).toEqual(['takesTime', 'captured', 'takesTime']);
    expect(noted).toEqual(['fired trg_open']);
  });

  it('captures nothing that a filter refuses, and notes why one failed', async () => {
    const refused = setUp({ kind: 'refused' });
    expect(await capture(refused.deps, [call('filtered')])).toEqual([{ kind: 'filtered' }]);
    expect([refused.captured, refused.noted]).toEqual([[], []]);
    const failed = setUp({ kind: 'failed', message: 'Why.' });
    expect(await capture(failed.deps, [call('filtered')])).toEqual([{ kind: 'filtered' }]);
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
    const outcomes = await capture(deps, calls);
    expect(outcomes.map(({ kind }) => kind)).toEqual(['captured', 'unauthorized', 'notFound']);
    expect(captured.map(({ payload }) => Buffer.from(payload).toString())).toEqual(['{"a":1}']);
  });

  it('is unavailable for what cannot be captured now', async () => {
    const { deps, noted } = setUp(undefined, true);
    expect(await capture(deps, [call('open')])).toEqual([{ kind: 'unavailable' }]);
    expect(noted).toEqual([]);
  });
});
