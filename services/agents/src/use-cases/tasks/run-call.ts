import { encodeOutcome } from '@fairlead/agent-channel/outcome';
import { actingAccountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { statusOf } from '../../domain/agent.ts';
import { endText } from '../../domain/task.ts';
import type { AgentStore } from '../../ports/agent-store.ts';
import { runTask } from './run-task.ts';
import type { RunTaskDeps } from './run-task.ts';

export interface RunCallDeps extends RunTaskDeps {
  readonly agents: Pick<AgentStore, 'find'>;
}

/** A larger call is not stored. */
const MAX_CALL_BYTES = 8 * 1024 * 1024;

/** Has the agent of a connection run a call, and returns the JSON of its outcome. A call that did not run has an outcome, too. */
export async function runCall(
  deps: RunCallDeps,
  ctx: RequestContext,
  o: {
    readonly connectionId: number;
    readonly callJson: Uint8Array;
    readonly hasEffects: boolean;
    readonly timeoutMs: number;
  },
): Promise<Uint8Array> {
  const accountId = actingAccountOf(ctx);
  const agent = await deps.agents.find(ctx, accountId, o.connectionId);
  if (agent === undefined)
    return failure(`The on-prem agent of connection ${o.connectionId} was deleted. Nothing was executed.`);
  const { name } = agent;
  const status = statusOf(agent, deps.clock.now());
  if (status !== 'Online')
    return failure(
      `The on-prem agent ${name} is ${status}. Nothing was executed: start the agent with its token, and call again.`,
    );
  if (o.callJson.length > MAX_CALL_BYTES)
    return failure(`The call has more than ${MAX_CALL_BYTES / 1024 ** 2} MiB. Nothing was executed.`);
  const outcome = await runTask(
    deps,
    ctx,
    { ...agent, accountId },
    {
      kind: 'call',
      hasEffects: o.hasEffects,
      input: Buffer.from(o.callJson).toString(),
      timeoutMs: o.timeoutMs,
    },
  );
  if ('bytes' in outcome) return outcome.bytes;
  if ('ended' in outcome) return failure(endText(outcome.ended, name));
  return failure(`The on-prem agent ${name} has too many calls waiting. Nothing was executed.`, {
    isOverloaded: true,
  });
}

function failure(errorMessage: string, more: { readonly isOverloaded?: true } = {}): Uint8Array {
  return encodeOutcome({ isSuccess: false, errorMessage, attempts: 0, isUnauthorized: false, ...more });
}
