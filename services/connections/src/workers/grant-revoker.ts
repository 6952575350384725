import type { DepsOf } from '@fairlead/service-kit/deps-of';
import type { BackgroundWork } from '@fairlead/service-kit/lifecycle/background';
import type { Pace } from '@fairlead/service-kit/sweep/pace';
import { startSweep } from '@fairlead/service-kit/sweep/sweep';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import { systemTimers } from '@fairlead/service-kit/timers';
import { isErasedAlias } from '../domain/revocation.ts';
import type { DueRevocations } from '../ports/revocation-store.ts';
import { revokeGrant } from '../use-cases/revoke-grant.ts';
import { keeperContext } from './grant-keeper.ts';

const PER_VENDOR = 20;
const IN_PROGRESS = 200;
const PER_ACCOUNT = 50;
/** Longer than an attempt takes. */
const CLAIM_MS = 60_000;

/** Revokes the grants of deleted connections in the background, at each vendor's start rate. */
export function startGrantRevoker(
  deps: DepsOf<typeof revokeGrant> & {
    readonly due: DueRevocations;
    readonly pace: Pace;
    readonly log: Logger;
  },
): BackgroundWork {
  const { due, pace, clock, log } = deps;
  return startSweep({
    name: 'revocations',
    claims: due,
    pace,
    perPartition: PER_VENDOR,
    inProgress: IN_PROGRESS,
    // One erased account has many aliases.
    tenants: { of: ({ accountId }) => (isErasedAlias(accountId) ? 'erased' : accountId), each: PER_ACCOUNT },
    claimMs: CLAIM_MS,
    clock,
    timers: systemTimers,
    log,
    work: ({ document }, signal) =>
      revokeGrant(deps, keeperContext(document.accountId, signal, log), document),
  });
}
