import type { EndpointService } from '@fairlead/contracts/mcp/v1/endpoint_service_pb';
import type { Clock } from '@fairlead/service-kit/clock';
import { createRequestContext } from '@fairlead/service-kit/context/context';
import { uuidv7 } from '@fairlead/service-kit/ids';
import type { RpcClient } from '@fairlead/service-kit/rpc/client';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';

const TIMEOUT_MS = 10_000;

/**
 * Makes the mcp service follow the MCP servers behind an account's servers, on behalf of the account, because all
 * open streams profit.
 */
export function createFollowLists(o: {
  readonly endpoint: Pick<RpcClient<typeof EndpointService>, 'followLists'>;
  readonly clock: Clock;
  readonly log: Logger;
}): (accountId: string, serverIds: readonly string[]) => Promise<void> {
  return async (accountId, serverIds) => {
    const ctx = createRequestContext({
      requestId: uuidv7(o.clock.now()),
      caller: { kind: 'serviceForAccount', service: 'gateway', accountId },
      signal: new AbortController().signal,
      log: o.log,
    });
    await o.endpoint.followLists(ctx, { serverIds: [...serverIds] }, { timeoutMs: TIMEOUT_MS });
  };
}
