import type { Timers } from '@fairlead/service-kit/timers';

/** A store that has not answered after this time is down; it is the time in which a driver reconnects to a database. */
const ANSWER_LIMIT_MS = 5_000;

/** The store's answer, or why there is none. */
type Answer<T> =
  { readonly isAnswered: true; readonly value: T } | { readonly isAnswered: false; readonly error: unknown };

/** Waits for the store up to a limit, because a frozen connection never fails by itself. Never rejects. */
export async function answerOf<T>(answering: Promise<T>, timers: Timers): Promise<Answer<T>> {
  const tooLate = Promise.withResolvers<Answer<T>>();
  const limit = timers.after(ANSWER_LIMIT_MS, () =>
    tooLate.resolve({ isAnswered: false, error: new Error('The database did not answer in time.') }),
  );
  const answer = answering.then(
    (value): Answer<T> => ({ isAnswered: true, value }),
    (error: unknown): Answer<T> => ({ isAnswered: false, error }),
  );
  const first = await Promise.race([answer, tooLate.promise]);
  limit.cancel();
  return first;
}
