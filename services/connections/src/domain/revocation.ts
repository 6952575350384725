const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const PAUSES_MS = [MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS, HOUR_MS];

/** How long revoking a grant is retried before it is given up. */
export const REVOKED_WITHIN_MS = 24 * HOUR_MS;

const ERASED = 'erased_';

/** The alias account id under which an erased account's grants wait; `random` does not identify the account. */
export function erasedAlias(random: string): string {
  return `${ERASED}${random}`;
}

/** Whether this is the alias of an erased account. */
export function isErasedAlias(accountId: string): boolean {
  return accountId.startsWith(ERASED);
}

/** When a revocation that failed at `now`, after `attempts` earlier failures, is retried; undefined: it is given up. */
export function nextRevocation(attempts: number, requestedAt: Date, now: Date): Date | undefined {
  const next = new Date(now.getTime() + (PAUSES_MS[attempts] ?? HOUR_MS));
  return next.getTime() - requestedAt.getTime() < REVOKED_WITHIN_MS ? next : undefined;
}
