import { describe, expect, test } from 'vitest';
import { testSealer } from './testing/memory-idempotency.ts';
import { createAnswerCodec } from './answer-codec.ts';
import type { Slot } from './domain/slot.ts';

const slot: Slot = { id: 'slot', accountId: 'acc_a', sealingScope: 'acc_a' };
const codec = createAnswerCodec(testSealer(), 16);

describe('a kept answer', () => {
  test.each(['', '{}', JSON.stringify({ text: 'Grüße 🙂 \\u2028'.repeat(50) })])(
    'opens as it was: %j',
    async (text) => {
      const stored = await codec.sealAnswer(slot, 'run', { status: 201, text });
      expect(await codec.openAnswer(slot, 'run', stored)).toEqual({ status: 201, text });
    },
  );

  test('that is too long for one piece has several, none of which says anything', async () => {
    const text = JSON.stringify(Array.from({ length: 100 }, (_, index) => `canary${index}`));
    const { pieces } = await codec.sealAnswer(slot, 'run', { status: 200, text });
    expect(pieces.length).toBeGreaterThan(5);
    expect(pieces.join('')).not.toContain('canary');
  });

  test('opens for its own slot, run and order of pieces only', async () => {
    const stored = await codec.sealAnswer(slot, 'run', { status: 200, text: 'x'.repeat(9) + Math.random() });
    expect(stored.pieces.length).toBeGreaterThan(1);
    for (const [place, run, pieces] of [
      [{ ...slot, id: 'other' }, 'run', stored.pieces],
      [{ ...slot, sealingScope: 'acc_b' }, 'run', stored.pieces],
      [slot, 'other', stored.pieces],
      [slot, 'run', stored.pieces.toReversed()],
    ] as const) {
      await expect(codec.openAnswer(place, run, { status: 200, pieces })).rejects.toThrow(/sealed|key/);
    }
  });
});

test('a fingerprint is the same for the same bytes of one slot and account only', async () => {
  const body = Buffer.from('{"a":1}');
  const own = await codec.fingerprint(slot, body);
  expect(await codec.fingerprint({ ...slot }, Buffer.from(body))).toBe(own);
  const others = await Promise.all([
    codec.fingerprint(slot, Buffer.from('{"a": 1}')),
    codec.fingerprint({ ...slot, id: 'other' }, body),
    codec.fingerprint({ ...slot, sealingScope: 'acc_b' }, body),
    createAnswerCodec(testSealer()).fingerprint(slot, body),
  ]);
  expect(new Set([own, ...others]).size).toBe(5);
});
