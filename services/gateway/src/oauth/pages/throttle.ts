import { placeOf } from '../client-address.ts';
import type { AttemptBuckets, Bucket } from '../ports/attempt-buckets.ts';

/** What became of an attempt that was asked for. */
export type Admission =
  | { readonly isAdmitted: true; readonly succeeded: () => Promise<void> }
  | { readonly isAdmitted: false; readonly retryAfterSeconds: number };

/** Who tries to sign in. */
export interface SignInAttempt {
  readonly email: string;
  /** Network address of the browser. */
  readonly address: string;
  /** What tells the browser apart where this e-mail address has signed in with it before. */
  readonly knownBrowser: string | undefined;
}

/** Slows down guessing of passwords and device codes. */
export interface Throttle {
  /** Counts an attempt to sign in, before the password is checked; `succeeded` takes it back. */
  signIn(attempt: SignInAttempt): Promise<Admission>;
  /** Counts a device code that was entered; `succeeded` takes it back. */
  userCode(address: string): Promise<Admission>;
}

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;

/** One place and one e-mail address: a few slips, then one attempt in two minutes. */
const PAIR = { kind: 'pair', capacity: 6, refillMs: 2 * MINUTE_MS };
/** One place and all e-mail addresses: an office may have many slips, a list of passwords gets nowhere. */
const PLACE = { kind: 'place', capacity: 30, refillMs: 10 * SECOND_MS };
/**
 * One e-mail address from everywhere: guesses from many places together get one in 20 s. It refills six times as fast as
 * one place may try, so that no stranger keeps the owner out; those who command many places can, but not a browser that
 * the owner has signed in with before, which has a bucket of its own.
 */
const EMAIL = { kind: 'email', capacity: 30, refillMs: 20 * SECOND_MS };
const BROWSER = { kind: 'browser', capacity: 10, refillMs: MINUTE_MS };
/** A code has 20⁸ forms and lives for minutes. */
const USER_CODE = { kind: 'code', capacity: 10, refillMs: 30 * SECOND_MS };

/** The throttle on `buckets`. An attempt that one bucket refuses counts in none. */
export function createThrottle(buckets: AttemptBuckets): Throttle {
  return {
    signIn({ email, address, knownBrowser }) {
      const place = placeOf(address);
      if (knownBrowser !== undefined)
        return admit(buckets, { own: [{ ...BROWSER, source: `${email} ${knownBrowser}` }], shared: [] });
      const own = [{ ...PAIR, source: `${email} ${place}` }];
      const shared = [
        { ...PLACE, source: place },
        { ...EMAIL, source: email },
      ];
      return admit(buckets, { own, shared });
    },
    // Shared, because a code of one's own must not pay for guesses.
    userCode: (address) => admit(buckets, { own: [], shared: [{ ...USER_CODE, source: placeOf(address) }] }),
  };
}

/** Success empties the buckets that are the person's `own`; of the `shared` ones it takes back this attempt only. */
async function admit(
  buckets: AttemptBuckets,
  o: { readonly own: readonly Bucket[]; readonly shared: readonly Bucket[] },
): Promise<Admission> {
  const taken: Bucket[] = [];
  for (const bucket of [...o.own, ...o.shared]) {
    const waitMs = await buckets.take(bucket);
    if (waitMs > 0) {
      await Promise.all(taken.map((other) => buckets.giveBack(other)));
      return { isAdmitted: false, retryAfterSeconds: Math.ceil(waitMs / SECOND_MS) };
    }
    taken.push(bucket);
  }
  return {
    isAdmitted: true,
    async succeeded() {
      await Promise.all([
        ...o.own.map((bucket) => buckets.forget(bucket)),
        ...o.shared.map((bucket) => buckets.giveBack(bucket)),
      ]);
    },
  };
}
