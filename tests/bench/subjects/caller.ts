import { systemClock } from '@fairlead/service-kit/clock';
import { createRequestContext } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { parseKeyRing } from '@fairlead/service-kit/key-ring';
import type { KeyRing } from '@fairlead/service-kit/key-ring';
import { uuidv7 } from '@fairlead/service-kit/ids';
import { createLogger } from '@fairlead/service-kit/telemetry/logger';

/** The keys with which the benchmark's processes sign callers for each other. */
export const callerKeys: KeyRing = parseKeyRing(`v1:${Buffer.alloc(32, 7).toString('base64')}`);

const TIMEOUT_MS = 8_000;
const log = createLogger({ service: 'bench', level: 'silent' });

/** The context of one request, as the gateway creates it. */
export function requestContext(): RequestContext {
  return createRequestContext({
    requestId: uuidv7(systemClock.now()),
    caller: { kind: 'user', accountId: 'acc_bench', userId: 'usr_bench', roles: ['owner'], permissions: [] },
    signal: new AbortController().signal,
    deadline: new Date(Date.now() + TIMEOUT_MS),
    log,
  });
}
