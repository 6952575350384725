import { ApiError } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { AuditLog } from '@fairlead/audit-log/audit-log';
import { RETRY_MS, advance, later } from '../domain/erasure.ts';
import type { Erasure } from '../domain/erasure.ts';
import type { AccountDomain } from '../ports/account-domain.ts';
import type { ErasureStore } from '../ports/erasure-store.ts';
import type { OperatedIdentity } from '../ports/operated-identity.ts';

export interface AttemptErasureDeps {
  readonly erasures: Pick<ErasureStore, 'save' | 'postpone'>;
  readonly identity: Pick<OperatedIdentity, 'closeAccount' | 'data'>;
  /** All domains that store data of accounts, except identity. */
  readonly domains: readonly AccountDomain[];
  readonly audit: AuditLog;
  readonly clock: Clock;
  /** Times of the repeated erasures (sweepTimes). */
  readonly sweeps: readonly number[];
}

/** Erases all data of an account and records the progress. If it fails, postpones the erasure and throws the first failure. */
export async function attemptErasure(
  deps: AttemptErasureDeps,
  ctx: RequestContext,
  erasure: Erasure,
): Promise<void> {
  const { accountId } = erasure;
  try {
    // Harmless if repeated: a process may have died between recording the erasure and closing the account.
    if (erasure.state === 'erasing') await closeAccount(deps, ctx, accountId);
    await eraseEverywhere(deps.domains, ctx, accountId);
    await eraseAll(deps.identity.data, ctx, accountId);
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
    await identity.closeAccount(ctx, accountId);
  } catch (error) {
    // The account itself is erased last. If it does not exist, only the final record is missing.
    if (!(error instanceof ApiError && error.code === 'NOT_FOUND')) throw error;
  }
}

/**
 * Erases all domains in parallel; the domains that others depend on follow once the others are done. An unavailable domain does not stop
 * the erasure of others. Finally throws the first failure, if any.
 */
async function eraseEverywhere(
  domains: readonly AccountDomain[],
  ctx: RequestContext,
  accountId: string,
): Promise<void> {
  const failures: { readonly domain: string; readonly reason: unknown }[] = [];
  for (const isUsed of [false, true])
    await Promise.all(
      domains
        .filter(({ isUsedByOthers = false }) => isUsedByOthers === isUsed)
        .map((domain) =>
          eraseAll(domain, ctx, accountId).catch((reason: unknown) => {
            failures.push({ domain: domain.name, reason });
          }),
        ),
    );
  for (const { domain, reason } of failures)
    ctx.log.warn({ err: reason, domain, accountId }, 'could not erase the data of an account in a domain');
  if (failures[0] !== undefined) throw failures[0].reason;
}

async function eraseAll(domain: AccountDomain, ctx: RequestContext, accountId: string): Promise<void> {
  while (!(await domain.erase(ctx, accountId))) ctx.signal.throwIfAborted();
}

/** Records the completion in the platform's log, whichever process completed it. */
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
