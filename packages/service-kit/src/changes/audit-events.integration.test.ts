import { AuditActorKind } from '@fairlead/contracts/common/v1/audit_events_pb';
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { eraseDocuments } from '../account-data.ts';
import { ManualClock } from '../clock.ts';
import type { MongoStore } from '../mongo/mongo.ts';
import { decodeEvent } from '../nats/events.ts';
import { platformContext } from '../testing/account-data.ts';
import { testStore } from '../testing/mongo.ts';
import type { RecordedAction } from './audit-events.ts';
import { auditEventRecorded, recordAuditEvent } from './audit-events.ts';
import { changeCollection } from './change.collection.ts';
import { createChangeLog } from './change-log.ts';

// Near the real time, which the database's TTL monitor uses.
const NOW = new Date();
const ctx = platformContext;

let store: MongoStore & { drop(): Promise<void> };
beforeAll(async () => {
  store = await testStore(inject('mongodbUri'), [changeCollection]);
});
afterAll(() => store.drop());
beforeEach(async () => {
  await store.collection(changeCollection).deleteMany({});
});

const consent: RecordedAction = {
  accountId: 'acc_1',
  actor: { kind: 'user', userId: 'usr_1' },
  action: 'oauth.consentGranted',
  resource: { type: 'oauthGrant', id: 'grant_1' },
  requestId: 'req-1',
  details: { scopes: ['tools'], 'a.$b': null },
  occurredAt: NOW,
};
const registration: RecordedAction = {
  accountId: undefined,
  actor: { kind: 'system' },
  action: 'oauth.clientRegistered',
  requestId: 'req-2',
  occurredAt: NOW,
};

const changeLog = () => createChangeLog({ store, clock: new ManualClock(NOW) });

const record = (action: RecordedAction): Promise<void> =>
  store.withTransaction((session) => recordAuditEvent(changeLog(), session, action));

async function readRecorded() {
  const { changes } = await changeLog().read(ctx, '', 10);
  return changes.map(({ accountId, subject, payload, occurredAt }) => {
    expect({ subject, occurredAt }).toEqual({ subject: auditEventRecorded.subject, occurredAt: NOW });
    const { detailsJson, ...event } = decodeEvent(auditEventRecorded, payload);
    return { accountId, ...event, details: Buffer.from(detailsJson).toString() };
  });
}

test('an action is recorded with its change, at its time, with everything that is known of it', async () => {
  await record(consent);
  await record(registration);
  expect(await readRecorded()).toMatchObject([
    {
      accountId: 'acc_1',
      actorKind: AuditActorKind.USER,
      userId: 'usr_1',
      action: 'oauth.consentGranted',
      resourceType: 'oauthGrant',
      resourceId: 'grant_1',
      requestId: 'req-1',
      details: '{"scopes":["tools"],"a.$b":null}',
    },
    {
      accountId: '',
      actorKind: AuditActorKind.SYSTEM,
      userId: '',
      action: 'oauth.clientRegistered',
      resourceType: '',
      resourceId: '',
      requestId: 'req-2',
      details: '',
    },
  ]);
});

test('an action that is not carried out is not recorded', async () => {
  const failing = store.withTransaction(async (session) => {
    await recordAuditEvent(changeLog(), session, consent);
    throw new Error('refused');
  });
  await expect(failing).rejects.toThrow('refused');
  expect(await readRecorded()).toEqual([]);
});

test('erasing an account leaves actions that concern no account', async () => {
  await record(consent);
  await record(registration);
  await eraseDocuments(store.collection(changeCollection), ctx, { accountId: 'acc_1' });
  expect(await readRecorded()).toMatchObject([{ action: 'oauth.clientRegistered' }]);
});
