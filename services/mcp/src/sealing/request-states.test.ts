import { ManualClock } from '@fairlead/service-kit/clock';
import { parseKeyRing } from '@fairlead/service-kit/key-ring';
import { ringKeyEncryption } from '@fairlead/sealing/ring-key-encryption';
import { createSealer } from '@fairlead/sealing/sealing';
import { testContext } from '@fairlead/service-kit/testing/context';
import { memoryDataKeyStore } from '@fairlead/sealing/testing/memory-data-keys';
import { expect, test } from 'vitest';
import { createRequestStates } from './request-states.ts';

const ctx = testContext({ accountId: 'acc_1' });
const binding = ['server', 'u1', 'tools/call'];

function setUp() {
  const clock = new ManualClock(new Date('2026-11-29T12:00:00.000Z'));
  const encryption = ringKeyEncryption(parseKeyRing(`v1:${Buffer.alloc(32, 5).toString('base64')}`));
  const sealer = createSealer({ encryption, store: memoryDataKeyStore() });
  return { clock, states: createRequestStates({ sealer, clock }) };
}

test('a state comes back for its request, and cannot be read', async () => {
  const { states } = setUp();
  const text = await states.seal(ctx, binding, { answers: { secret: 'visible' } });
  expect(text).not.toContain('visible');
  expect([states.isOwn(text), states.isOwn('other')]).toEqual([true, false]);
  expect(await states.open(ctx, binding, text)).toEqual({ answers: { secret: 'visible' } });
});

test('a state of another request or account, a changed and an old one are none', async () => {
  const { states, clock } = setUp();
  const text = await states.seal(ctx, binding, { asked: ['a'] });
  expect(await states.open(ctx, ['server', 'u2', 'tools/call'], text)).toBeUndefined();
  expect(await states.open(testContext({ accountId: 'acc_2' }), binding, text)).toBeUndefined();
  for (const changed of [`${text}AAAA`, text.slice(0, -4), 'fairlead.', 'fairlead.s1.x.y', 'fairlead.s1..'])
    expect(await states.open(ctx, binding, changed)).toBeUndefined();
  clock.advance(600_000);
  expect(await states.open(ctx, binding, text)).toBeUndefined();
});
