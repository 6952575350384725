import { randomUUID } from 'node:crypto';
import type { JsonObject } from '@fairlead/connector-model/json';
import { createMasker } from '@fairlead/connector-runtime/value-masking';
import { toolset } from '../testing/toolsets.ts';
import { ManualClock } from '@fairlead/service-kit/clock';
import { parseKeyRing } from '@fairlead/service-kit/key-ring';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { testContext } from '@fairlead/service-kit/testing/context';
import { testStore } from '@fairlead/service-kit/testing/mongo';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { createCallFingerprints } from '../approvals/call-fingerprints.ts';
import { FROM_REST, originOf, originOfSteps } from '../domain/call-origin.ts';
import type { ApprovalStatus } from '../domain/approval.ts';
import type { ApprovalStore } from '../ports/approvals.ts';
import { claimApproval } from '../use-cases/approvals/claim-approval.ts';
import type { ApprovableCall } from '../use-cases/approvals/claim-approval.ts';
import { decideApproval } from '../use-cases/approvals/decide-approval.ts';
import { noFiles } from '../testing/files.ts';
import { connection } from '../testing/tool-calls.ts';
import { approvalCollection } from './approval.collection.ts';
import { createApprovalRepository } from './approval.repository.ts';

const NOON = new Date('2026-11-22T12:00:00.000Z');
const HOUR_MS = 3_600_000;
const fingerprints = createCallFingerprints(parseKeyRing(`v1:${Buffer.alloc(32, 1).toString('base64')}`));

const connectionAt = (id: number, revision = '1') => ({ id, revision, baseUrl: null });
const boundTo = (...ids: number[]) => ({ connections: ids.map((id) => connectionAt(id)) });

let store: MongoStore & { drop(): Promise<void> };
let approvals: ApprovalStore;
let accounts = 0;
beforeAll(async () => {
  store = await testStore(inject('mongodbUri'), [approvalCollection]);
  approvals = createApprovalRepository(store);
});
afterAll(() => store.drop());

interface CallInput extends Partial<Omit<ApprovableCall, 'inputs' | 'approval' | 'bound'>> {
  readonly bound?: Awaited<ReturnType<ApprovableCall['bound']>>;
  readonly fields?: JsonObject;
  readonly userId?: string;
  readonly approvalId?: string;
}

/** A new account whose calls need approvals, at noon. */
function world() {
  const clock = new ManualClock(NOON);
  const accountId = `acc_${(accounts += 1)}`;
  const stored = { connections: [connection()] };
  const deps = {
    ...noFiles,
    approvals,
    fingerprints,
    clock,
    toolsets: { find: () => Promise.resolve(toolset()) },
    connections: { findConnections: () => Promise.resolve(stored.connections) },
  };
  const contextOf = (userId: string) => testContext({ accountId, userId });
  const ctx = contextOf('caller');
  return {
    clock,
    accountId,
    stored,
    /** The result of a call: `ran`, or the code and the approval that it waits for. */
    call: async ({
      fields = { to: 'Ada' },
      userId = 'caller',
      approvalId,
      bound = boundTo(8, 9),
      requiresOther = false,
      ...o
    }: CallInput = {}) => {
      const approval =
        approvalId === undefined ? undefined : await approvals.find(ctx, accountId, approvalId, clock.now());
      try {
        await claimApproval(deps, contextOf(userId), {
          toolsetId: 't',
          applicationSlug: 'crm',
          toolSlug: 'send',
          toolVersion: '1.0.0',
          connectionId: 7,
          bound: () => Promise.resolve(bound),
          endUserId: 'customer-1',
          origin: FROM_REST,
          inputSchema: {},
          leftMs: () => 1_000,
          shownFields: () => ({ to: '***' }),
          masker: () => Promise.resolve(createMasker([])),
          ...o,
          inputs: { fields, filters: [], sorts: [], top: undefined, offset: undefined },
          approval,
          requiresOther,
        });
        return 'ran';
      } catch (error) {
        const { code, approvalId: id } = error as { code: string; approvalId?: string };
        return id === undefined ? code : id;
      }
    },
    decide: (approvalId: string, isApproved: boolean, userId = 'chief') =>
      decideApproval(deps, contextOf(userId), { approvalId, isApproved }),
    list: async (status?: ApprovalStatus) => {
      const query = { status, page: { offset: 0, top: 100 } };
      const { items, totalCount } = await approvals.list(ctx, accountId, query, clock.now());
      expect(totalCount).toBe(items.length);
      return items;
    },
  };
}

test('an approved call runs once, of several at once exactly one', async () => {
  const { call, decide, list } = world();
  const approvalId = await call();
  expect(await call()).toBe(approvalId);
  expect(await call({ approvalId })).toBe(approvalId);
  expect(await list()).toMatchObject([
    {
      approvalId,
      status: 'pending',
      endUserId: 'customer-1',
      fields: LazyJson.of({ to: '***' }),
      requestedBy: 'caller',
      decidedBy: null,
    },
  ]);
  expect(await decide(approvalId, true)).toMatchObject({ status: 'approved', decidedBy: 'chief' });
  // Repeating the call without the id returns the same approval and runs nothing.
  expect(await call()).toBe(approvalId);
  const answers = await Promise.all(Array.from({ length: 8 }, () => call({ approvalId })));
  expect(answers.filter((answer) => answer === 'ran')).toHaveLength(1);
  // The others wait for a new, common approval.
  expect(new Set(answers).size).toBe(2);
  expect(await list('used')).toMatchObject([{ approvalId }]);
  expect(await list('pending')).toHaveLength(1);
});

test('through an MCP server, an approved call runs once when it is sent again, of several at once exactly one', async () => {
  const { call, clock, decide, list } = world();
  const send = (o: CallInput = {}) => call({ origin: originOf('Support'), ...o });
  const approvalId = await send();
  expect(await send()).toBe(approvalId);
  await decide(approvalId, true);
  // The approval is not valid for another caller's call, another input, or another toolset.
  for (const o of [{ userId: 'other' }, { fields: { to: 'Bob' } }, { toolsetId: 'u' }])
    expect(await send(o)).not.toMatch(new RegExp(`ran|${approvalId}`));
  expect(await send({ origin: originOfSteps(originOf('Support')) })).toBe(approvalId);
  clock.advance(1);
  const answers = await Promise.all(Array.from({ length: 8 }, () => send()));
  expect(answers.filter((answer) => answer === 'ran')).toHaveLength(1);
  expect(new Set(answers).size).toBe(2);
  expect(await list()).toContainEqual(expect.objectContaining({ approvalId, status: 'used' }));
  // The approval is used, so the call needs another.
  expect(await send()).toBe(answers.find((answer) => answer !== 'ran'));
});

test('through an MCP server, a rejected call is refused for a day, unless an equal one is approved', async () => {
  const { call, clock, decide } = world();
  const send = () => call({ origin: originOf('Support') });
  await decide(await send(), false);
  expect(await send()).toBe('FORBIDDEN');
  clock.advance(1);
  const requestedOverRest = await call();
  expect(await send()).toBe(requestedOverRest);
  await decide(requestedOverRest, true);
  expect(await send()).toBe('ran');
  clock.advance(1);
  await decide(await send(), false);
  expect(await send()).toBe('FORBIDDEN');
  clock.advance(24 * HOUR_MS);
  expect(await send()).toMatch(/^[0-9a-f-]{36}$/);
});

test('through an MCP server, nobody lets their own call run if another user has to approve it', async () => {
  const { call, decide, list } = world();
  const origin = originOf('Support');
  const approvalId = await call({ origin });
  await decide(approvalId, true, 'caller');
  expect(await call({ origin, requiresOther: true })).toBe(approvalId);
  expect(await list()).toMatchObject([{ approvalId, status: 'pending', requiresOther: true }]);
  await decide(approvalId, true, 'chief');
  expect(await call({ origin, requiresOther: true })).toBe('ran');
});

test('equal calls at once share one approval', async () => {
  const { call, list } = world();
  const ids = await Promise.all(Array.from({ length: 10 }, () => call()));
  expect(new Set(ids).size).toBe(1);
  expect(await list()).toHaveLength(1);
});

test.each<[string, CallInput]>([
  ['toolset', { toolsetId: 'u' }],
  ['application', { applicationSlug: 'mail' }],
  ['tool', { toolSlug: 'delete' }],
  ['connection', { connectionId: 8 }],
  ['set of connections', { bound: boundTo(8) }],
  ['credential', { bound: { connections: [connectionAt(8), connectionAt(9, '2')] } }],
  ['end user', { endUserId: 'customer-2' }],
  ['caller', { userId: 'somebody' }],
  ['field', { fields: { to: 'Eve' } }],
  ['field more', { fields: { to: 'Ada', cc: 'Eve' } }],
])('with another %s the approval does not fit, and stays usable for its own call', async (_what, other) => {
  const { call, decide } = world();
  const approvalId = await call();
  await decide(approvalId, true);
  const answer = await call({ ...other, approvalId });
  expect(answer).not.toBe('ran');
  expect(answer).not.toBe(approvalId);
  expect(await call({ approvalId })).toBe('ran');
});

test('a rejected call is FORBIDDEN, also if it had been approved', async () => {
  const { call, decide, list } = world();
  const approvalId = await call();
  await decide(approvalId, true);
  expect(await decide(approvalId, false)).toMatchObject({ status: 'rejected' });
  expect(await call({ approvalId })).toBe('FORBIDDEN');
  await expect(decide(approvalId, true)).rejects.toMatchObject({ code: 'CONFLICT' });
  expect(await decide(approvalId, false)).toMatchObject({ status: 'rejected' });
  expect(await list('rejected')).toMatchObject([{ approvalId }]);
  expect(await call()).not.toBe(approvalId);
});

test('an approval ends after 24 hours by the clock: it can be neither approved nor used, and the call waits for a new one', async () => {
  const { call, decide, list, clock } = world();
  const [pending, approved] = [await call(), await call({ fields: { to: 'Bob' } })];
  await decide(approved, true);
  clock.advance(24 * HOUR_MS - 1);
  expect(await call()).toBe(pending);
  expect(await list('expired')).toEqual([]);
  clock.advance(1);
  await expect(decide(pending, true)).rejects.toMatchObject({ code: 'CONFLICT' });
  const renewed = await call({ approvalId: approved, fields: { to: 'Bob' } });
  expect([approved, pending, 'ran']).not.toContain(renewed);
  expect(await call()).not.toBe(pending);
  expect((await list('expired')).map(({ approvalId }) => approvalId).toSorted()).toEqual(
    [pending, approved].toSorted(),
  );
  expect(await list('pending')).toHaveLength(2);
  expect(await list('approved')).toEqual([]);
});

test('a released approval can be used again, unless an equal call waits for a new one', async () => {
  const { call, decide, clock, accountId } = world();
  const approvalId = await call();
  await decide(approvalId, true);
  expect(await call({ approvalId })).toBe('ran');
  await approvals.release(accountId, approvalId, clock.now());
  expect(await call({ approvalId })).toBe('ran');
  const other = await call();
  await approvals.release(accountId, approvalId, clock.now());
  expect(await call({ approvalId })).toBe(other);
});

test('another account finds, decides and uses nothing', async () => {
  const mine = world();
  const other = world();
  const approvalId = await mine.call();
  await expect(other.decide(approvalId, true)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await mine.decide(approvalId, true);
  expect(await other.call({ approvalId })).not.toBe('ran');
  expect(await other.list()).toHaveLength(1);
  expect(await mine.list('approved')).toHaveLength(1);
});

test('inputs that are too large to be read are not approved, and no more than 1 000 approvals of a user are pending', async () => {
  const { call, accountId, clock } = world();
  expect(await call({ fields: { to: 'x'.repeat(300_000) } })).toBe('VALIDATION_ERROR');
  const documents = Array.from({ length: 998 }, () => document(accountId, clock.now(), 'pending'));
  await store.collection(approvalCollection).insertMany(documents);
  const answers = await Promise.all(Array.from({ length: 6 }, (_, to) => call({ fields: { to } })));
  // Concurrent calls count each other, so possibly fewer succeed, but never more.
  expect(answers.filter((answer) => answer !== 'RATE_LIMIT_EXCEEDED').length).toBeLessThanOrEqual(2);
  expect(await pending(accountId)).toBeLessThanOrEqual(1_000);
  const rest = Array.from({ length: 1_001 - (await pending(accountId)) }, () =>
    document(accountId, clock.now(), 'pending'),
  );
  await store.collection(approvalCollection).insertMany(rest);
  expect(await call()).toBe('RATE_LIMIT_EXCEEDED');
  expect(await call({ userId: 'somebody' })).toMatch(/^[0-9a-f-]{36}$/);
  await store.collection(approvalCollection).deleteMany({ accountId, requestedBy: 'somebody' });
  // As stored before approvals had an end user.
  const page = { offset: 0, top: 1 };
  const { items } = await approvals.list(testContext(), accountId, { status: undefined, page }, clock.now());
  expect(items).toMatchObject([{ endUserId: null }]);
});

test('a page of large approvals comes in parts, in which each is whole', async () => {
  const { accountId, clock, call } = world();
  const text = 'x'.repeat(700 * 1024);
  for (const to of ['a', 'b', 'c']) await call({ fields: { to }, shownFields: () => ({ to, text }) });
  const found: unknown[] = [];
  let after: string | undefined;
  do {
    const query = { status: undefined, page: { offset: 0, top: 10 - found.length, after } };
    const part = await approvals.list(testContext(), accountId, query, clock.now());
    expect(part).toMatchObject({ items: [{}], totalCount: found.length === 0 ? 3 : 0 });
    found.push(...part.items.map(({ fields }) => fields.parse()));
    after = part.next;
  } while (after !== undefined);
  const whole = ['a', 'b', 'c'].map((to) => ({ to, text }));
  expect(found).toHaveLength(3);
  expect(found).toEqual(expect.arrayContaining(whole));
});

test('an approval that is requested while its end user is deleted does not outlive them, and others of the account stay', async () => {
  const { accountId, call, list, stored } = world();
  const ctx = testContext({ accountId });
  await call({ endUserId: null, fields: { to: 'own' } });
  await call();
  await approvals.removeOfEndUser(ctx, accountId, 'customer-1');
  expect(await list()).toMatchObject([{ endUserId: null }]);
  // Connection and approvals are deleted just before this one is stored.
  stored.connections = [];
  expect(await call()).toBe('UNAVAILABLE');
  expect(await list()).toMatchObject([{ endUserId: null }]);
});

test('a consent of the caller’s own is void once another user is required, and does not fit', async () => {
  const { call, decide, list } = world();
  const approvalId = await call();
  await decide(approvalId, true, 'caller');
  const requiresOther = true;
  expect(await call({ approvalId, requiresOther })).toBe(approvalId);
  expect(await list('pending')).toMatchObject([{ approvalId, decidedBy: null, requiresOther }]);
  await decide(approvalId, true);
  expect(await call({ approvalId, requiresOther })).toBe('ran');
});

function pending(accountId: string): Promise<number> {
  return store.collection(approvalCollection).countDocuments({ accountId, status: 'pending' });
}

function document(accountId: string, createdAt: Date, status: 'pending' | 'used') {
  return {
    _id: randomUUID(),
    accountId,
    status,
    isOpen: status === 'pending',
    toolsetId: 't',
    applicationSlug: 'crm',
    toolSlug: 'send',
    connectionId: 7,
    fields: '{}',
    query: '{}',
    requestedBy: 'caller',
    decidedBy: null,
    fingerprint: randomUUID(),
    createdAt,
    updatedAt: createdAt,
  };
}

interface ProfileEntry {
  readonly planSummary?: string;
  readonly docsExamined?: number;
  readonly hasSortStage?: boolean;
}

test('of very many approvals the first page of every status, and every use of one, read few documents', async () => {
  const { accountId, clock, call, decide } = world();
  const COUNT = 2_000;
  const documents = Array.from({ length: COUNT }, (_, index) =>
    document(accountId, new Date(NOON.getTime() - index * 60_000), index % 4 === 0 ? 'pending' : 'used'),
  );
  await store.collection(approvalCollection).insertMany(documents);
  const { db } = store;
  await db.command({ profile: 2 });
  const ctx = testContext({ accountId });
  const page = { offset: 0, top: 5 };
  const totals: number[] = [];
  for (const status of [undefined, 'pending', 'approved', 'rejected', 'used', 'expired'] as const)
    totals.push((await approvals.list(ctx, accountId, { status, page }, clock.now())).totalCount);
  const approvalId = await call();
  await decide(approvalId, true);
  expect(await call({ approvalId })).toBe('ran');
  await db.command({ profile: 0 });
  expect(totals).toEqual([COUNT, 360, 0, 0, 1_500, 140]);
  const executed = await db
    .collection<ProfileEntry>('system.profile')
    .find({ planSummary: { $exists: true } })
    .toArray();
  const reading = executed.filter(
    ({ planSummary = '', docsExamined = 0, hasSortStage = false }) =>
      planSummary.includes('COLLSCAN') || hasSortStage || docsExamined > 10,
  );
  expect(reading).toEqual([]);
});
