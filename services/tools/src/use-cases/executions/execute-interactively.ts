import type { ClientDescription } from '@fairlead/connector-runtime/mcp/calling-client';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { CallMessage } from '../../domain/call-message.ts';
import type { RunPorts } from '../../ports/execution-ports.ts';
import { converse } from './converse.ts';
import type { ConverseDeps } from './converse.ts';
import { executeCall } from './execute-call.ts';
import type { CallRequest } from './execute-call.ts';

export interface ExecuteInteractivelyDeps extends RunPorts, ConverseDeps {}

/** Like executeCall, for an MCP client (`converse`). */
export function executeInteractively(
  deps: ExecuteInteractivelyDeps,
  ctx: RequestContext,
  request: CallRequest,
  description: ClientDescription,
): AsyncGenerator<CallMessage> {
  return converse(deps, ctx, description, (client) => executeCall(deps, ctx, { ...request, client }));
}
