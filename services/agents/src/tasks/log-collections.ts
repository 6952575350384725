import type { Readable } from 'node:stream';
import type { ServerResponse } from 'node:http';
import { ApiError, overloaded } from '@fairlead/errors/api-error';
import { readPlainOutcome } from '@fairlead/agent-channel/outcome';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { detachedContext } from '@fairlead/service-kit/context/detached-context';
import { uuidv7 } from '@fairlead/service-kit/ids';
import { statusOf } from '../domain/agent.ts';
import type { Agent } from '../domain/agent.ts';
import { taskEnded } from '../domain/channel-refusal.ts';
import { runTask } from '../use-cases/tasks/run-task.ts';
import type { RunTaskDeps, TaskOutcome } from '../use-cases/tasks/run-task.ts';
import type { WaitingTasks } from './waiting-tasks.ts';

export interface LogCollectionDeps extends RunTaskDeps {
  readonly waiting: Pick<WaitingTasks, 'wait' | 'resolve'>;
}

/** Log archives that this replica waits for. Downloads that arrive before the first byte share one archive. */
export interface LogCollections {
  /**
   * Sends the logs of an agent. Undefined: they were sent, or the client has gone. `elsewhere`: another replica waits for the same archive.
   * Throws OPA_AGENT_OFFLINE, OPA_AGENT_ERROR with the agent's text, OPA_AGENT_TIMEOUT, or RATE_LIMIT_EXCEEDED, always before anything is
   * sent.
   */
  download(
    ctx: RequestContext,
    agent: Agent & { readonly accountId: string },
    response: ServerResponse,
  ): Promise<'elsewhere' | undefined>;
  /**
   * Sends an archive to the waiting downloads, no faster than they read. `proceed` extends the archive's deadline, `complete` ends the
   * task; if either rejects, the downloads are cut.
   */
  receive(
    taskId: string,
    archive: Readable,
    o: { readonly proceed: (deadline: Date) => Promise<void>; readonly complete: () => Promise<void> },
  ): Promise<void>;
}

/** Longest time until the first byte: the client gets its answer within 30 s. */
const FIRST_BYTE_MS = 28_000;
/** Longest pause of an archive, or of a client that reads it. */
const STALL_MS = 20_000;
/** Limits of concurrent downloads in this replica. */
const PER_AGENT = 10;
const PER_ACCOUNT = 20;
const IN_ALL = 100;

/** The outcome stored for an archive that has begun. If an agent sends this instead of an archive, it has sent none. */
const SUCCESS = Buffer.from('{"isSuccess":true}');

interface Collection {
  readonly taskId: string;
  readonly accountId: string;
  readonly agentKey: string;
  readonly readers: Set<ServerResponse>;
  outcome: Promise<TaskOutcome>;
  /** Resolves when the archive was sent, or broke off. */
  readonly over: PromiseWithResolvers<void>;
}

/** Creates the collections of this replica. */
export function createLogCollections(deps: LogCollectionDeps): LogCollections {
  const joinable = new Map<string, Collection>();
  const byTask = new Map<string, Collection>();
  const running: { readonly accountId: string; readonly agentKey: string }[] = [];

  function collect(ctx: RequestContext, agent: Agent & { readonly accountId: string }): Collection {
    const { accountId, creationId: agentKey } = agent;
    const taskId = uuidv7(deps.clock.now());
    // Detached from the first client, because the collection serves all who join.
    const lasting = detachedContext(ctx, FIRST_BYTE_MS);
    const task = {
      id: taskId,
      kind: 'logs',
      hasEffects: false,
      input: '',
      timeoutMs: FIRST_BYTE_MS,
    } as const;
    const over = Promise.withResolvers<void>();
    const outcome = runTask(deps, lasting, agent, task).finally(() => {
      if (joinable.get(agentKey) === collection) joinable.delete(agentKey);
    });
    const collection: Collection = { taskId, accountId, agentKey, readers: new Set(), over, outcome };
    joinable.set(agentKey, collection);
    byTask.set(taskId, collection);
    return collection;
  }

  function admit(accountId: string, agentKey: string): void {
    const ofAccount = running.filter((it) => it.accountId === accountId);
    const ofAgent = ofAccount.filter((it) => it.agentKey === agentKey);
    if (running.length >= IN_ALL || ofAccount.length >= PER_ACCOUNT || ofAgent.length >= PER_AGENT)
      throw overloaded('Too many downloads of logs are under way.');
  }

  return {
    async download(ctx, agent, response) {
      const status = statusOf(agent, deps.clock.now());
      if (status !== 'Online')
        throw new ApiError(
          'OPA_AGENT_OFFLINE',
          `The on-prem agent ${agent.name} is ${status}. Its logs can be read while it is Online.`,
        );
      const { accountId, creationId: agentKey } = agent;
      admit(accountId, agentKey);
      const own = { accountId, agentKey };
      running.push(own);
      const collection = joinable.get(agentKey) ?? collect(ctx, agent);
      collection.readers.add(response);
      try {
        const outcome = await collection.outcome;
        if ('refusal' in outcome) {
          if (outcome.refusal === 'joinable') return 'elsewhere';
          throw overloaded(`The on-prem agent ${agent.name} has too many tasks waiting.`);
        }
        if ('ended' in outcome) throw withoutLogs(outcome.ended.end, agent.name);
        if (outcome.bytes !== SUCCESS) {
          const result = readPlainOutcome(outcome.bytes);
          throw new ApiError(
            'OPA_AGENT_ERROR',
            `The on-prem agent ${agent.name} could not collect its logs: ${result.isSuccess ? 'It sent no archive.' : result.errorMessage}`,
          );
        }
        await collection.over.promise;
        return undefined;
      } finally {
        running.splice(running.indexOf(own), 1);
        collection.readers.delete(response);
        if (collection.readers.size === 0) byTask.delete(collection.taskId);
      }
    },

    async receive(taskId, archive, { proceed, complete }) {
      const collection = byTask.get(taskId);
      if (collection === undefined || joinable.get(collection.agentKey) !== collection) throw taskEnded();
      joinable.delete(collection.agentKey);
      const { readers, over } = collection;
      let isBegun = false;
      const later = (): Date => new Date(deps.clock.now().getTime() + STALL_MS);
      try {
        await proceed(later());
        deps.waiting.resolve(taskId, SUCCESS);
        isBegun = true;
        for (const reader of readers) begin(reader);
        let proceededAt = performance.now();
        const heldMs = new Map<ServerResponse, number>();
        for await (const chunk of piecesOf(archive)) {
          await writeToAll(readers, chunk, heldMs);
          if (![...readers].some(isAlive)) throw taskEnded();
          if (performance.now() - proceededAt < STALL_MS / 2) continue;
          await proceed(later());
          proceededAt = performance.now();
        }
        await complete();
        for (const reader of readers) reader.end();
      } catch (error) {
        // Before the first byte, downloads get the error of an ended task instead.
        if (isBegun) for (const reader of readers) reader.destroy();
        throw error;
      } finally {
        over.resolve();
        byTask.delete(taskId);
      }
    },
  };
}

function withoutLogs(end: string | null, name: string): ApiError {
  return end === 'deleted'
    ? new ApiError('NOT_FOUND', `The on-prem agent ${name} was deleted.`)
    : new ApiError('OPA_AGENT_TIMEOUT', `The on-prem agent ${name} did not send its logs in time.`);
}

function isAlive({ destroyed, writableEnded }: ServerResponse): boolean {
  return !destroyed && !writableEnded;
}

function begin(response: ServerResponse): void {
  if (!isAlive(response)) return;
  response.writeHead(200, {
    'content-type': 'application/octet-stream',
    'content-disposition': 'attachment; filename="agent-logs.zip"',
    'cache-control': 'private, no-store',
    'x-content-type-options': 'nosniff',
  });
}

/** The chunks of an archive; rejects if it breaks off, or pauses for STALL_MS. The connection stays open for the response. */
async function* piecesOf(archive: Readable): AsyncGenerator<Buffer> {
  const stall = setTimeout(
    () => archive.destroy(new Error('The on-prem agent stopped sending the archive.')),
    STALL_MS,
  );
  try {
    // A request yields buffers.
    for await (const piece of archive.iterator({ destroyOnReturn: false })) {
      yield piece as Buffer;
      stall.refresh();
    }
  } finally {
    clearTimeout(stall);
  }
}

/** Sends a chunk to all downloads. `heldMs`: how long each client has delayed the others so far; at STALL_MS in total it is cut. */
async function writeToAll(
  readers: ReadonlySet<ServerResponse>,
  chunk: Buffer,
  heldMs: Map<ServerResponse, number>,
): Promise<void> {
  const alive = [...readers].filter(isAlive);
  const startedAt = performance.now();
  const waits = await Promise.all(
    alive.map(async (reader) => {
      if (!reader.write(chunk)) await drained(reader);
      return { reader, ms: performance.now() - startedAt };
    }),
  );
  const [slowest, second] = waits.toSorted((a, b) => b.ms - a.ms);
  if (slowest === undefined || second === undefined) return;
  const totalMs = (heldMs.get(slowest.reader) ?? 0) + slowest.ms - second.ms;
  heldMs.set(slowest.reader, totalMs);
  if (totalMs > STALL_MS) slowest.reader.destroy();
}

/** Resolves when the client has read everything, or is gone; a client that reads nothing is cut. */
function drained(reader: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => reader.destroy(), STALL_MS);
    const done = (): void => {
      clearTimeout(cut);
      reader.off('drain', done);
      reader.off('close', done);
      resolve();
    };
    reader.on('drain', done);
    reader.on('close', done);
  });
}
