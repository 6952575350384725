import { createRequestContext } from '@fairlead/service-kit/context/context';
import type { DepsOf } from '@fairlead/service-kit/deps-of';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { uuidv7 } from '@fairlead/service-kit/ids';
import type { BackgroundWork } from '@fairlead/service-kit/lifecycle/background';
import type { Pace } from '@fairlead/service-kit/sweep/pace';
import { startSweep } from '@fairlead/service-kit/sweep/sweep';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import { systemTimers } from '@fairlead/service-kit/timers';
import type { Timers } from '@fairlead/service-kit/timers';
import type { DueGrants } from '../ports/due-grants.ts';
import { renewDueGrant } from '../use-cases/renew-due-grant.ts';

/** Allows ten per second if the vendor takes two seconds. */
const PER_VENDOR = 20;
const IN_PROGRESS = 500;
/** An account can name its own servers, each of which counts as a vendor. */
const PER_ACCOUNT = 50;
/** Longer than waiting for a permit, another attempt's lease, and an attempt together. */
const CLAIM_MS = 90_000;

/** Renews unused grants in the background, at each vendor's start rate. */
export function startGrantKeeper(
  deps: DepsOf<typeof renewDueGrant> & {
    readonly grants: DueGrants;
    readonly pace: Pace;
    readonly log: Logger;
    /** Default: timers of the process. */
    readonly timers?: Timers;
  },
): BackgroundWork {
  const { grants, pace, clock, log, timers = systemTimers } = deps;
  return startSweep({
    name: 'grants',
    claims: grants,
    pace,
    perPartition: PER_VENDOR,
    inProgress: IN_PROGRESS,
    tenants: { of: ({ accountId }) => accountId, each: PER_ACCOUNT },
    claimMs: CLAIM_MS,
    clock,
    timers,
    log,
    work: async ({ document: { _id: id, accountId, credential } }, signal) => {
      const ctx = keeperContext(accountId, signal, log);
      return await renewDueGrant(deps, ctx, { id, accountId, credentialVersion: credential.version });
    },
  });
}

/** The context of background work for an account. */
export function keeperContext(accountId: string, signal: AbortSignal, log: Logger): RequestContext {
  const caller = { kind: 'serviceForAccount', service: 'connections', accountId } as const;
  return createRequestContext({ requestId: uuidv7(), caller, signal, log });
}
