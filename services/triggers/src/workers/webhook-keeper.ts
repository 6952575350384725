import { createRequestContext } from '@fairlead/service-kit/context/context';
import { uuidv7 } from '@fairlead/service-kit/ids';
import type { RepeatedWork } from '@fairlead/service-kit/lifecycle/background';
import type { Claim, Claims } from '@fairlead/service-kit/sweep/claims';
import { startSweep } from '@fairlead/service-kit/sweep/sweep';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import { systemTimers } from '@fairlead/service-kit/timers';
import type { ClaimedWebhook } from '../ports/webhook-store.ts';
import { reconcileWebhook } from '../use-cases/reconcile-webhook.ts';
import type { ReconcileWebhookDeps } from '../use-cases/reconcile-webhook.ts';

const PER_ACCOUNT = 5;
const IN_PROGRESS = 50;
/** Longer than a check, which ends after LOOK_MS. */
const CLAIM_MS = 60_000;
const LOOK_MS = 50_000;
const IDLE_MS = 1_000;

/** In the background, makes vendors' lists of registrations match the triggers, on all replicas. */
export function startWebhookKeeper<T extends object>(
  deps: ReconcileWebhookDeps & {
    readonly claims: Claims<T>;
    readonly claimedWebhook: (claimed: Claim<T>) => ClaimedWebhook;
    readonly log: Logger;
  },
): RepeatedWork {
  const { claims, claimedWebhook, clock, log } = deps;
  return startSweep({
    name: 'vendor-webhooks',
    claims,
    perPartition: PER_ACCOUNT,
    inProgress: IN_PROGRESS,
    claimMs: CLAIM_MS,
    idleMs: IDLE_MS,
    clock,
    timers: systemTimers,
    log,
    async work(document, signal) {
      const claimed = claimedWebhook(document);
      const { accountId } = claimed.webhook;
      const caller = { kind: 'serviceForAccount', service: 'triggers', accountId } as const;
      const deadline = new Date(Date.now() + LOOK_MS);
      const ctx = createRequestContext({ requestId: uuidv7(), caller, signal, deadline, log });
      await reconcileWebhook(deps, ctx, claimed);
      return undefined;
    },
  });
}
