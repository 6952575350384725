import { MAX_OUTCOME_BYTES } from '@fairlead/agent-channel/channel';
import { ApiError, notFound, validationError } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import { detachedContext } from '@fairlead/service-kit/context/detached-context';
import { isJson } from '@fairlead/service-kit/json/is-json';
import { sendJson } from '@fairlead/service-kit/http/reply';
import { taskEnded } from '../domain/channel-refusal.ts';
import type { Task } from '../domain/task.ts';
import type { AgentSessions } from '../ports/agent-sessions.ts';
import type { TaskStore } from '../ports/task-store.ts';
import type { LogCollections } from '../tasks/log-collections.ts';
import type { WaitingTasks } from '../tasks/waiting-tasks.ts';
import type { AgentRequest } from './channel-mount.ts';
import { hasSameAddress } from './replicas.ts';
import type { ToReplica } from './replicas.ts';
import { requiredSession } from './sessions.ts';

export interface TaskRequestDeps {
  readonly sessions: Pick<AgentSessions, 'findByToken'>;
  readonly tasks: Pick<TaskStore, 'find' | 'start' | 'complete' | 'receiveLogs' | 'cancel'>;
  readonly waiting: Pick<WaitingTasks, 'has' | 'resolve'>;
  readonly logs: Pick<LogCollections, 'receive'>;
  readonly toReplica: ToReplica;
  readonly replicaUrl: () => string;
  readonly clock: Clock;
}

const NO_CONTENT = 204;
const SETTLING_MS = 5_000;
const ZIP_TYPE = /^application\/zip(?:\s*;|$)/i;
const JSON_TYPE = /^application\/json(?:\s*;|$)/i;

/** `POST /tasks/{id}/start`: the process may begin a task with effects. */
export async function startTask(
  deps: TaskRequestDeps,
  agentRequest: AgentRequest,
  id: string,
): Promise<void> {
  const { ctx, response, credential } = agentRequest;
  const { accountId } = await requiredTask(deps, agentRequest, id);
  const { instance } = credential;
  if (!(await deps.tasks.start(ctx, accountId, id, { instance, now: deps.clock.now() }))) throw taskEnded();
  sendJson(response, NO_CONTENT);
}

/** `PUT /tasks/{id}/result`: the outcome of a task, which goes to the replica that waits for it. */
export async function takeResult(
  deps: TaskRequestDeps,
  agentRequest: AgentRequest,
  id: string,
): Promise<void> {
  const { exchange, request, response } = agentRequest;
  const { kind, waiter, accountId } = await requiredTask(deps, agentRequest, id);
  const own = deps.replicaUrl();
  const isRestarted = waiter !== own && hasSameAddress(waiter, own);
  if (waiter !== own && !isRestarted) return deps.toReplica(waiter, exchange, request, response);
  if (isRestarted || !deps.waiting.has(id)) {
    // The process that waited has ended. The task frees its slot.
    await deps.tasks.cancel(agentRequest.ctx, accountId, id, deps.clock.now());
    throw taskEnded();
  }
  if (kind === 'logs' && ZIP_TYPE.test(request.headers['content-type'] ?? '')) {
    return receiveArchive(deps, agentRequest, id, accountId);
  }
  if (!JSON_TYPE.test(request.headers['content-type'] ?? ''))
    throw new ApiError('UNSUPPORTED_MEDIA_TYPE', 'The outcome of a task is application/json.');
  exchange.maxBodyBytes = MAX_OUTCOME_BYTES;
  const bytes = await exchange.readBody();
  if (bytes === undefined)
    throw new ApiError('PAYLOAD_TOO_LARGE', `An outcome has at most ${MAX_OUTCOME_BYTES} bytes.`);
  if (!isJson(bytes)) throw validationError({ field: 'body', issue: 'must be JSON in UTF-8' });
  await complete(deps, agentRequest, id);
  deps.waiting.resolve(id, bytes);
  sendJson(response, NO_CONTENT);
}

/** An archive that is not passed on whole ends its task, so that nothing of another one is added to it. */
async function receiveArchive(
  deps: TaskRequestDeps,
  agentRequest: AgentRequest,
  id: string,
  accountId: string,
): Promise<void> {
  const { ctx, request, response } = agentRequest;
  try {
    await deps.logs.receive(id, request, {
      proceed: (deadline) => proceed(deps, agentRequest, id, deadline),
      complete: () => complete(deps, agentRequest, id),
    });
  } catch (error) {
    await deps.tasks.cancel(detachedContext(ctx, SETTLING_MS), accountId, id, deps.clock.now());
    throw error;
  }
  sendJson(response, NO_CONTENT);
}

/** Lets logs arrive until `deadline`, if token and process are still those of the agent. */
async function proceed(
  deps: TaskRequestDeps,
  agentRequest: AgentRequest,
  id: string,
  deadline: Date,
): Promise<void> {
  const { ctx, credential } = agentRequest;
  const { accountId } = await requiredSession(deps.sessions, ctx, credential);
  const { instance } = credential;
  if (!(await deps.tasks.receiveLogs(ctx, accountId, id, { instance, deadline }))) throw taskEnded();
}

/** Ends the task, if token and process are still those of the agent, and the task is still theirs. */
async function complete(deps: TaskRequestDeps, agentRequest: AgentRequest, id: string): Promise<void> {
  const { ctx, credential } = agentRequest;
  const { accountId } = await requiredSession(deps.sessions, ctx, credential);
  const { instance } = credential;
  if (!(await deps.tasks.complete(ctx, accountId, id, { instance, now: deps.clock.now() })))
    throw taskEnded();
}

/** A task that the process has; NOT_FOUND if it is not its agent's, ChannelRefusal if it has ended or is another process's. */
async function requiredTask(
  { sessions, tasks }: TaskRequestDeps,
  { exchange, ctx, credential }: AgentRequest,
  id: string,
): Promise<Task> {
  const { accountId, creationId } = await requiredSession(sessions, ctx, credential);
  exchange.accountId = accountId;
  const task = await tasks.find(ctx, accountId, creationId, id);
  if (task === undefined) throw notFound('task', id);
  if (task.state === 'ended' || task.instance !== credential.instance) throw taskEnded();
  return task;
}
