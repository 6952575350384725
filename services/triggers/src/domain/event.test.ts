import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { PAYLOAD_BYTES, composeEvent } from './event.ts';
import type { Firing } from './event.ts';

const CAPTURED_AT = new Date('2026-11-22T10:00:01.500Z');

const firing = (payload: string, members: Partial<Firing> = {}): Firing => ({
  accountId: 'acc_1',
  triggerId: 'trg_1',
  triggerType: 'http_webhook',
  destinationIds: ['dst_1', 'dst_2'],
  occurredAt: new Date('2026-11-22T10:00:00.000Z'),
  payload: Buffer.from(payload),
  firingKey: 'k',
  ...members,
});
const textOf = (payload: string): string =>
  Buffer.from(composeEvent(firing(payload), 'te_1', CAPTURED_AT).body).toString('utf8');
const sha256 = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`;

test('a body has the members of an event, and the payload byte by byte', () => {
  const payload = '{"n": 12345678901234567890, "é":1.0}';
  expect(textOf(payload)).toBe(
    `{"id":"te_1","type":"http_webhook","trigger_id":"trg_1","occurred_at":"2026-11-22T10:00:00.000Z","payload":${payload},"payload_truncated":false,"payload_hash":"${sha256(payload)}"}`,
  );
  expect(composeEvent(firing(payload), 'te_1', CAPTURED_AT)).toMatchObject({
    id: 'te_1',
    accountId: 'acc_1',
    triggerId: 'trg_1',
    triggerType: 'http_webhook',
    destinationIds: ['dst_1', 'dst_2'],
    occurredAt: new Date('2026-11-22T10:00:00.000Z'),
    capturedAt: CAPTURED_AT,
    payloadTruncated: false,
    payloadHash: sha256(payload),
    firingKey: 'k',
  });
});

test('names that JSON has to escape stay what they are', () => {
  const text = Buffer.from(
    composeEvent(firing('null', { triggerType: 'a"b\\' }), 'te_1', CAPTURED_AT).body,
  ).toString('utf8');
  expect(JSON.parse(text)).toMatchObject({ type: 'a"b\\', payload: null });
});

test('a payload of exactly 256 KiB is whole', () => {
  const payload = JSON.stringify('x'.repeat(PAYLOAD_BYTES - 2));
  expect(JSON.parse(textOf(payload))).toMatchObject({
    payload: 'x'.repeat(PAYLOAD_BYTES - 2),
    payload_truncated: false,
  });
});

test.each([
  ['of one byte', 'x', PAYLOAD_BYTES],
  ['of two bytes', 'é', PAYLOAD_BYTES],
  ['of three bytes', '€', PAYLOAD_BYTES - 1],
  ['of four bytes', '😀', PAYLOAD_BYTES - 1],
])('a larger one is cut between characters %s; its hash is that of the whole', (_name, character, least) => {
  const payload = JSON.stringify(character.repeat(PAYLOAD_BYTES));
  const body = JSON.parse(textOf(payload)) as Record<string, unknown>;
  expect(body['payload_truncated']).toBe(true);
  expect(body['payload_hash']).toBe(sha256(payload));
  const kept = Buffer.from(String(body['payload']));
  expect(Buffer.from(payload).subarray(0, kept.length).equals(kept)).toBe(true);
  expect(kept.length).toBeLessThanOrEqual(PAYLOAD_BYTES);
  expect(kept.length).toBeGreaterThanOrEqual(least - 2);
});
