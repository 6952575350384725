import { clientOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';

/** A unique name of the caller: a user of an account, or all anonymous clients of one MCP server. */
export function callerIdOf(ctx: RequestContext): string {
  const client = clientOf(ctx);
  const { accountId } = client;
  return JSON.stringify(
    client.kind === 'user' ? [accountId, 'user', client.userId] : [accountId, 'server', client.serverId],
  );
}
