import { ChangeService } from '@fairlead/contracts/common/v1/change_service_pb';
import { auditEventRecorded, recordAuditEvent } from '@fairlead/service-kit/changes/audit-events';
import type { RecordedAction } from '@fairlead/service-kit/changes/audit-events';
import { createChangeHints } from '@fairlead/service-kit/changes/change-hints';
import { createChangeLog } from '@fairlead/service-kit/changes/change-log';
import { createChangeService } from '@fairlead/service-kit/changes/change-service';
import { changeCollection } from '@fairlead/service-kit/changes/change.collection';
import { systemClock } from '@fairlead/service-kit/clock';
import { writeCursor } from '@fairlead/service-kit/cursor';
import { parseKeyRing } from '@fairlead/service-kit/key-ring';
import { Closers } from '@fairlead/service-kit/lifecycle/lifecycle';
import { leases } from '@fairlead/service-kit/mongo/lease';
import { createRpcClient } from '@fairlead/service-kit/rpc/client';
import { startRpcServer } from '@fairlead/service-kit/rpc/server';
import { dataKeyCollection, mongoDataKeyStore } from '@fairlead/sealing/data-keys';
import { ringKeyEncryption } from '@fairlead/sealing/ring-key-encryption';
import { createSealer } from '@fairlead/sealing/sealing';
import { createLogger } from '@fairlead/service-kit/telemetry/logger';
import { registry } from '@fairlead/service-kit/telemetry/service-metrics';
import { platformContext } from '@fairlead/service-kit/testing/account-data';
import { captureLog } from '@fairlead/service-kit/testing/log-lines';
import { testStore } from '@fairlead/service-kit/testing/mongo';
import { openTestNats } from '@fairlead/service-kit/testing/nats';
import { openLink } from '@fairlead/service-kit/testing/network';
import { addressFor, testPeer, testTransport } from '@fairlead/service-kit/testing/peer';
import { testCallerKeys } from '@fairlead/service-kit/testing/rpc';
import { Binary, Timestamp } from 'mongodb';
import { afterEach, describe, expect, inject, test, vi } from 'vitest';
import { createEventSource } from './events/change-source.ts';
import { openAudit } from './open-audit.ts';
import { testRing } from './testing/chains.ts';
import { auditCursorCollection } from './storage/audit-cursor.collection.ts';
import { auditCursorRepository } from './storage/audit-cursor.repository.ts';
import { auditEntryCollection } from './storage/audit-entry.collection.ts';
import { auditCollections, auditRepository } from './storage/audit.repository.ts';
import { fetchEvents } from './use-cases/fetch-events.ts';
import type { FetchEventsDeps } from './use-cases/fetch-events.ts';
import { createAuditLog } from './use-cases/record-event.ts';

const DAY_MS = 24 * 60 * 60_000;
const silent = createLogger({ service: 'test', level: 'silent' });
const soon = { timeout: 90_000, interval: 50 };

let closers = new Closers(silent);
afterEach(async () => {
  await closers.close();
  closers = new Closers(silent);
});

/** A service that records events and serves them over a link that can be cut, and the gateway's database. */
async function startWorld() {
  const identity = await testStore(inject('mongodbUri'), [changeCollection]);
  closers.push('identity database', () => identity.drop());
  const store = await testStore(inject('mongodbUri'), [...auditCollections, dataKeyCollection]);
  closers.push('gateway database', () => store.drop());
  const nats = await openTestNats();
  closers.push('nats', () => nats.close());
  const onRecorded = createChangeHints({ nats, service: 'identity', log: silent });
  const changeLog = createChangeLog({ store: identity, clock: systemClock, onRecorded });
  const server = await startRpcServer({
    name: 'identity',
    config: {
      HOST: '127.0.0.1',
      PORT: 0,
      GRPC_PORT: 0,
      CALLER_CONTEXT_KEYS: testCallerKeys,
      SHUTDOWN_GRACE_MS: 0,
    },
    log: silent,
    clock: systemClock,
    routes: (router) => router.service(ChangeService, createChangeService(changeLog)),
  });
  closers.add('identity', server);
  const link = closers.add('link', await openLink(Number(new URL(addressFor(server)).port)));
  const url = `http://${link.host}:${link.port}`;
  const peer = closers.add('peer', testPeer('identity', { httpUrl: url, grpcUrl: url }));
  const changes = createRpcClient(ChangeService, { peer, callerKeys: testCallerKeys, clock: systemClock });

  const entries = store.collection(auditEntryCollection);
  const cursors = store.collection(auditCursorCollection);
  const sealer = createSealer({
    encryption: ringKeyEncryption(parseKeyRing(`v1:${Buffer.alloc(32, 8).toString('base64')}`)),
    store: mongoDataKeyStore(store),
  });
  const erased = new Set<string>();
  const findOpenAccounts = (ids: readonly string[]) =>
    Promise.resolve(new Set(ids.filter((id) => !erased.has(id))));
  const auditLog = createAuditLog({
    store: auditRepository(store),
    findOpenAccounts,
    fingerprint: (accountId, secret) => sealer.fingerprint(accountId, secret),
    clock: systemClock,
    retentionMs: 400 * DAY_MS,
  });

  return {
    identity,
    changeLog,
    store,
    changes,
    link,
    erased,
    cursors,
    auditLog,
    findOpenAccounts,
    /** Starts the audit module of a gateway. */
    startGateway() {
      const own = new Closers(silent);
      closers.push('gateway', () => own.close());
      const { log, lines } = captureLog('info');
      const audit = openAudit({
        store,
        nats,
        sealer,
        clock: systemClock,
        log,
        closers: own,
        findOpenAccounts,
        findUserNames: () => Promise.resolve(new Map()),
        sources: [{ name: 'identity', changes }],
        config: { AUDIT_RETENTION_DAYS: 400, AUDIT_KEYS: parseKeyRing(testRing(1)) },
      });
      const messages = (level: string) =>
        lines().filter((line) => line.level === level && line['source'] === 'identity');
      return { ...audit, messages, close: () => own.close() };
    },
    /** The dependencies that fetch events without a background task, under a lease that is always granted. */
    fetching: (o: Partial<FetchEventsDeps> = {}): FetchEventsDeps => ({
      source: createEventSource({ name: 'identity', changes }),
      positions: auditCursorRepository(store),
      events: auditLog,
      lease: { hold: () => Promise.resolve(true) },
      reportUnreadable: () => undefined,
      clock: systemClock,
      ...o,
    }),
    /** Records an action for each request id, each in its own transaction. */
    async record(requestIds: readonly string[], o: Partial<RecordedAction> = {}) {
      for (const requestId of requestIds) {
        await identity.withTransaction((session) =>
          recordAuditEvent(changeLog, session, { ...consent, occurredAt: new Date(), requestId, ...o }),
        );
      }
    },
    /** Resolves when every event recorded before this call has been fetched. */
    async allFetched() {
      const since = new Date();
      await vi.waitFor(async () => {
        const position = await cursors.findOne({ _id: 'identity' });
        expect(position?.completeAt?.getTime()).toBeGreaterThanOrEqual(since.getTime());
      }, soon);
    },
    /** The request ids of all entries, sorted. */
    async entered(accountId?: string): Promise<readonly string[]> {
      const found = await entries.find(accountId === undefined ? {} : { accountId }).toArray();
      return found.map(({ requestId }) => requestId).toSorted();
    },
  };
}

const consent: Omit<RecordedAction, 'occurredAt'> = {
  accountId: 'acc_1',
  actor: { kind: 'user', userId: 'usr_1' },
  action: 'oauth.consentGranted',
  resource: { type: 'oauthGrant', id: 'grant_1' },
  requestId: 'req-1',
  details: { scopes: ['tools'] },
};

/** `req-00`, `req-01` … */
const requests = (count: number, prefix = 'req'): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}-${String(index).padStart(2, '0')}`);

/** The value of a metric without labels. */
const metric = (name: string): number =>
  Number(new RegExp(`^${name} (.+)$`, 'm').exec(registry.render())?.[1]);

test('an event becomes the entry of its account, at its time, and is chained', async () => {
  const world = await startWorld();
  const { trail, log } = world.startGateway();
  const occurredAt = new Date(Date.now() - 60_000);
  await world.record(['req-1'], { occurredAt });
  await log.record({
    accountId: 'acc_1',
    actor: { kind: 'system' },
    action: 'own',
    outcome: 'succeeded',
    requestId: 'req-2',
  });
  await world.allFetched();
  const page = { offset: 0, top: 10 };
  const { items } = await trail.list(platformContext, 'acc_1', { filter: { action: consent.action }, page });
  expect(items).toMatchObject([
    {
      accountId: 'acc_1',
      createdAt: occurredAt,
      actor: { kind: 'user', userId: 'usr_1' },
      action: 'oauth.consentGranted',
      resource: { type: 'oauthGrant', id: 'grant_1' },
      outcome: 'succeeded',
      requestId: 'req-1',
      details: '{"scopes":["tools"]}',
    },
  ]);
  await vi.waitFor(async () => {
    const chained = { fault: undefined, entryCount: 2, unchainedCount: 0 };
    expect(await trail.verify(platformContext, 'acc_1')).toMatchObject(chained);
  }, soon);
});

test('an event of no account is in the log of the platform, one of an erased account nowhere', async () => {
  const world = await startWorld();
  world.erased.add('acc_erased');
  await world.record(['erased'], { accountId: 'acc_erased' });
  await world.record(['platform'], { accountId: undefined, actor: { kind: 'system' } });
  await world.record(['open']);
  world.startGateway();
  await world.allFetched();
  expect(await world.entered('platform')).toEqual(['platform']);
  expect(await world.entered()).toEqual(['open', 'platform']);
});

describe('each event has one entry', () => {
  test('with two gateways, of which one takes over from the other', async () => {
    const world = await startWorld();
    const [first, second] = [world.startGateway(), world.startGateway()];
    const own = requests(20);
    await Promise.all([own.slice(0, 10), own.slice(10)].map((half) => world.record(half)));
    await world.allFetched();
    expect(await world.entered()).toEqual(own);

    await first.close();
    await world.record(['taken-over']);
    await world.allFetched();
    await second.close();
    // The next replica to start need not wait for the lease to expire.
    expect(await leases(world.store.db).findOne({ _id: 'audit-events-identity' })).toBeNull();
    expect(await world.entered()).toEqual([...own, 'taken-over']);
    expect(metric('audit_fetch_lag_seconds')).toBe(0);
  });

  test('although replicas fetch at the same time, because the lease of one ran out', async () => {
    const world = await startWorld();
    let isWriting = true;
    const replicas = Array.from({ length: 3 }, async () => {
      for (let isLast = false; !isLast;) {
        isLast = !isWriting;
        await fetchEvents(world.fetching(), platformContext);
      }
    });
    await world.record(requests(50));
    isWriting = false;
    await Promise.all(replicas);
    expect(await world.entered()).toEqual(requests(50));
  });

  test('although a replica dies between the entries and the cursor', async () => {
    const world = await startWorld();
    await world.record(requests(10, 'before'));
    const positions = {
      ...auditCursorRepository(world.store),
      save: () => Promise.reject(new Error('killed')),
    };
    await expect(fetchEvents(world.fetching({ positions }), platformContext)).rejects.toThrow('killed');
    expect(await world.entered()).toEqual(requests(10, 'before'));
    await world.record(requests(10, 'later'));
    world.startGateway();
    await world.allFetched();
    expect(await world.entered()).toEqual([...requests(10, 'before'), ...requests(10, 'later')]);
  });

  test('although the cursor is too old, which is logged', async () => {
    const world = await startWorld();
    await world.record(requests(10, 'before'));
    await fetchEvents(world.fetching(), platformContext);
    const cursor = writeCursor([10, Date.now() - 31 * DAY_MS]);
    await world.cursors.updateOne({ _id: 'identity' }, { $set: { cursor } });
    await world.record(requests(10, 'later'));
    const { messages } = world.startGateway();
    await world.allFetched();
    expect(await world.entered()).toEqual([...requests(10, 'before'), ...requests(10, 'later')]);
    expect(messages('warn')).toHaveLength(1);
  });

  test('when the service is away for a while, which is logged once and shows in the lag', async () => {
    const world = await startWorld();
    await world.link.set({ kind: 'refuse' });
    await world.record(requests(3));
    const { messages } = world.startGateway();
    await vi.waitFor(() => expect(messages('warn')).toHaveLength(1), soon);
    await vi.waitFor(() => expect(metric('audit_fetch_lag_seconds')).toBeGreaterThan(1), soon);
    await world.link.set({ kind: 'pass' });
    await world.allFetched();
    expect(await world.entered()).toEqual(requests(3));
    await vi.waitFor(() => expect(messages('info')).toHaveLength(1), soon);
    expect(messages('warn')).toHaveLength(1);
  });
});

test('an event that cannot be read is counted and logged, and does not keep back those after it', async () => {
  const world = await startWorld();
  const lost = metric('audit_events_lost_total');
  await world.identity.withTransaction((session) =>
    world.changeLog.append(session, {
      accountId: 'acc_1',
      event: auditEventRecorded,
      message: { requestId: 'req-without-an-actor' },
      occurredAt: new Date(),
    }),
  );
  await world.record(['req-1']);
  const { messages } = world.startGateway();
  await world.allFetched();
  expect(await world.entered()).toEqual(['req-1']);
  await vi.waitFor(() => expect(messages('error')).toMatchObject([{ number: '1' }]), soon);
  expect(metric('audit_events_lost_total')).toBe(lost + 1);
});

// Pages are the same over every transport.
test.runIf(testTransport === 'connect-fast')(
  '20 000 changes are fetched in pages, each with one look-up, one write of entries and one of the cursor',
  async () => {
    const world = await startWorld();
    await world.record(['req-1']);
    const event = await world.identity.collection(changeCollection).findOne({});
    if (event === null) throw new Error('The event was not recorded.');
    const count = 20_000;
    for (let from = 1; from <= count; from += 10_000) {
      const batch = Array.from({ length: 10_000 }, (_, index) => ({
        accountId: `acc_${index % 7}`,
        // One change in 20 is an event.
        subject: index % 20 === 0 ? event.subject : 'another kind',
        payload: new Binary(event.payload.value()),
        occurredAt: event.occurredAt,
        writtenAt: new Timestamp({ t: 0, i: 0 }),
        number: from + index,
      }));
      await world.identity.collection(changeCollection).insertMany(batch);
    }
    await world.identity.withTransaction((session) => world.identity.takeSequence(session, 'changes', count));

    const calls: string[] = [];
    const entries = auditRepository(world.store);
    const positions = auditCursorRepository(world.store);
    const deps = world.fetching({
      source: createEventSource({
        name: 'identity',
        changes: {
          listChanges(...request) {
            calls.push('list');
            return world.changes.listChanges(...request);
          },
        },
      }),
      events: createAuditLog({
        store: {
          insert: () => Promise.reject(new Error('Each alone.')),
          insertMissing(missing) {
            calls.push('insert');
            return entries.insertMissing(missing);
          },
        },
        findOpenAccounts(accountIds) {
          calls.push('look up');
          return world.findOpenAccounts(accountIds);
        },
        fingerprint: () => Promise.resolve(''),
        clock: systemClock,
        retentionMs: DAY_MS,
      }),
      positions: {
        ...positions,
        save(...position) {
          calls.push('save');
          return positions.save(...position);
        },
      },
    });
    await fetchEvents(deps, platformContext);
    expect(await world.store.collection(auditEntryCollection).countDocuments()).toBe(count / 20 + 1);
    // The event that was recorded first is numbered last, and alone on the last page.
    expect(calls).toEqual(Array.from({ length: 41 }, () => ['list', 'look up', 'insert', 'save']).flat());
  },
  120_000,
);
