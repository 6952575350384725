import type { MessageInitShape } from '@bufbuild/protobuf';
import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { AuditActorKind, AuditEventRecordedSchema } from '@fairlead/contracts/common/v1/audit_events_pb';
import type { ChangeSchema } from '@fairlead/contracts/common/v1/change_service_pb';
import { ListChangesResponseSchema } from '@fairlead/contracts/common/v1/change_service_pb';
import { auditEventRecorded } from '@fairlead/service-kit/changes/audit-events';
import { encodeEvent } from '@fairlead/service-kit/nats/events';
import { testContext } from '@fairlead/service-kit/testing/context';
import { describe, expect, test } from 'vitest';
import { createEventSource } from './change-source.ts';

const NOW = new Date('2026-11-21T10:00:00.000Z');
const ctx = testContext();

type NewEvent = MessageInitShape<typeof AuditEventRecordedSchema>;
type NewChange = MessageInitShape<typeof ChangeSchema>;

const consent: NewEvent = {
  actorKind: AuditActorKind.USER,
  userId: 'usr_1',
  action: 'oauth.consentGranted',
  resourceType: 'oauthGrant',
  resourceId: 'grant_1',
  requestId: 'req-1',
  detailsJson: Buffer.from('{"scopes":["tools"]}'),
};

const encoded = (event: NewEvent): Uint8Array =>
  encodeEvent(auditEventRecorded, create(AuditEventRecordedSchema, event));

const changeOf = (event: NewEvent, o: NewChange = {}): NewChange => ({
  number: 7n,
  accountId: 'acc_1',
  subject: auditEventRecorded.subject,
  payload: encoded(event),
  occurredAt: timestampFromDate(NOW),
  ...o,
});

/** Reads these changes as a ChangeSource does. */
function read(changes: readonly NewChange[], name = 'identity') {
  const page = { changes: [...changes], nextCursor: 'c1', hasMore: true };
  const listChanges = () => Promise.resolve(create(ListChangesResponseSchema, page));
  return createEventSource({ name, changes: { listChanges } }).read(ctx, '', 500);
}

const idOf = async (change: NewChange, name?: string) =>
  (await read([change], name)).events.map(({ entryId }) => entryId)[0];

test('a change that is an audit event becomes one, of the account and at the time of the change', async () => {
  expect(await read([changeOf(consent)])).toEqual({
    events: [
      {
        entryId: expect.stringMatching(/^aud_[0-9A-Za-z]{22}$/) as unknown,
        occurredAt: NOW,
        event: {
          accountId: 'acc_1',
          actor: { kind: 'user', userId: 'usr_1' },
          action: 'oauth.consentGranted',
          resource: { type: 'oauthGrant', id: 'grant_1' },
          outcome: 'succeeded',
          requestId: 'req-1',
          details: { scopes: ['tools'] },
        },
      },
    ],
    unreadable: [],
    nextCursor: 'c1',
    hasMore: true,
  });
});

test('one without an account, a resource and details has none', async () => {
  const event = { actorKind: AuditActorKind.SYSTEM, action: 'a', requestId: 'req-1' };
  const { events } = await read([changeOf(event, { accountId: '' })]);
  expect(events[0]?.event).toEqual({
    accountId: undefined,
    actor: { kind: 'system' },
    action: 'a',
    outcome: 'succeeded',
    requestId: 'req-1',
  });
});

test('changes of other kinds are passed over', async () => {
  const other = changeOf(consent, { subject: 'another kind', payload: Buffer.from('x') });
  expect(await read([other])).toMatchObject({ events: [], unreadable: [] });
});

test('the id of an entry is that of its event, wherever and whenever it is read', async () => {
  const id = await idOf(changeOf(consent));
  expect(await idOf(changeOf(consent))).toBe(id);
  const others = await Promise.all([
    idOf(changeOf(consent, { number: 8n })),
    idOf(changeOf(consent), 'connections'),
    // After a restore, change numbers are assigned again.
    idOf(changeOf({ ...consent, requestId: 'req-2' })),
    idOf(changeOf(consent, { occurredAt: timestampFromDate(new Date(NOW.getTime() + 1)) })),
  ]);
  expect(new Set([id, ...others]).size).toBe(5);
});

describe('an event that is not as declared is reported without its content, and does not hide the others', () => {
  const text = (json: string): NewEvent => ({ ...consent, detailsJson: Buffer.from(json) });
  // The last value of a repeated field applies; 99 is a value that this release does not know.
  const laterActor = Buffer.concat([encoded(consent), Buffer.from([0x08, 99])]);
  test.each<[string, NewChange, string]>([
    ['another message', changeOf(consent, { payload: Buffer.from('not a message') }), 'AuditEventRecorded'],
    ['no actor', changeOf({ ...consent, actorKind: AuditActorKind.UNSPECIFIED }), 'actor'],
    ['an actor of a later release', changeOf(consent, { payload: laterActor }), 'actor'],
    ['a user without an id', changeOf({ ...consent, userId: '' }), 'actor'],
    ['no action', changeOf({ ...consent, action: '' }), 'action'],
    ['half a resource', changeOf({ ...consent, resourceId: '' }), 'resource'],
    ['details that are no JSON', changeOf(text('{"secret')), 'details'],
    ['details that are no object', changeOf(text('["secret"]')), 'details'],
    ['details that are null', changeOf(text('null')), 'details'],
    ['details that are no text', changeOf({ ...consent, detailsJson: Buffer.from([0xff]) }), 'details'],
    ['no time', { ...changeOf(consent), occurredAt: undefined }, 'time'],
  ])('%s', async (_name, broken, problem) => {
    const { events, unreadable } = await read([broken, changeOf(consent, { number: 8n })]);
    expect(events).toHaveLength(1);
    expect(unreadable).toEqual([{ number: '7', problem: expect.stringContaining(problem) as unknown }]);
    expect(JSON.stringify(unreadable)).not.toContain('secret');
  });
});
