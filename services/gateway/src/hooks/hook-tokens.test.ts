import { ManualClock } from '@fairlead/service-kit/clock';
import { expect, test } from 'vitest';
import { createHookTokens } from './hook-tokens.ts';

const target = { triggerId: 'trg_1', accountId: 'acc_1', isDisabled: false, takesTime: false };

function setUp() {
  const clock = new ManualClock(new Date('2026-01-01T00:00:00Z'));
  const asked: string[] = [];
  const state = { isAway: false, isDeleted: false };
  const tokens = createHookTokens({
    clock,
    find(tokenHash) {
      asked.push(tokenHash);
      if (state.isAway) return Promise.reject(new Error('away'));
      return Promise.resolve(tokenHash.startsWith('known') && !state.isDeleted ? target : undefined);
    },
  });
  return { clock, asked, tokens, state };
}

test('a token is looked up once for all who ask, whether or not somebody has it, and again later', async () => {
  const { clock, asked, tokens } = setUp();
  for (const hash of ['known', 'known', 'none', 'none']) await tokens.get(hash);
  expect(await Promise.all([tokens.get('known'), tokens.get('none')])).toEqual([target, undefined]);
  expect(asked).toEqual(['known', 'none']);
  clock.advance(11_000);
  await Promise.all([tokens.get('known'), tokens.get('none')]);
  expect(asked).toEqual(['known', 'none', 'none']);
  clock.advance(600_000);
  await tokens.get('known');
  expect(asked).toHaveLength(4);
});

test('a token is looked up again for whoever wants a newer answer, and when what is cached is outdated', async () => {
  const { clock, asked, tokens, state } = setUp();
  await tokens.get('known');
  await tokens.get('known', 0);
  clock.advance(999);
  await tokens.get('known', 1_000);
  expect(asked).toHaveLength(2);
  clock.advance(1);
  await tokens.get('known', 1_000);
  expect(asked).toHaveLength(3);
  tokens.forget('known');
  await tokens.get('known');
  expect(asked).toHaveLength(4);
  state.isDeleted = true;
  expect(await tokens.get('known', 0)).toBeUndefined();
  expect(await tokens.get('known')).toBeUndefined();
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
