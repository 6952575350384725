import { repeatInBackground } from '@fairlead/service-kit/lifecycle/background';
import type { BackgroundWork } from '@fairlead/service-kit/lifecycle/background';
import { createRequestContext } from '@fairlead/service-kit/context/context';
import { uuidv7 } from '@fairlead/service-kit/ids';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import { continueErasures } from './use-cases/continue-erasures.ts';
import type { ContinueErasuresDeps } from './use-cases/continue-erasures.ts';

const EVERY_MS = 5_000;

/** Continues due erasures on every replica; each erasure is claimed by one replica. */
export function startErasureResumption(deps: ContinueErasuresDeps, log: Logger): BackgroundWork {
  return repeatInBackground({
    name: 'erasure of accounts',
    everyMs: EVERY_MS,
    log,
    work: (signal) => {
      const requestId = uuidv7(deps.clock.now());
      const caller = { kind: 'service', service: 'gateway' } as const;
      return continueErasures(deps, createRequestContext({ requestId, caller, signal, log }));
    },
  });
}
