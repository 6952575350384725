import { createCallDecoder } from '@fairlead/agent-channel/call';
import type { AgentCall } from '@fairlead/agent-channel/call';
import type { AgentTask } from '@fairlead/agent-channel/poll-answer';
import type { ToolOutcome } from '@fairlead/connector-runtime/call';
import { triggerHandler } from '@fairlead/connector-runtime/triggers/trigger-tool';
import type { ConnectorRuntime } from '@fairlead/connector-runtime/runtime';
import { createValueMasker } from '@fairlead/connector-runtime/value-masking';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import type { Profile } from '../config/profiles.ts';
import { credentialOf } from './profile-credential.ts';

/** A task to make a call. */
export type CallTask = Extract<AgentTask, { readonly kind: 'call' }>;

/** Makes one call. Never rejects. */
export type RunCall = (
  task: Pick<CallTask, 'call' | 'release' | 'hasEffects'>,
  o: { readonly signal: AbortSignal; readonly timeoutMs: number },
) => Promise<ToolOutcome>;

/** All calls are of the agent's one account. */
const ACCOUNT = 'agent';

/** Creates the function that makes calls with this build's handlers and the configured profiles. */
export function createCallRunner(o: {
  readonly runtime: Pick<ConnectorRuntime, 'execute'>;
  readonly hasHandler: (connectorSlug: string, name: string) => Promise<boolean>;
  readonly profiles: ReadonlyMap<string, Profile>;
  readonly version: string;
  readonly log: Logger;
}): RunCall {
  const decode = createCallDecoder();

  async function run(call: AgentCall, release: string, limits: Parameters<RunCall>[1]): Promise<ToolOutcome> {
    const handler = handlerOf(call.tool);
    if (handler !== undefined && !(await o.hasHandler(call.connector.slug, handler)))
      return failure(tooOld(call.tool.toolSlug, release));
    const found = credentialOf(call, handler, o.profiles);
    if (found.kind === 'refused') {
      const { field, issue } = found.issue;
      return { ...failure(`${field}: ${issue}`), inputIssues: [found.issue] };
    }
    const options = { ...limits, accountId: ACCOUNT, connectionId: found.connectionId };
    const outcome = await o.runtime.execute({ ...call, credential: found.credential }, options);
    const { secrets } = found.credential;
    if (!outcome.isSuccess || secrets.length === 0) return outcome;
    // A server may repeat values that it got, such as secrets.
    const { output, attempts } = outcome;
    return { isSuccess: true, output: createValueMasker(secrets).object(output), attempts };
  }

  function tooOld(toolSlug: string, release: string): string {
    return `${toolSlug} needs agent version ${release} or later; this is ${o.version}. Nothing was executed.`;
  }

  return async ({ call: bytes, release, hasEffects }, limits) => {
    let call: AgentCall;
    try {
      call = decode(bytes);
    } catch (error) {
      o.log.warn({ err: error, release }, 'a call could not be read');
      return failure(tooOld('The call', release));
    }
    try {
      return await run(call, release, limits);
    } catch (error) {
      o.log.error({ err: error, toolSlug: call.tool.toolSlug }, 'a call failed unexpectedly');
      const outcome = hasEffects ? 'Its outcome is not known.' : 'Call it again.';
      return failure(`The call failed because of an internal error in the agent. ${outcome}`);
    }
  };
}

/** The handler of the call; undefined: the call's definition describes an HTTP request. */
function handlerOf(tool: AgentCall['tool']): string | undefined {
  if ('trigger' in tool) return triggerHandler({}, tool.trigger)?.name;
  if ('mcpRequest' in tool) return undefined;
  return tool.execution.type === 'handler' ? tool.execution.handler : undefined;
}

function failure(errorMessage: string): Extract<ToolOutcome, { readonly isSuccess: false }> {
  return { isSuccess: false, errorMessage, attempts: 0, isUnauthorized: false };
}
