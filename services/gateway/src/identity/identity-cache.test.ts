import { ManualClock } from '@fairlead/service-kit/clock';
import { describe, expect, test } from 'vitest';
import { createIdentityCaches } from './identity-cache.ts';

interface Found {
  readonly accountId: string;
}

/** Keys that begin with `acc` belong to that account; the others to nobody. */
const owners = (key: string): Promise<Found | undefined> =>
  Promise.resolve(key.startsWith('acc') ? { accountId: key.slice(0, 5) } : undefined);

function setUp(o: { answer?: typeof owners; maxEntries?: number; session?: number | undefined } = {}) {
  const clock = new ManualClock(new Date(0));
  const state = { session: 'session' in o ? o.session : 1, lookups: 0, subscriptions: 0 };
  let forget: (accountId: string) => void = () => undefined;
  const caches = createIdentityCaches({
    clock,
    hear: (onChange) => {
      state.subscriptions += 1;
      forget = onChange;
      return { session: () => state.session };
    },
    ...(o.maxEntries !== undefined && { maxEntries: o.maxEntries }),
  });
  const cached = () =>
    caches.cache(
      (key) => {
        state.lookups += 1;
        return (o.answer ?? owners)(key);
      },
      (found) => found.accountId,
    );
  const find = cached();
  /** How many of these keys were looked up, asked one after the other. */
  const lookupsFor = async (...keys: string[]): Promise<number> => {
    const before = state.lookups;
    for (const key of keys) await find(key);
    return state.lookups - before;
  };
  return { find, cached, forget, clock, state, lookupsFor };
}

describe('a cache of identity data', () => {
  test('a question that hangs holds up nobody who asks two seconds later', async () => {
    let isFrozen = true;
    const answer: typeof owners = (key) => (isFrozen ? new Promise(() => undefined) : owners(key));
    const { find, clock, lookupsFor } = setUp({ answer });
    void find('acc_1');
    isFrozen = false;
    clock.advance(2_000);
    expect(await lookupsFor('acc_1')).toBe(1);
  });

  test.each(['acc_1', 'unknown'])(
    'while changes are heard of, the answer for %s is kept for 30 seconds and no longer',
    async (key) => {
      const { clock, lookupsFor } = setUp();
      expect(await lookupsFor(key)).toBe(1);
      clock.advance(29_999);
      expect(await lookupsFor(key)).toBe(0);
      clock.advance(1);
      expect(await lookupsFor(key)).toBe(1);
    },
  );

  test.each(['acc_1', 'unknown'])(
    'while changes may be missed, the answer for %s is kept for two seconds and no longer',
    async (key) => {
      const { clock, lookupsFor } = setUp({ session: undefined });
      await lookupsFor(key);
      clock.advance(1_999);
      expect(await lookupsFor(key)).toBe(0);
      clock.advance(1);
      expect(await lookupsFor(key)).toBe(1);
    },
  );

  test.each([undefined, 2])(
    'an answer of a session that ended (now: %s) is two seconds old at most',
    async (next) => {
      const { clock, state, lookupsFor } = setUp();
      await lookupsFor('acc_1');
      clock.advance(10_000);
      state.session = next;
      expect(await lookupsFor('acc_1')).toBe(1);
    },
  );

  test('a change makes the account’s keys and unknown ones asked again at once, and no others', async () => {
    const { forget, lookupsFor } = setUp();
    await lookupsFor('acc_1', 'acc_2', 'unknown');
    forget('acc_1');
    expect(await lookupsFor('acc_2')).toBe(0);
    expect(await lookupsFor('acc_1')).toBe(1);
    expect(await lookupsFor('unknown')).toBe(1);
  });

  test('after a change was announced, the account’s keys are kept for two seconds only, for 30 seconds', async () => {
    const { clock, forget, lookupsFor } = setUp();
    forget('acc_1');
    await lookupsFor('acc_1', 'acc_2', 'unknown');
    clock.advance(2_000);
    expect(await lookupsFor('acc_2')).toBe(0);
    expect(await lookupsFor('acc_1')).toBe(1);
    expect(await lookupsFor('unknown')).toBe(1);
    clock.advance(30_000);
    expect(await lookupsFor('acc_1')).toBe(1);
    clock.advance(20_000);
    expect(await lookupsFor('acc_1')).toBe(0);
  });

  test('an answer that was under way when a change was told of is not kept', async () => {
    let respond: ((found: Found) => void) | undefined;
    const { find, forget, state } = setUp({ answer: () => new Promise((resolve) => (respond = resolve)) });
    const asked = find('acc_1');
    forget('acc_1');
    respond?.({ accountId: 'acc_1' });
    await asked;
    void find('acc_1');
    expect(state.lookups).toBe(2);
  });

  test('simultaneous questions share one lookup', async () => {
    const { find, state } = setUp();
    await Promise.all([find('a'), find('a'), find('b')]);
    expect(state.lookups).toBe(2);
  });

  test('a failed lookup is asked again', async () => {
    const { find, state } = setUp({ answer: () => Promise.reject(new Error('down')) });
    await expect(find('a')).rejects.toThrow('down');
    await expect(find('a')).rejects.toThrow('down');
    expect(state.lookups).toBe(2);
  });

  test('a flood of keys pushes the oldest out', async () => {
    const { lookupsFor } = setUp({ maxEntries: 2 });
    expect(await lookupsFor('a', 'b', 'c', 'c', 'b')).toBe(3);
    expect(await lookupsFor('a')).toBe(1);
  });

  test('all caches share one subscription, forget together and keep their own answers', async () => {
    const { find, cached, forget, state } = setUp();
    const other = cached();
    await find('acc_1');
    await other('acc_1');
    expect(state).toMatchObject({ lookups: 2, subscriptions: 1 });
    await find('acc_1');
    await other('acc_1');
    expect(state.lookups).toBe(2);
    forget('acc_1');
    await find('acc_1');
    await other('acc_1');
    expect(state.lookups).toBe(4);
  });
});
