import type { Timers } from './timers.ts';

/** A store that has not answered by then is away: the time in which a database has to be found again. */
const ANSWER_LIMIT_MS = 5_000;

/** What the store answered, or why it did not. */
type Answer<T> =
  { readonly isAnswered: true; readonly value: T } | { readonly isAnswered: false; readonly error: unknown };

/** Waits for the store, but not for ever: a connection that is frozen never fails by itself. Never rejects. */
export async function answerOf<T>(asked: Promise<T>, timers: Timers): Promise<Answer<T>> {
  const tooLate = Promise.withResolvers<Answer<T>>();
  const limit = timers.after(ANSWER_LIMIT_MS, () =>
    tooLate.resolve({ isAnswered: false, error: new Error('The database did not answer in time.') }),
  );
  const answer = asked.then(
    (value): Answer<T> => ({ isAnswered: true, value }),
    (error: unknown): Answer<T> => ({ isAnswered: false, error }),
  );
  const first = await Promise.race([answer, tooLate.promise]);
  limit.cancel();
  return first;
}
