import { ApiError } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { AuditLog } from '../../audit/audit-log.ts';
import type { IdentityAdministration } from '../../identity/identity-administration.ts';
import type { AccountDomain } from '../account-domain.ts';
import { ATTEMPT_MS, RETRY_MS, advance } from '../domain/erasure.ts';
import type { Erasure } from '../domain/erasure.ts';
import type { ErasureStore } from '../ports/erasure-store.ts';

/** What eraseAccount needs. */
export interface EraseAccountDeps {
  readonly erasures: ErasureStore;
  readonly identity: Pick<IdentityAdministration, 'getAccount' | 'beginErasure' | 'eraseIdentity'>;
  /** Everything that keeps data of accounts, but identity. */
  readonly domains: readonly AccountDomain[];
  readonly audit: AuditLog;
  readonly clock: Clock;
  /** When it is erased once more (sweepTimes). */
  readonly sweeps: readonly number[];
}

/**
 * Erases everything that the platform keeps of an account; resolves when nothing is left. Where it fails half-way, nobody
 * gets into the account any more, and continueErasures completes it unasked; asking again goes on at once. NOT_FOUND for
 * an account that does not exist, or does not any more.
 */
export async function eraseAccount(
  deps: EraseAccountDeps,
  ctx: RequestContext,
  accountId: string,
): Promise<void> {
  await deps.identity.getAccount(ctx, accountId);
  const now = deps.clock.now();
  // First, so that an erasure which somebody may have noticed is never forgotten.
  const erasure = await deps.erasures.begin(accountId, { now, until: after(now, ATTEMPT_MS) });
  await attempt(deps, ctx, erasure);
}

/** Goes on with every erasure that was left half-way, and erases once more what was erased, each at its time. */
export async function continueErasures(deps: EraseAccountDeps, ctx: RequestContext): Promise<void> {
  while (!ctx.signal.aborted) {
    const now = deps.clock.now();
    const erasure = await deps.erasures.claimDue({ now, until: after(now, ATTEMPT_MS) });
    if (erasure === undefined) return;
    try {
      await attempt(deps, ctx, erasure);
    } catch (error) {
      // It comes again in its time; others may be able to go on.
      ctx.log.warn({ err: error, accountId: erasure.accountId }, 'could not go on erasing an account');
    }
  }
}

async function attempt(deps: EraseAccountDeps, ctx: RequestContext, erasure: Erasure): Promise<void> {
  const { accountId } = erasure;
  try {
    // Also where it was done before: a process may have died between the note and the first step.
    if (erasure.state === 'erasing') await closeAccount(deps, ctx, accountId);
    await eraseEverywhere(deps.domains, ctx, accountId);
    await deps.identity.eraseIdentity(ctx, accountId);
    await deps.erasures.save(advance(erasure, deps.sweeps, deps.clock.now()));
  } catch (error) {
    await deps.erasures.postpone(accountId, after(deps.clock.now(), RETRY_MS));
    throw error;
  }
  if (erasure.state === 'erasing') await tell(deps.audit, ctx, accountId);
}

async function closeAccount(
  { identity }: EraseAccountDeps,
  ctx: RequestContext,
  accountId: string,
): Promise<void> {
  try {
    await identity.beginErasure(ctx, accountId);
  } catch (error) {
    // The account itself goes last: where it is gone, what comes after it was not noted.
    if (!(error instanceof ApiError && error.code === 'NOT_FOUND')) throw error;
  }
}

/** All at once, because one that is away should not keep the others' data alive; then the first failure, if any. */
async function eraseEverywhere(
  domains: readonly AccountDomain[],
  ctx: RequestContext,
  accountId: string,
): Promise<void> {
  const outcomes = await Promise.allSettled(
    domains.map(async (domain) => {
      while (!(await domain.erase(ctx, accountId))) ctx.signal.throwIfAborted();
    }),
  );
  const failures = outcomes.flatMap((outcome, index) =>
    outcome.status === 'rejected'
      ? [{ domain: domains[index]?.name, reason: outcome.reason as unknown }]
      : [],
  );
  for (const { domain, reason } of failures)
    ctx.log.warn({ err: reason, domain, accountId }, 'could not erase what a domain keeps of an account');
  if (failures[0] !== undefined) throw failures[0].reason;
}

/** The platform's log keeps that it was completed, whoever did it and when. */
async function tell(audit: AuditLog, ctx: RequestContext, accountId: string): Promise<void> {
  try {
    await audit.record({
      accountId: undefined,
      actor: { kind: 'system' },
      action: 'accountErased',
      resource: { type: 'account', id: accountId },
      outcome: 'succeeded',
      requestId: ctx.requestId,
    });
  } catch (error) {
    ctx.log.error({ err: error, accountId }, 'an audit entry was lost');
  }
}

function after(now: Date, ms: number): Date {
  return new Date(now.getTime() + ms);
}
