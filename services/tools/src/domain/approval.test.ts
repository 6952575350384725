import { expect, it } from 'vitest';
import { canonicalCall, expiredSince, expiryOf } from './approval.ts';

const connection = (id: number) => ({ id, revision: '3', baseUrl: 'https://a.example', isDefault: false });
const bound = (...ids: number[]) => ({ connections: ids.map(connection), steps: 'tools' });

const call = {
  toolsetId: 't',
  applicationSlug: 'crm',
  toolSlug: 'send',
  toolVersion: '1.0.0',
  connectionId: 7,
  bound: bound(8, 10),
  endUserId: 'customer-1',
  userId: 'u',
  inputs: { fields: { a: 1, b: [{ x: 1, y: null }] } },
};

it('is the same text for the same call, whatever the order of members and of connections', () => {
  const inputs = { fields: { b: [{ y: null, x: 1 }], a: 1 } };
  expect(canonicalCall({ ...call, inputs, bound: bound(10, 8) })).toBe(canonicalCall(call));
});

it.each([
  { toolsetId: 't2' },
  { applicationSlug: 'mail' },
  { toolSlug: 'sends' },
  { toolVersion: '1.0.1' },
  { connectionId: null },
  { bound: bound(8) },
  { bound: bound(8, 11) },
  { bound: { connections: [connection(8), { ...connection(10), revision: '4' }], steps: 'tools' } },
  { bound: { connections: [connection(8), { ...connection(10), revision: null }], steps: 'tools' } },
  {
    bound: {
      connections: [connection(8), { ...connection(10), baseUrl: 'https://b.example' }],
      steps: 'tools',
    },
  },
  { bound: { connections: [connection(8), { ...connection(10), isDefault: true }], steps: 'tools' } },
  { bound: { ...bound(8, 10), steps: 'other tools' } },
  { endUserId: 'customer-2' },
  { endUserId: null },
  { userId: 'v' },
  { inputs: { fields: { a: '1', b: [{ x: 1, y: null }] } } },
  { inputs: { fields: { a: 1, b: [{ x: 1 }] } } },
  { inputs: { fields: { a: 1, b: { x: 1, y: null } } } },
  { inputs: { fields: { a: 1, b: [{ x: 1, y: null }, null] } } },
  { inputs: { fields: { a: 1, b: ['object', ['x', 1], ['y', null]] } } },
])('is another text with %j', (other) => {
  expect(canonicalCall({ ...call, ...other })).not.toBe(canonicalCall(call));
});

it('ends a day after it was requested', () => {
  const at = new Date('2026-11-22T10:00:00.000Z');
  expect(expiryOf(at)).toEqual(new Date('2026-11-23T10:00:00.000Z'));
  expect(expiredSince(expiryOf(at))).toEqual(at);
});
