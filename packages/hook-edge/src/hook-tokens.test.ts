import { VirtualTime } from '@fairlead/service-kit/testing/virtual-time';
import { expect, test } from 'vitest';
import { createHookTokens } from './hook-tokens.ts';

const target = { triggerId: 'trg_1', accountId: 'acc_1', isDisabled: false, takesTime: false };

function setUp() {
  const time = new VirtualTime(Date.UTC(2026, 0));
  const asked: string[] = [];
  const state = { isAway: false, isDeleted: false };
  const tokens = createHookTokens({
    clock: time,
    timers: time.timers(() => true),
    find(tokenHash) {
      asked.push(tokenHash);
      if (state.isAway) return Promise.reject(new Error('away'));
      return Promise.resolve(tokenHash.startsWith('known') && !state.isDeleted ? target : undefined);
    },
  });
  return { time, asked, tokens, state };
}

test('a token is looked up once for all who ask, whether or not somebody has it, and again later', async () => {
  const { time, asked, tokens } = setUp();
  for (const hash of ['known', 'known', 'none', 'none']) await tokens.get(hash);
  expect(await Promise.all([tokens.get('known'), tokens.get('none')])).toEqual([target, undefined]);
  expect(asked).toEqual(['known', 'none']);
  await time.runUntil(time.nowMs + 11_000);
  await Promise.all([tokens.get('known'), tokens.get('none')]);
  expect(asked).toEqual(['known', 'none', 'none']);
  await time.runUntil(time.nowMs + 600_000);
  await tokens.get('known');
  expect(asked).toHaveLength(4);
});

test('a token is looked up again for whoever wants it as it is, and when what is cached is outdated', async () => {
  const { asked, tokens } = setUp();
  await tokens.get('known');
  await tokens.getPresent('known');
  expect(asked).toHaveLength(2);
  tokens.forget('known');
  await tokens.get('known');
  expect(asked).toHaveLength(3);
});

test('a flood of those who want it as it is costs a lookup each 50 ms, and none gets what was looked up before it asked', async () => {
  const { time, asked, tokens, state } = setUp();
  expect(await tokens.getPresent('known')).toEqual(target);
  const before = Promise.all(Array.from({ length: 100 }, () => tokens.getPresent('known')));
  await time.runUntil(time.nowMs + 49);
  state.isDeleted = true;
  const after = tokens.getPresent('known');
  expect(asked).toHaveLength(1);
  await time.runUntil(time.nowMs + 1);
  expect(asked).toHaveLength(2);
  expect([...new Set(await before), await after]).toEqual([undefined, undefined]);
  expect(await tokens.get('known')).toBeUndefined();
  await time.runUntil(time.nowMs + 1_000);
  expect(asked).toHaveLength(2);
  state.isDeleted = false;
  expect(await tokens.getPresent('known')).toEqual(target);
});

test('of a lookup that failed, those who wait for the next one know nothing', async () => {
  const { time, tokens, state } = setUp();
  state.isAway = true;
  await expect(tokens.getPresent('known')).rejects.toThrow('away');
  const next = tokens.getPresent('known');
  state.isAway = false;
  await time.runUntil(time.nowMs + 50);
  expect(await next).toEqual(target);
});

test('a flood of tokens that nobody has drops none that somebody has, nor one that is being looked up', async () => {
  const { asked, tokens } = setUp();
  const first = tokens.get('known');
  for (let at = 0; at < 10_001; at += 1) void tokens.get(`none ${String(at)}`);
  await first;
  asked.length = 0;
  await tokens.get('known');
  await tokens.get('none 1');
  expect(asked).toEqual([]);
  await tokens.get('none 0');
  expect(asked).toEqual(['none 0']);
});

test('of too many tokens that somebody has, those that are called stay', async () => {
  const { asked, tokens } = setUp();
  await tokens.get('known often');
  await tokens.get('known once');
  for (let at = 0; at < 49_999; at += 1) {
    await tokens.get(`known ${String(at)}`);
    if (at % 10_000 === 0) await tokens.get('known often');
  }
  asked.length = 0;
  await tokens.get('known often');
  expect(asked).toEqual([]);
  await tokens.get('known once');
  expect(asked).toEqual(['known once']);
});

test('a failure is not remembered', async () => {
  const { tokens, state } = setUp();
  state.isAway = true;
  await expect(tokens.get('known')).rejects.toThrow('away');
  state.isAway = false;
  expect(await tokens.get('known')).toEqual(target);
});
