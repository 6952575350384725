import { encodeOutcome } from '@fairlead/agent-channel/outcome';
import type { AgentSettings, PlainOutcome } from '@fairlead/agent-channel/messages';
import type { AgentTask } from '@fairlead/agent-channel/poll-answer';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import { createTimedSignal } from '@fairlead/service-kit/timed-signal';
import type { AgentChannel, Delivery, ResultBody } from '../channel/agent-channel.ts';
import { describeFailure } from '../channel/channel-errors.ts';
import type { CallTask, RunCall } from './call-runner.ts';
import { retrying } from './pause.ts';

/** Margin before the platform's timeout, so that the agent's own explanation arrives in time. */
const MARGIN_MS = 500;
const MARGIN_SHARE = 0.05;

/** The dependencies of running tasks. */
export interface TaskRunnerDeps {
  readonly channel: Pick<AgentChannel, 'start' | 'deliver'>;
  readonly runCall: RunCall;
  readonly applySettings: (settings: AgentSettings) => void;
  /** Creates a log archive; each delivery attempt creates a new one. */
  readonly openLogs: () => Promise<AsyncIterable<Uint8Array>>;
  readonly log: Logger;
}

/** Runs a task and delivers its result, both within its time. Never rejects. */
export async function runTask(deps: TaskRunnerDeps, task: AgentTask, cancelled: AbortSignal): Promise<void> {
  const { id: taskId, kind } = task;
  const startedAt = performance.now();
  const timed = createTimedSignal(cancelled, Math.max(1, task.remainingMs));
  try {
    const end = await perform(deps, task, timed.signal);
    const durationMs = Math.round(performance.now() - startedAt);
    deps.log.info({ taskId, kind, durationMs, end }, 'task ended');
  } catch (error) {
    const reason = timed.isTimedOut()
      ? 'its time is over'
      : cancelled.aborted
        ? 'it was cancelled'
        : describeFailure(error);
    deps.log.warn({ taskId, kind, reason }, 'task ended without a result');
  } finally {
    timed.end();
  }
}

async function perform(deps: TaskRunnerDeps, task: AgentTask, signal: AbortSignal): Promise<Delivery> {
  switch (task.kind) {
    case 'call':
      return await performCall(deps, task, signal);
    case 'settings':
      deps.applySettings(task.settings);
      return await deliver(deps, task, plain({ isSuccess: true }), signal);
    case 'logs':
      return await performLogs(deps, task, signal);
    case 'unknown': {
      const errorMessage =
        'This version of the agent does not know tasks of this kind. Install the latest one.';
      return await deliver(deps, task, plain({ isSuccess: false, errorMessage }), signal);
    }
  }
}

async function performCall(deps: TaskRunnerDeps, task: CallTask, signal: AbortSignal): Promise<Delivery> {
  const endsAt = performance.now() + task.remainingMs;
  if (task.hasEffects) {
    // A task with effects runs only after the platform has recorded that it may have run.
    const mayStart = await retrying(() => deps.channel.start(task.id, signal), { signal });
    if (!mayStart) return 'ended';
  }
  const margin = Math.min(MARGIN_MS, MARGIN_SHARE * task.remainingMs);
  const timeoutMs = Math.max(1, endsAt - margin - performance.now());
  const outcome = await deps.runCall(task, { signal, timeoutMs });
  signal.throwIfAborted();
  const end = await deliver(deps, task, { type: 'application/json', bytes: encodeOutcome(outcome) }, signal);
  if (end !== 'refused') return end;
  const errorMessage = 'The call was executed, but the platform refused its result. Ask for less.';
  const { attempts } = outcome;
  const failure = encodeOutcome({ isSuccess: false, errorMessage, attempts, isUnauthorized: false });
  return await deliver(deps, task, { type: 'application/json', bytes: failure }, signal);
}

async function performLogs(deps: TaskRunnerDeps, task: AgentTask, signal: AbortSignal): Promise<Delivery> {
  return await retrying(
    async () => {
      let stream: AsyncIterable<Uint8Array>;
      try {
        stream = await deps.openLogs();
      } catch (error) {
        deps.log.error({ err: error }, 'the logs could not be collected');
        const errorMessage = `The logs could not be collected: ${describeFailure(error)}`;
        return await deps.channel.deliver(task.id, plain({ isSuccess: false, errorMessage }), signal);
      }
      return await deps.channel.deliver(task.id, { type: 'application/zip', stream }, signal);
    },
    { signal },
  );
}

async function deliver(
  deps: TaskRunnerDeps,
  { id }: AgentTask,
  body: ResultBody,
  signal: AbortSignal,
): Promise<Delivery> {
  return await retrying(() => deps.channel.deliver(id, body, signal), {
    signal,
    onFailure: (error) =>
      deps.log.debug({ taskId: id, reason: describeFailure(error) }, 'a result could not be delivered yet'),
  });
}

function plain(outcome: PlainOutcome): ResultBody {
  return { type: 'application/json', bytes: Buffer.from(JSON.stringify(outcome)) };
}
