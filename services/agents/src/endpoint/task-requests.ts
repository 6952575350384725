import { setImmediate as nextTurn } from 'node:timers/promises';
import { MAX_OUTCOME_BYTES } from '@fairlead/agent-channel/channel';
import { ApiError, notFound, validationError } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import { detachedContext } from '@fairlead/service-kit/context/detached-context';
import { isJson } from '@fairlead/service-kit/json/is-json';
import { sendJson } from '@fairlead/service-kit/http/reply';
import { taskEnded } from '../domain/channel-refusal.ts';
import { hasSameAddress } from '../domain/replica-name.ts';
import type { Task } from '../domain/task.ts';
import type { AgentSessions } from '../ports/agent-sessions.ts';
import type { TaskStore } from '../ports/task-store.ts';
import type { LogCollections } from '../tasks/log-collections.ts';
import type { AssignedTasks } from '../tasks/assigned-tasks.ts';
import type { WaitingTask, WaitingTasks } from '../tasks/waiting-tasks.ts';
import type { ToReplica } from './replicas.ts';
import { requiredSession } from './sessions.ts';
import type { AgentRequest } from './agent-request.ts';

export interface TaskRequestDeps {
  readonly sessions: Pick<AgentSessions, 'findByToken'>;
  readonly tasks: Pick<TaskStore, 'find' | 'start' | 'complete' | 'receiveLogs' | 'cancel'>;
  readonly waiting: Pick<WaitingTasks, 'find' | 'resolve'>;
  readonly assignedTasks: Pick<AssignedTasks, 'take'>;
  readonly logs: Pick<LogCollections, 'receive'>;
  readonly toReplica: ToReplica;
  readonly replicaUrl: () => string;
  readonly clock: Clock;
}

const NO_CONTENT = 204;
const SMALL_BYTES = 64 * 1024;
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

/** `PUT /tasks/{id}/result`: delivers the outcome of a task to the replica whose caller waits. */
export async function takeResult(
  deps: TaskRequestDeps,
  agentRequest: AgentRequest,
  id: string,
): Promise<void> {
  const { exchange, request, response, credential } = agentRequest;
  const task = deps.waiting.find(id);
  if (task !== undefined) return receive(deps, agentRequest, task);
  // Checks the token before forwarding to the replica that waits.
  const assignedTask = deps.assignedTasks.take(id, credential.tokenHash);
  const { waiter, accountId } = assignedTask ?? (await requiredTask(deps, agentRequest, id));
  exchange.accountId = accountId;
  if (!hasSameAddress(waiter, deps.replicaUrl())) return deps.toReplica(waiter, exchange, request, response);
  // The waiting process has ended. Cancelling the task frees its slot.
  await deps.tasks.cancel(agentRequest.ctx, accountId, id, deps.clock.now());
  throw taskEnded();
}

/** Delivers the outcome of a task to its caller, who waits in this replica. */
async function receive(deps: TaskRequestDeps, agentRequest: AgentRequest, task: WaitingTask): Promise<void> {
  const { exchange, request, response } = agentRequest;
  const { id, kind, accountId } = task;
  exchange.accountId = accountId;
  const { 'content-type': type = '', 'content-length': length = Infinity } = request.headers;
  const isArchive = kind === 'logs' && ZIP_TYPE.test(type);
  // Archives and large bodies are authorized before they are read. For small ones a check after reading suffices.
  if (isArchive || Number(length) > SMALL_BYTES) await requireOwn(deps, agentRequest, task);
  if (isArchive) return receiveArchive(deps, agentRequest, task);
  if (!JSON_TYPE.test(type))
    throw new ApiError('UNSUPPORTED_MEDIA_TYPE', 'The outcome of a task is application/json.');
  exchange.maxBodyBytes = MAX_OUTCOME_BYTES;
  const bytes = await exchange.readBody();
  if (bytes === undefined)
    throw new ApiError('PAYLOAD_TOO_LARGE', `An outcome has at most ${MAX_OUTCOME_BYTES} bytes.`);
  if (!isJson(bytes)) throw validationError({ field: 'body', issue: 'must be JSON in UTF-8' });
  await requireOwn(deps, agentRequest, task);
  // The result of a read is delivered before it is stored, because nothing depends on storing it.
  if (!task.hasEffects) {
    deps.waiting.resolve(id, bytes);
    await nextTurn();
  }
  await end(deps, agentRequest, task);
  deps.waiting.resolve(id, bytes);
  sendJson(response, NO_CONTENT);
}

/** Receives an archive. If it breaks off, its task ends, so that no other archive is appended to it. */
async function receiveArchive(
  deps: TaskRequestDeps,
  agentRequest: AgentRequest,
  task: WaitingTask,
): Promise<void> {
  const { ctx, request, response } = agentRequest;
  const { id, accountId } = task;
  try {
    await deps.logs.receive(id, request, {
      proceed: (deadline) => proceed(deps, agentRequest, task, deadline),
      complete: () => complete(deps, agentRequest, task),
    });
  } catch (error) {
    await deps.tasks.cancel(detachedContext(ctx, SETTLING_MS), accountId, id, deps.clock.now());
    throw error;
  }
  sendJson(response, NO_CONTENT);
}

/** Extends the time in which logs may arrive to `deadline`, if token and process are still valid for the agent. */
async function proceed(
  deps: TaskRequestDeps,
  agentRequest: AgentRequest,
  task: WaitingTask,
  deadline: Date,
): Promise<void> {
  const { ctx, credential } = agentRequest;
  await requireOwn(deps, agentRequest, task);
  const { instance } = credential;
  if (!(await deps.tasks.receiveLogs(ctx, task.accountId, task.id, { instance, deadline })))
    throw taskEnded();
}

/** Ends the task, if token and process are still valid for the agent and the process has the task. */
async function complete(deps: TaskRequestDeps, agentRequest: AgentRequest, task: WaitingTask): Promise<void> {
  await requireOwn(deps, agentRequest, task);
  await end(deps, agentRequest, task);
}

/** Ends the task if the process has it. */
async function end(deps: TaskRequestDeps, agentRequest: AgentRequest, task: WaitingTask): Promise<void> {
  const { ctx, credential } = agentRequest;
  const { instance } = credential;
  if (!(await deps.tasks.complete(ctx, task.accountId, task.id, { instance, now: deps.clock.now() })))
    throw taskEnded();
}

/** Throws NOT_FOUND if the task belongs to another agent, and an error if token or process are no longer valid for the agent. */
async function requireOwn(
  { sessions }: TaskRequestDeps,
  { ctx, credential }: AgentRequest,
  { id, agentKey }: WaitingTask,
): Promise<void> {
  const { creationId } = await requiredSession(sessions, ctx, credential);
  if (creationId !== agentKey) throw notFound('task', id);
}

/** A task that the process has. NOT_FOUND if it belongs to another agent; ChannelRefusal if it has ended or another process has it. */
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
