import type { RequestContext } from '@fairlead/service-kit/context/context';
import { RPC_ERRORS, RpcError, textIn } from '../../endpoint/json-rpc.ts';
import type { RpcParams } from '../../endpoint/json-rpc.ts';
import type { ActiveServer } from '../../ports/active-servers.ts';
import { findFollowedResources } from './find-followed-resources.ts';
import type { FindOfferingDeps } from './find-offering.ts';

/**
 * The result of `resources/subscribe` and `resources/unsubscribe` (MCP 2024-11-05 to 2025-11-25). Undefined if no upstream supports change
 * notifications. The gateway stores the subscription in the session, and follows the resource while the session has an open stream.
 */
export async function subscribeToResource(
  deps: FindOfferingDeps,
  ctx: RequestContext,
  { upstreams }: ActiveServer,
  params: RpcParams,
): Promise<Readonly<Record<string, never>> | undefined> {
  const uri = textIn(params, 'uri');
  if (uri === undefined) throw new RpcError(RPC_ERRORS.invalidParams, 'params.uri: must be a string');
  const followed = await findFollowedResources(deps, ctx, upstreams, [uri]);
  return followed.length === 0 ? undefined : {};
}
