import { createMasker } from '@fairlead/connector-runtime/value-masking';
import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { FROM_REST } from '../../domain/call-origin.ts';
import type { ToolsetPolicy } from '../../domain/policy.ts';
import type { HourlyCall } from '../../ports/hourly-calls.ts';
import { approval } from '../../testing/approvals.ts';
import { noFiles } from '../../testing/files.ts';
import { toolset } from '../../testing/toolsets.ts';
import { admitCall } from './admit-call.ts';
import type { AdmitCallDeps } from './admit-call.ts';

const NOW = new Date('2026-11-22T10:00:00.000Z');
const ADMITTED = { outcome: 'admitted' } as const;
const policy = { readOnly: false, fixedFields: {}, callsPerHour: null, requireApproval: [] };

async function admit(
  of: Partial<ToolsetPolicy> | undefined,
  outcome: Exclude<HourlyCall, { outcome: 'admitted' }> | typeof ADMITTED,
  o: { readonly isUndone?: boolean; readonly isAway?: boolean } = {},
): Promise<unknown[]> {
  const done: unknown[] = [];
  const giveBack = () => Promise.resolve(void done.push(['giveBack']));
  const counted: HourlyCall = outcome.outcome === 'admitted' ? { ...outcome, giveBack } : outcome;
  const deps: AdmitCallDeps = {
    ...noFiles,
    toolsets: { find: () => Promise.resolve(toolset()) },
    hourlyCalls: {
      take(...call) {
        done.push(call);
        return Promise.resolve(counted);
      },
    },
    approvals: {
      findOfCall: () => Promise.resolve(undefined),
      open: () => Promise.reject(new Error('it is approved')),
      claim(_ctx, ...of) {
        done.push(['claim', ...of]);
        return Promise.resolve(true);
      },
      remove: () => Promise.reject(new Error('it is approved')),
      release(...of) {
        done.push(['release', ...of]);
        return o.isAway === true ? Promise.reject(new Error('no database')) : Promise.resolve();
      },
    },
    connections: { findConnections: () => Promise.reject(new Error('it has no end user')) },
    fingerprints: { of: () => ['equal'] },
    clock: new ManualClock(NOW),
  };
  const refused = await admitCall(deps, testContext({ accountId: 'mine' }), {
    origin: FROM_REST,
    toolset: of && toolset({ policy: { ...policy, ...of } }),
    applicationSlug: 'crm',
    toolSlug: 'send',
    toolVersion: '1.0.0',
    aliases: ['post'],
    identities: ['slug send', 'slug post'],
    connectionId: 7,
    bound: () => Promise.resolve({ connections: [] }),
    endUserId: null,
    inputs: { fields: {}, filters: [], sorts: [], top: undefined, offset: undefined },
    inputSchema: {},
    leftMs: () => 1_000,
    shownFields: () => ({}),
    masker: () => Promise.resolve(createMasker([])),
    approval: approval({ status: 'approved', approvalId: 'a' }),
  }).then(
    async ({ undo, approval: used }) => {
      expect(used?.approvalId).toBe(
        of?.requireApproval?.length === 1 && of.requireApproval[0] !== 'sends' ? 'a' : undefined,
      );
      // A second undo does nothing.
      if (o.isUndone === true) for (const each of [undo, undo]) await each();
      return [];
    },
    (error: unknown) => [error],
  );
  return [...done, ...refused];
}

const { id } = toolset();

test('a call counts if its toolset limits the calls of an hour, and only then', async () => {
  expect(await admit({ callsPerHour: 5 }, ADMITTED)).toEqual([['mine', id, 5]]);
  for (const free of [undefined, {}, { requireApproval: ['sends'] }])
    expect(await admit(free, { outcome: 'unavailable' })).toEqual([]);
});

test('a call above the limit is refused until the next hour, and one that cannot be counted, too', async () => {
  const refused = { outcome: 'refused', retryAfterSeconds: 1_234 } as const;
  expect((await admit({ callsPerHour: 5 }, refused))[1]).toMatchObject({
    code: 'RATE_LIMIT_EXCEEDED',
    retryAfterSeconds: 1_234,
  });
  expect((await admit({ callsPerHour: 5 }, { outcome: 'unavailable' }))[1]).toMatchObject({
    code: 'UNAVAILABLE',
  });
});

test('a call uses its approval, unless it is refused after all', async () => {
  const claim = ['claim', 'mine', 'a', { notDecidedBy: undefined, now: NOW }];
  expect(await admit({ requireApproval: ['send'] }, ADMITTED)).toEqual([claim]);
  expect(await admit({ requireApproval: ['post'] }, ADMITTED)).toEqual([claim]);
  const both = { requireApproval: ['send'], callsPerHour: 5 };
  expect(await admit(both, ADMITTED)).toEqual([claim, ['mine', id, 5]]);
  expect(await admit(both, { outcome: 'refused', retryAfterSeconds: 1 })).toMatchObject([
    claim,
    ['mine', id, 5],
    ['release', 'mine', 'a', NOW],
    { code: 'RATE_LIMIT_EXCEEDED' },
  ]);
});

test('an admission that is undone gives the approval and the count back, once, each even if the other fails', async () => {
  const both = { requireApproval: ['send'], callsPerHour: 5 };
  const used = [
    ['claim', 'mine', 'a', { notDecidedBy: undefined, now: NOW }],
    ['mine', id, 5],
  ];
  const undone = [['release', 'mine', 'a', NOW], ['giveBack']];
  expect(await admit(both, ADMITTED, { isUndone: true })).toEqual([...used, ...undone]);
  expect(await admit(both, ADMITTED, { isUndone: true, isAway: true })).toEqual([...used, ...undone]);
  expect(await admit({}, ADMITTED, { isUndone: true })).toEqual([]);
});
