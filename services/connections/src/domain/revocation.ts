const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const PAUSES_MS = [MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS, HOUR_MS];

/** How long a vendor is asked to revoke a grant before that is given up. */
export const REVOKED_WITHIN_MS = 24 * HOUR_MS;

const ERASED = 'erased_';

/** The account under which grants of an erased account wait; `random` links it to nothing. */
export function erasedAlias(random: string): string {
  return `${ERASED}${random}`;
}

/** Whether grants of an erased account wait under that id. */
export function isErasedAlias(accountId: string): boolean {
  return accountId.startsWith(ERASED);
}

/** When a revocation that failed at `now` is tried again, after `attempts` others; undefined: it is given up. */
export function nextRevocation(attempts: number, requestedAt: Date, now: Date): Date | undefined {
  const next = new Date(now.getTime() + (PAUSES_MS[attempts] ?? HOUR_MS));
  return next.getTime() - requestedAt.getTime() < REVOKED_WITHIN_MS ? next : undefined;
}
