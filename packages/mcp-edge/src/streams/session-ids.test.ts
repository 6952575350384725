import { createHmac } from 'node:crypto';
import { parseKeyRing } from '@fairlead/service-kit/key-ring';
import { ManualClock } from '@fairlead/service-kit/clock';
import { expect, test } from 'vitest';
import { createSessionIds } from './session-ids.ts';

const keyOf = (fill: number): string => Buffer.alloc(32, fill).toString('base64');
const OWNER = { serverId: 's-1', userId: 'u-1' };
const DAY_MS = 24 * 60 * 60 * 1_000;

function setUp(ring = `v1:${keyOf(1)}`) {
  const clock = new ManualClock(new Date('2026-11-29T10:00:00.000Z'));
  return { clock, ids: createSessionIds({ keys: parseKeyRing(ring), clock }) };
}

test('an id is visible ASCII, new each time, and verified by whoever has the key', () => {
  const { ids } = setUp();
  const issued = ids.issue(OWNER, 'streamable');
  expect(issued.id).toMatch(/^[!-~]{1,128}$/);
  expect(setUp().ids.verify(issued.id, OWNER, 'streamable')).toEqual({
    id: issued.id,
    key: issued.key,
    expiresAt: new Date('2026-11-30T10:00:00.000Z'),
    capabilities: 0,
  });
  expect(issued.key).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect(issued.id).not.toContain(issued.key);
  expect(ids.issue(OWNER, 'streamable').key).not.toBe(issued.key);
});

test('an id is for one server, one user and one wire', () => {
  const { ids } = setUp();
  const { id } = ids.issue(OWNER, 'sse');
  const anonymous = { serverId: 's-1', userId: undefined };
  expect(ids.verify(id, OWNER, 'sse')).toBeDefined();
  for (const owner of [{ ...OWNER, serverId: 's-2' }, { ...OWNER, userId: 'u-2' }, anonymous])
    expect(ids.verify(id, owner, 'sse')).toBeUndefined();
  expect(ids.verify(id, OWNER, 'streamable')).toBeUndefined();
  expect(ids.verify(ids.issue(anonymous, 'sse').id, OWNER, 'sse')).toBeUndefined();
});

test('an id expires after a day, and cannot be prolonged', () => {
  const { clock, ids } = setUp();
  const { id } = ids.issue(OWNER, 'sse');
  const later = createLater(id);
  expect(ids.verify(later, OWNER, 'sse')).toBeUndefined();
  clock.advance(DAY_MS - 1);
  expect(ids.verify(id, OWNER, 'sse')).toBeDefined();
  clock.advance(1);
  expect(ids.verify(id, OWNER, 'sse')).toBeUndefined();
});

test('an id holds the capabilities of the client, which cannot be changed', () => {
  const { ids } = setUp();
  const { id, capabilities } = ids.issue(OWNER, 'streamable', 0b101);
  expect([capabilities, ids.verify(id, OWNER, 'streamable')?.capabilities]).toEqual([0b101, 0b101]);
  const [version = '', payload = '', mac = ''] = id.split('.');
  const bytes = Buffer.from(payload, 'base64url');
  bytes[bytes.length - 1] = 0xff;
  expect(
    ids.verify([version, bytes.toString('base64url'), mac].join('.'), OWNER, 'streamable'),
  ).toBeUndefined();
});

test('an id of a release that did not know capabilities is verified, and has none', () => {
  const expiry = Buffer.alloc(5);
  expiry.writeUIntBE(Date.parse('2026-11-29T12:00:00.000Z') / 1_000, 0, 5);
  const signed = `v1.${Buffer.concat([expiry, Buffer.alloc(16, 7)]).toString('base64url')}`;
  const mac = createHmac('sha256', Buffer.alloc(32, 1)).update(
    JSON.stringify(['fairlead-mcp-session-v1', signed, 'streamable', 's-1', 'u-1']),
  );
  const id = `${signed}.${mac.digest('base64url')}`;
  expect(setUp().ids.verify(id, OWNER, 'streamable')).toMatchObject({ id, capabilities: 0 });
});

/** The id with its time changed to a later one. */
function createLater(id: string): string {
  const [version = '', payload = '', mac = ''] = id.split('.');
  const bytes = Buffer.from(payload, 'base64url');
  bytes.writeUIntBE(bytes.readUIntBE(0, 5) + 1, 0, 5);
  return [version, bytes.toString('base64url'), mac].join('.');
}

test.each([
  '',
  'x',
  'v1..',
  `v1.${'a'.repeat(28)}.${'a'.repeat(43)}`,
  `v2.${'a'.repeat(28)}.${'a'.repeat(43)}`,
])('%j is no id', (text) => {
  expect(setUp().ids.verify(text, OWNER, 'sse')).toBeUndefined();
});

test('another spelling of the same bytes is another text, and no id', () => {
  const { ids } = setUp();
  const { id } = ids.issue(OWNER, 'sse');
  // The last character of 32 bytes in base64url has two unused bits.
  const last = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const other = last[last.indexOf(id.at(-1) ?? '') ^ 1] ?? '';
  const respelt = id.slice(0, -1) + other;
  expect(Buffer.from(respelt.split('.')[2] ?? '', 'base64url')).toEqual(
    Buffer.from(id.split('.')[2] ?? '', 'base64url'),
  );
  expect(ids.verify(respelt, OWNER, 'sse')).toBeUndefined();
});

test('the current key signs, a former one still verifies, a removed one does not', () => {
  const { id } = setUp().ids.issue(OWNER, 'sse');
  const rotated = setUp(`v2:${keyOf(2)},v1:${keyOf(1)}`).ids;
  expect(rotated.verify(id, OWNER, 'sse')).toBeDefined();
  expect(rotated.issue(OWNER, 'sse').id).toMatch(/^v2\./);
  expect(setUp(`v2:${keyOf(2)}`).ids.verify(id, OWNER, 'sse')).toBeUndefined();
});
