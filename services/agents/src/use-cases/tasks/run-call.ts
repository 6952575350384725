import { encodeOutcome } from '@fairlead/agent-channel/outcome';
import { actingAccountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { uuidv7 } from '@fairlead/service-kit/ids';
import { statusOf } from '../../domain/agent.ts';
import { hasSameAddress } from '../../domain/replica-name.ts';
import { endText } from '../../domain/task.ts';
import type { AgentStore, PollingAgent } from '../../ports/agent-store.ts';
import type { Replicas } from '../../ports/replicas.ts';
import type { OpenPlaces } from '../../tasks/open-places.ts';
import { runTask } from './run-task.ts';
import type { RunTaskDeps, TaskOutcome } from './run-task.ts';

export interface RunCallDeps extends RunTaskDeps {
  readonly agents: Pick<AgentStore, 'find'>;
  readonly places: Pick<OpenPlaces, 'claim'>;
  readonly replicas: Replicas;
}

interface Call {
  readonly connectionId: number;
  readonly callJson: Uint8Array;
  readonly hasEffects: boolean;
  readonly timeoutMs: number;
  /** Set if another replica forwarded the call. */
  readonly taskId?: string | undefined;
}

/** Size above which a call is refused. */
const MAX_CALL_BYTES = 8 * 1024 * 1024;

/**
 * Runs a call on the agent of a connection, and returns its outcome as JSON. A call that was not run has an outcome, too. If the agent
 * polls another replica, the call is forwarded there.
 */
export async function runCall(deps: RunCallDeps, ctx: RequestContext, call: Call): Promise<Uint8Array> {
  const { connectionId, callJson, hasEffects, timeoutMs, taskId } = call;
  const accountId = actingAccountOf(ctx);
  if (callJson.length > MAX_CALL_BYTES)
    return failure(`The call has more than ${MAX_CALL_BYTES / 1024 ** 2} MiB. Nothing was executed.`);
  const input = Buffer.from(callJson).toString();
  const task = {
    ...(taskId !== undefined && { id: taskId }),
    kind: 'call',
    hasEffects,
    input,
    timeoutMs,
  } as const;
  const place = deps.places.claim(accountId, connectionId);
  if (place !== undefined) {
    try {
      const outcome = await runTask(deps, ctx, place.session, task, place);
      if (!('refusal' in outcome) || outcome.refusal !== 'occupied')
        return bytesOf(outcome, place.session.name);
    } finally {
      place.leave();
    }
  }
  const agent = await deps.agents.find(ctx, accountId, connectionId);
  if (agent === undefined)
    return failure(`The on-prem agent of connection ${connectionId} was deleted. Nothing was executed.`);
  const { name } = agent;
  const status = statusOf(agent, deps.clock.now());
  if (status !== 'Online')
    return failure(
      `The on-prem agent ${name} is ${status}. Nothing was executed: start the agent with its token, and call again.`,
    );
  const { pollReplica } = agent;
  if (taskId === undefined && pollReplica !== null && !hasSameAddress(pollReplica, deps.replicaUrl())) {
    const outcome = await passOn(deps, ctx, { ...agent, accountId }, { pollReplica, call });
    if (outcome !== undefined) return outcome;
  }
  return bytesOf(await runTask(deps, ctx, { ...agent, accountId }, task), name);
}

/** Runs the call on the replica that the agent polls. Undefined: that replica did not start it. */
async function passOn(
  deps: RunCallDeps,
  ctx: RequestContext,
  agent: PollingAgent & { readonly accountId: string },
  { pollReplica, call }: { readonly pollReplica: string; readonly call: Call },
): Promise<Uint8Array | undefined> {
  const id = uuidv7(deps.clock.now());
  const startedAt = performance.now();
  const passedOn = await deps.replicas.runCall(ctx, pollReplica, { ...call, taskId: id });
  if (passedOn === 'notBegun') return undefined;
  if (passedOn !== 'lost') return passedOn.outcome;
  // The other replica has ended, or does not answer. The agent may have the call, so wait for its result here.
  const { hasEffects } = call;
  const timeoutMs = call.timeoutMs - (performance.now() - startedAt);
  const task = { id, kind: 'call', hasEffects, input: '', timeoutMs } as const;
  const outcome = await runTask(deps, ctx, agent, task, 'stored');
  if (!('refusal' in outcome)) return bytesOf(outcome, agent.name);
  return failure(endText({ end: null, state: 'started', wasStarted: true, hasEffects }, agent.name));
}

function bytesOf(outcome: TaskOutcome, agentName: string): Uint8Array {
  if ('bytes' in outcome) return outcome.bytes;
  if ('ended' in outcome) return failure(endText(outcome.ended, agentName));
  return failure(`The on-prem agent ${agentName} has too many calls waiting. Nothing was executed.`, {
    isOverloaded: true,
  });
}

function failure(errorMessage: string, more: { readonly isOverloaded?: true } = {}): Uint8Array {
  return encodeOutcome({ isSuccess: false, errorMessage, attempts: 0, isUnauthorized: false, ...more });
}
