import { placeOf } from '@fairlead/pages/place';
import type { AttemptBuckets, Bucket } from '../ports/attempt-buckets.ts';

/** Whether an attempt is admitted. */
export type Admission =
  | { readonly isAdmitted: true; readonly succeeded: () => Promise<void> }
  | { readonly isAdmitted: false; readonly retryAfterSeconds: number };

export interface SignInAttempt {
  readonly email: string;
  /** Network address of the browser. */
  readonly address: string;
  /** The browser's identifier if this e-mail address has signed in with it before. */
  readonly knownBrowser: string | undefined;
}

/** Slows down guessing of passwords and device codes. */
export interface Throttle {
  /** Counts an attempt to sign in, before the password is checked; `succeeded` undoes the count. */
  signIn(attempt: SignInAttempt): Promise<Admission>;
  /** Counts an entered device code; `succeeded` undoes the count. */
  userCode(address: string): Promise<Admission>;
}

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;

/** Per address of a network and e-mail address: a few mistakes, then one attempt every two minutes. */
const PAIR = { kind: 'pair', capacity: 6, refillMs: 2 * MINUTE_MS };
/** Per network address, all e-mail addresses: room for an office's mistakes, too little for a list of passwords. */
const PLACE = { kind: 'place', capacity: 30, refillMs: 10 * SECOND_MS };
/**
 * Per e-mail address, all network addresses: together they get one guess every 20 s. It refills six times as fast as one network address
 * may try, so that a single attacker cannot lock the owner out. An attacker with many addresses can, except from a browser in which the
 * owner has signed in before: that browser has its own bucket.
 */
const EMAIL = { kind: 'email', capacity: 30, refillMs: 20 * SECOND_MS };
const BROWSER = { kind: 'browser', capacity: 10, refillMs: MINUTE_MS };
/** There are 20⁸ codes, each valid for minutes. */
const USER_CODE = { kind: 'code', capacity: 10, refillMs: 30 * SECOND_MS };

/** The throttle, counting in `buckets`. An attempt that one bucket refuses is counted in none. */
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
    // Shared, so that entering a valid code does not reset the count of wrong guesses.
    userCode: (address) => admit(buckets, { own: [], shared: [{ ...USER_CODE, source: placeOf(address) }] }),
  };
}

/** Success empties the person's `own` buckets; in the `shared` ones it only takes back this attempt. */
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
