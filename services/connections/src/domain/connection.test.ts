import { describe, expect, test } from 'vitest';
import { oauthMethod } from '../testing/builders.ts';
import { effectiveLicence, requireMethod, shownFields, statusOf } from './connection.ts';

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
      details: [{ field: 'authenticationId', issue: 'is not a method of App' }],
    }),
  );
});
