import { describe, expect, it } from 'vitest';
import type { AttemptCause, Delivery, OpenAttempt } from './delivery.ts';
import { DESTINATION_DELETED, outcomeOfStatus } from './outcome.ts';
import { settleAttempt } from './transition.ts';

const START = new Date('2026-11-22T10:00:00.000Z');

function delivery(cause: AttemptCause = 'ladder', ladder = 0): Delivery & { readonly open: OpenAttempt } {
  return {
    accountId: 'acc_1',
    eventId: 'te_1',
    destinationId: 'dst_1',
    capturedAt: START,
    state: 'pending',
    ladder,
    attempts: [],
    isOnly: true,
    open: {
      destinationId: 'dst_1',
      queue: 0,
      at: START,
      dueAt: START,
      createdAt: START,
      cause,
      claim: null,
      lostClaims: 1,
    },
  };
}

/** Pauses in minutes until a delivery has ended whose attempts all get `status`. */
function walk(from: ReturnType<typeof delivery>, status: number) {
  const pauses: number[] = [];
  let now = START;
  let current = from;
  for (;;) {
    const { attempt, state, ladder, open } = settleAttempt(current, outcomeOfStatus(status, 1), now);
    const attempts = [...current.attempts, attempt];
    if (open === undefined) return { pauses, state, attempts };
    expect([attempt.state, open.createdAt, open.lostClaims]).toEqual(['failed', now, 0]);
    pauses.push((open.dueAt.getTime() - now.getTime()) / 60_000);
    now = open.dueAt;
    current = { ...current, ladder, open, attempts };
  }
}

describe('the end of an attempt', () => {
  it('six attempts in all, one, five and fifteen minutes, an hour and six hours apart; the last dead-letters', () => {
    const { pauses, state, attempts } = walk(delivery(), 503);
    expect([pauses, state]).toEqual([[1, 5, 15, 60, 360], 'deadLettered']);
    expect(attempts.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(attempts.map((each) => each.state)).toEqual([...Array<string>(5).fill('failed'), 'deadLettered']);
  });

  it.each([404, 302, 410])('a %d dead-letters at once', (status) => {
    expect(walk(delivery(), status)).toMatchObject({ pauses: [], state: 'deadLettered' });
  });

  it('a delivered one is over', () => {
    expect(walk(delivery(), 204)).toMatchObject({
      pauses: [],
      state: 'delivered',
      attempts: [{ attempt: 1, state: 'delivered', statusCode: 204, error: null, createdAt: START }],
    });
  });

  it('a step that a replay has pulled forward stays to be used: one attempt more in all', () => {
    const { pauses, attempts } = walk(delivery('pulledForward', 2), 500);
    expect(pauses).toEqual([5, 15, 60, 360]);
    expect(attempts).toHaveLength(5);
    expect(walk(delivery('pulledForward', 0), 500).pauses).toEqual([1, 1, 5, 15, 60, 360]);
  });

  describe('during which a replay came', () => {
    const replayAfter = new Date(START.getTime() + 1_000);
    const now = new Date(START.getTime() + 5_000);
    const ended = (status: number, cause: AttemptCause = 'ladder') => {
      const { open, ...rest } = delivery(cause);
      return settleAttempt({ ...rest, open: { ...open, replayAfter } }, outcomeOfStatus(status, 1), now);
    };
    const due = { at: now, dueAt: now, createdAt: replayAfter, claim: null, lostClaims: 0 };

    it.each([
      [204, 'delivered', 0],
      [410, 'deadLettered', 1],
    ] as const)('is over with %d, and one more is due at once', (status, state, ladder) => {
      const transition = ended(status);
      expect(transition).toMatchObject({ attempt: { state }, state: 'pending', ladder });
      expect(transition.open).toMatchObject({ ...due, cause: 'replay' });
      expect(transition.open).not.toHaveProperty('replayAfter');
      expect(ended(status, 'replay').open).toMatchObject({ ...due, cause: 'replay' });
    });

    it('failed: the retry is due at once, and keeps its step', () => {
      const transition = ended(503);
      expect(transition).toMatchObject({ attempt: { state: 'failed' }, state: 'pending', ladder: 1 });
      expect(transition.open).toMatchObject({ ...due, cause: 'pulledForward' });
      expect(transition.open).not.toHaveProperty('replayAfter');
    });

    it('has ended with its destination: nothing follows', () => {
      const { open, ...rest } = delivery();
      const gone = { ...outcomeOfStatus(410, 0), statusCode: null, error: DESTINATION_DELETED };
      expect(settleAttempt({ ...rest, open: { ...open, replayAfter } }, gone, now)).toMatchObject({
        state: 'deadLettered',
        open: undefined,
      });
    });
  });

  it('a failed replay of what was over ends it again, without a ladder', () => {
    expect(walk(delivery('replay', 6), 500)).toMatchObject({ pauses: [], state: 'deadLettered' });
    expect(walk(delivery('replay', 1), 200)).toMatchObject({ state: 'delivered' });
  });
});
