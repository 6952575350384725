import { helloRequest, pollRequest } from '@fairlead/agent-channel/messages';
import { ApiError, validationError } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import { guid } from '@fairlead/service-kit/ids';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { sendJson } from '@fairlead/service-kit/http/reply';
import type { z } from 'zod';
import { hasSameAddress } from '../domain/replica-name.ts';
import type { TaskWithInput } from '../domain/task.ts';
import type { AgentSession, AgentSessions } from '../ports/agent-sessions.ts';
import type { TaskStore } from '../ports/task-store.ts';
import type { AssignedTasks } from '../tasks/assigned-tasks.ts';
import { poll } from '../use-cases/channel/poll.ts';
import type { PollDeps, PollResult } from '../use-cases/channel/poll.ts';
import type { OpenPolls } from './open-polls.ts';
import { requiredSession, unknownToken } from './sessions.ts';
import type { AgentRequest } from './agent-request.ts';

export interface ProcessRequestDeps extends PollDeps {
  readonly sessions: AgentSessions;
  readonly tasks: PollDeps['tasks'] & Pick<TaskStore, 'takeFromOthers'>;
  readonly openPolls: OpenPolls;
  readonly assignedTasks: Pick<AssignedTasks, 'add'>;
  readonly replicaUrl: () => string;
  readonly clock: Clock;
  /** Version of this release; the agent's may differ. */
  readonly release: string;
}

const MAX_REQUEST_BYTES = 64 * 1024;
const NO_CONTENT = 204;

/** `POST /hello`: the process runs the agent from now on. */
export async function sayHello(
  { sessions, tasks, wakes, clock }: ProcessRequestDeps,
  { exchange, response, ctx, credential: { tokenHash, instance } }: AgentRequest,
): Promise<void> {
  const { version: agentVersion, platform, profiles } = await readBody(exchange, helloRequest);
  const now = clock.now();
  const said = { instance, agentVersion, platform, profiles, now };
  const session = await sessions.begin(ctx, tokenHash, said);
  if (session === undefined) throw unknownToken();
  const { accountId, creationId, id: agentId, name, applicationSlug, settings } = session;
  exchange.accountId = accountId;
  await tasks.takeFromOthers(ctx, accountId, creationId, { instance, now });
  wakes.wake(creationId);
  sendJson(response, 200, { agentId, name, applicationSlug, settings });
}

/** `GET /whoami`: returns the token's agent, whichever process runs it. */
export async function sayWho(
  { sessions }: ProcessRequestDeps,
  { exchange, response, ctx, credential: { tokenHash } }: AgentRequest,
): Promise<void> {
  const session = await sessions.findByToken(ctx, tokenHash);
  if (session === undefined) throw unknownToken();
  const { accountId, id: agentId, name, applicationSlug } = session;
  exchange.accountId = accountId;
  sendJson(response, 200, { agentId, name, applicationSlug });
}

/** `POST /poll`: waits for tasks and cancellations. */
export async function answerPoll(
  deps: ProcessRequestDeps,
  { exchange, response, ctx, credential }: AgentRequest,
): Promise<void> {
  const body = await readBody(exchange, pollRequest);
  const { tokenHash, instance } = credential;
  const pollId = guid();
  const pollStart = await deps.sessions.beginPoll(ctx, tokenHash, {
    instance,
    pollId,
    pollReplica: deps.replicaUrl(),
    now: deps.clock.now(),
  });
  const first = pollStart ?? (await requiredSession(deps.sessions, ctx, credential));
  exchange.accountId = first.accountId;
  let isFirst = true;
  const session = (): Promise<AgentSession> => {
    if (!isFirst) return requiredSession(deps.sessions, ctx, credential);
    isFirst = false;
    return Promise.resolve(first);
  };
  const result = await deps.openPolls.run(tokenHash, ctx.signal, (signal) =>
    poll(deps, ctx, { ...body, pollId }, { session, signal }),
  );
  for (const task of result?.tasks ?? [])
    if (!hasSameAddress(task.waiter, deps.replicaUrl())) deps.assignedTasks.add(task, tokenHash);
  if (result === undefined) sendJson(response, NO_CONTENT);
  else sendJson(response, 200, toAnswer(result, deps));
}

/** `POST /goodbye`: the process ends. */
export async function sayGoodbye(
  { sessions, tasks, wakes, clock }: ProcessRequestDeps,
  { exchange, response, ctx, credential }: AgentRequest,
): Promise<void> {
  const { tokenHash, instance } = credential;
  const now = clock.now();
  const session =
    (await sessions.leave(ctx, tokenHash, { instance, now })) ??
    (await requiredSession(sessions, ctx, credential));
  const { accountId, creationId } = session;
  exchange.accountId = accountId;
  await tasks.takeFromOthers(ctx, accountId, creationId, { instance: null, now });
  wakes.wake(creationId);
  sendJson(response, NO_CONTENT);
}

function toAnswer(
  { settings, tasks, cancelledTaskIds }: PollResult,
  { clock, release }: Pick<ProcessRequestDeps, 'clock' | 'release'>,
): object {
  const nowMs = clock.now().getTime();
  const toTask = ({ id, kind, hasEffects, deadline, input }: TaskWithInput): object => ({
    id,
    kind,
    hasEffects,
    remainingMs: Math.max(0, deadline.getTime() - nowMs),
    ...(kind === 'call' && { release }),
    ...(input !== '' && { [kind]: new LazyJson(Buffer.from(input)) }),
  });
  return { settings, tasks: tasks.map(toTask), cancelledTaskIds };
}

async function readBody<T>(exchange: AgentRequest['exchange'], schema: z.ZodType<T>): Promise<T> {
  exchange.maxBodyBytes = MAX_REQUEST_BYTES;
  const bytes = await exchange.readBody();
  if (bytes === undefined)
    throw new ApiError('PAYLOAD_TOO_LARGE', `The body must have at most ${MAX_REQUEST_BYTES} bytes.`);
  const parsed = schema.safeParse(new LazyJson(bytes, 'body').parse());
  if (parsed.success) return parsed.data;
  throw validationError(
    ...parsed.error.issues.map(({ path, message: issue }) => ({ field: path.join('.') || 'body', issue })),
  );
}
