import { ApiError } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { AuditLog } from '../../audit/audit-log.ts';
import { RETRY_MS, advance, later } from '../domain/erasure.ts';
import type { Erasure } from '../domain/erasure.ts';
import type { AccountDomain } from '../ports/account-domain.ts';
import type { ErasureStore } from '../ports/erasure-store.ts';
import type { OperatedIdentity } from '../ports/operated-identity.ts';

/** What attemptErasure needs. */
export interface AttemptErasureDeps {
  readonly erasures: Pick<ErasureStore, 'save' | 'postpone'>;
  readonly identity: Pick<OperatedIdentity, 'beginErasure' | 'eraseIdentity'>;
  /** Everything that keeps data of accounts, but identity. */
  readonly domains: readonly AccountDomain[];
  readonly audit: AuditLog;
  readonly clock: Clock;
  /** When it is erased once more (sweepTimes). */
  readonly sweeps: readonly number[];
}

/**
 * Erases everything of an account and notes how far that has come. Where it fails, the erasure is postponed and the first
 * failure thrown.
 */
export async function attemptErasure(
  deps: AttemptErasureDeps,
  ctx: RequestContext,
  erasure: Erasure,
): Promise<void> {
  const { accountId } = erasure;
  try {
    // Also where it was done before: a process may have died between the note and the first step.
    if (erasure.state === 'erasing') await closeAccount(deps, ctx, accountId);
    await eraseEverywhere(deps.domains, ctx, accountId);
    await deps.identity.eraseIdentity(ctx, accountId);
    await deps.erasures.save(advance(erasure, deps.sweeps, deps.clock.now()));
  } catch (error) {
    await deps.erasures.postpone(accountId, later(deps.clock.now(), RETRY_MS));
    throw error;
  }
  if (erasure.state === 'erasing') await tell(deps.audit, ctx, accountId);
}

async function closeAccount(
  { identity }: AttemptErasureDeps,
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
