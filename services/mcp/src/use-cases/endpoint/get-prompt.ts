import type { RequestContext } from '@fairlead/service-kit/context/context';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { RPC_ERRORS, RpcError, textIn } from '../../endpoint/json-rpc.ts';
import type { RpcParams } from '../../endpoint/json-rpc.ts';
import type { UpstreamResult } from '../../endpoint/tool-result.ts';
import { upstreamResult } from '../../endpoint/upstream-result.ts';
import type { ClientChannel } from '../../ports/client-channel.ts';
import type { ActiveServer } from '../../ports/active-servers.ts';
import { askUpstream } from './ask-upstream.ts';
import type { AskUpstreamDeps } from './ask-upstream.ts';
import type { FindOfferingDeps } from './find-offering.ts';
import { findPrompt } from './find-prompt.ts';

const MAX_NAMED = 100;

/** The result of prompts/get. RpcError for an unknown prompt, and for an error of the upstream. */
export async function getPrompt(
  deps: AskUpstreamDeps & FindOfferingDeps,
  ctx: RequestContext,
  { upstreams }: ActiveServer,
  params: RpcParams,
  channel: ClientChannel,
): Promise<UpstreamResult> {
  const name = textIn(params, 'name');
  if (name === undefined) throw new RpcError(RPC_ERRORS.invalidParams, 'params.name: must be a string');
  const prompt = await findPrompt(deps, ctx, upstreams, name);
  if (prompt === undefined)
    throw new RpcError(RPC_ERRORS.invalidParams, `Unknown prompt: ${name.slice(0, MAX_NAMED)}`);
  const { upstream, upstreamName } = prompt;
  const args = params.get('arguments');
  const sent = { name: upstreamName, ...(args !== undefined && { arguments: new LazyJson(args) }) };
  return upstreamResult(await askUpstream(deps, ctx, upstream, 'prompts/get', sent, channel), channel.client);
}
