import { describe, expect, test } from 'vitest';
import { connection, oauthMethod } from '../testing/builders.ts';
import {
  effectiveLicence,
  shownFields,
  statusChangedAt,
  statusChangeOf,
  statusOf,
  statusReason,
} from './connection.ts';
import { requireMethod } from './require-method.ts';

const now = new Date('2026-11-21T12:00:00.000Z');
const later = new Date(now.getTime() + 1);

describe('the licence', () => {
  test.each([
    ['active', null, 'active'],
    ['active', later, 'active'],
    ['active', now, 'expired'],
    ['none', later, 'none'],
    ['none', now, 'none'],
    ['expired', later, 'expired'],
  ] as const)('%s until %s counts as %s', (status, expiresAt, effective) => {
    expect(effectiveLicence({ status, expiresAt }, now)).toEqual({ status: effective, expiresAt });
  });
});

describe('the status', () => {
  test.each([
    ['active', false, 'Active'],
    ['active', true, 'NeedsReauthentication'],
    ['none', false, 'Blocked'],
    ['expired', true, 'Blocked'],
  ] as const)('with licence %s and refused %s is %s', (status, needsReauthentication, expected) => {
    expect(statusOf({ licence: { status, expiresAt: null }, needsReauthentication }, now)).toBe(expected);
  });
});

describe('the reason of a status', () => {
  const active = { status: 'active', expiresAt: null } as const;
  const refused = { needsReauthentication: true, refusalReason: 'no' };
  test.each([
    [{ licence: active }, null],
    [{ licence: active, ...refused }, 'no'],
    [{ licence: active, needsReauthentication: true }, 'The vendor refused the grant.'],
    [{ licence: { status: 'none', expiresAt: null }, ...refused }, 'The connection has no licence.'],
    [{ licence: { status: 'active', expiresAt: now } }, 'The licence has expired.'],
    [{ licence: { status: 'expired', expiresAt: null } }, 'The licence has expired.'],
  ] as const)('of %j is %s', (over, reason) => {
    expect(statusReason(connection(over), now)).toBe(reason);
  });
});

describe('the time of a status', () => {
  const createdAt = new Date(now.getTime() - 3_000);
  const changed = new Date(now.getTime() - 2_000);
  const expiresAt = new Date(now.getTime() - 1_000);
  const until = (end: Date | null) => ({ licence: { status: 'active', expiresAt: end } as const });
  test.each([
    ['the creation', {}, createdAt],
    ['the last change', { statusChangedAt: changed }, changed],
    ['the expiry of the licence', { statusChangedAt: changed, ...until(expiresAt) }, expiresAt],
    [
      'the last change, if the licence was set after its expiry',
      { statusChangedAt: now, ...until(expiresAt) },
      now,
    ],
    ['the last change, before the expiry', { statusChangedAt: changed, ...until(later) }, changed],
  ])('is that of %s', (_name, over, expected) => {
    expect(statusChangedAt(connection({ createdAt, ...over }), now)).toEqual(expected);
  });

  test('moves only if the status does', () => {
    const former = connection({ statusChangedAt: changed, ...until(expiresAt) });
    const none = { status: 'none', expiresAt: null } as const;
    expect(statusChangeOf(former, { ...former, licence: none }, now)).toEqual(expiresAt);
    expect(statusChangeOf(former, { ...former, ...until(null) }, now)).toEqual(now);
    expect(statusChangeOf(former, { ...former, needsReauthentication: true }, now)).toEqual(expiresAt);
  });
});

test('secret fields show as null beside the others', () => {
  expect(shownFields({ fields: { host: 'h' }, secretFields: ['password'] })).toEqual({
    host: 'h',
    password: null,
  });
});

test('a method is found by its id, the default one without an id, and an unknown id is an error on the field', () => {
  const methods = [
    oauthMethod({ authenticationId: 0, isDefault: false }),
    oauthMethod({ authenticationId: 4, isDefault: true }),
  ];
  const head = { name: 'App', authenticationMethods: methods };
  expect(requireMethod(head, 0).authenticationId).toBe(0);
  expect(requireMethod(head, undefined).authenticationId).toBe(4);
  expect(() => requireMethod(head, 1)).toThrow(
    expect.objectContaining({
      code: 'VALIDATION_ERROR',
      details: [
        {
          field: 'authenticationId',
          issue: 'is not a method of App, which has 0 (OAuth), 4 (OAuth)',
        },
      ],
    }),
  );
});
