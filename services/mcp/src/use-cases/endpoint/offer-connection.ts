import type { RequestContext } from '@fairlead/service-kit/context/context';
import { declares } from '../../domain/mcp-client.ts';
import { RPC_ERRORS, RpcError } from '../../endpoint/json-rpc.ts';
import { linkResult } from '../../endpoint/tool-result.ts';
import type { ToolResult } from '../../endpoint/tool-result.ts';
import type { ClientChannel } from '../../ports/client-channel.ts';
import type { ConnectionNeed } from './find-connection-need.ts';

/**
 * Sends the person at the client to the page. A client that declared URL elicitation gets the error URLElicitationRequired (RpcError) or,
 * without a handshake, a result that requests it; any other gets a result with the link in its text. Afterwards the same call works.
 */
export async function offerConnection(
  ctx: RequestContext,
  { url, message, reason, errorCode, elicitationId }: ConnectionNeed,
  channel: ClientChannel,
): Promise<ToolResult> {
  const elicitation = { mode: 'url', elicitationId, url, message };
  const { client } = channel;
  if (!client.isStateless && declares(client, 'elicitation/create', 'url'))
    throw new RpcError(RPC_ERRORS.urlElicitationRequired, message, { elicitations: [elicitation] });
  const question = { name: 'connect', method: 'elicitation/create', params: elicitation } as const;
  // Returns at once if the client has already answered; the call failed nevertheless, so the result has the link.
  if (client.isStateless && channel.canAsk(question)) await channel.ask(ctx, question);
  return linkResult({ reason, url, errorCode });
}
