import type { Caller, UserCaller } from '../context/caller.ts';
import { createRequestContext } from '../context/context.ts';
import type { RequestContext } from '../context/context.ts';
import { guid, uuidv7 } from '../ids.ts';
import { createLogger } from '../telemetry/logger.ts';
import type { Logger } from '../telemetry/logger.ts';

/** A context for tests: by default a new user of a new account, a silent log, a signal that never aborts. */
export function testContext(
  o: {
    readonly accountId?: string;
    readonly userId?: string;
    readonly permissions?: readonly string[];
    readonly caller?: Caller;
    readonly requestId?: string;
    readonly log?: Logger;
  } = {},
): RequestContext {
  const user: Caller = {
    kind: 'user',
    accountId: o.accountId ?? guid(),
    userId: o.userId ?? guid(),
    roles: [],
    permissions: o.permissions ?? [],
  };
  return createRequestContext({
    requestId: o.requestId ?? uuidv7(),
    caller: o.caller ?? user,
    signal: new AbortController().signal,
    log: o.log ?? createLogger({ service: 'test', level: 'silent' }),
  });
}

/** A context of a user whose API key is confined to a toolset. */
export function confinedContext(confinement: UserCaller['confinement'], accountId = guid()): RequestContext {
  const caller: Caller = { kind: 'user', accountId, userId: guid(), roles: [], permissions: [], confinement };
  return testContext({ caller });
}
