import type { Clock } from '@fairlead/service-kit/clock';
import { createRequestContext } from '@fairlead/service-kit/context/context';
import { uuidv7 } from '@fairlead/service-kit/ids';
import type { BackgroundWork } from '@fairlead/service-kit/lifecycle/background';
import type { Claims } from '@fairlead/service-kit/sweep/claims';
import { startSweep } from '@fairlead/service-kit/sweep/sweep';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import { systemTimers } from '@fairlead/service-kit/timers';
import type { AgentStore } from '../ports/agent-store.ts';
import type { Connections } from '../ports/connections.ts';
import { undoCreation } from '../use-cases/agents/undo-creation.ts';

const PER_ACCOUNT = 2;
const IN_PROGRESS = 10;
const CLAIM_MS = 30_000;

/** Removes agents whose creation or removal was not completed, and their connections, in the background. */
export function startRemovalSweep<T extends { readonly _id: string; readonly accountId: string }>(o: {
  readonly claims: Claims<T>;
  readonly agents: Pick<AgentStore, 'beginRemoval' | 'remove'>;
  readonly connections: Pick<Connections, 'delete'>;
  readonly clock: Clock;
  readonly log: Logger;
}): BackgroundWork {
  const { claims, clock, log } = o;
  return startSweep({
    name: 'agents',
    claims,
    perPartition: PER_ACCOUNT,
    inProgress: IN_PROGRESS,
    claimMs: CLAIM_MS,
    clock,
    timers: systemTimers,
    log,
    async work({ document: { _id: creationId, accountId } }) {
      const ctx = createRequestContext({
        requestId: uuidv7(clock.now()),
        caller: { kind: 'serviceForAccount', service: 'agents', accountId },
        signal: AbortSignal.timeout(CLAIM_MS),
        log,
      });
      await undoCreation(o, ctx, accountId, creationId);
      // A removed document has no claim to settle; after a failure the claim expires and the document is claimed again.
      return undefined;
    },
  });
}
