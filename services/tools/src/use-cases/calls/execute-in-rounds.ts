import type { ClientDescription } from '@fairlead/connector-runtime/mcp/calling-client';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { CallMessage } from '../../domain/call-message.ts';
import { MAX_CALL_MS } from '../../domain/detached-call.ts';
import type { CallOutcome } from '../../domain/detached-call.ts';
import type { ExecutionResult } from '../../domain/execution.ts';
import type { RunPorts } from '../../ports/execution-ports.ts';
import type { CallSettlement } from '../../ports/running-calls.ts';
import { executeCall } from '../executions/execute-call.ts';
import type { CallRequest } from '../executions/execute-call.ts';
import { runInRounds } from './run-in-rounds.ts';
import type { CallRound, RunInRoundsDeps } from './run-in-rounds.ts';

export interface ExecuteInRoundsDeps extends RunPorts, RunInRoundsDeps {
  readonly clientRequests: RunInRoundsDeps['clientRequests'];
}

/** Like executeInteractively, but for a client that gets requests in results (runInRounds). */
export function executeInRounds(
  deps: ExecuteInRoundsDeps,
  ctx: RequestContext,
  request: CallRequest,
  description: ClientDescription,
  encode: (settled: CallSettlement<ExecutionResult>) => CallOutcome,
): AsyncGenerator<CallMessage | CallRound> {
  const ports = { ...deps, timeoutMs: Math.max(deps.timeoutMs, MAX_CALL_MS) };
  return runInRounds(deps, ctx, {
    of: request.origin.mcpServerName ?? '',
    name: request.toolSlug,
    description,
    run: (ofCall, client) => executeCall(ports, ofCall, { ...request, client }),
    encode,
  });
}
