import { createHash } from 'node:crypto';
import { ApiError } from '@fairlead/errors/api-error';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { detachedContext } from '@fairlead/service-kit/context/detached-context';
import type { Timers } from '@fairlead/service-kit/timers';
import type { ClientStreams } from './client-streams.ts';
import type { Session } from './session-ids.ts';

/** A task that a client of a session has begun. */
interface BegunTask {
  readonly ctx: RequestContext;
  readonly accountId: string;
  readonly session: Session;
  readonly taskId: string;
  /** The task as its client reads it: JSON of an object; undefined: it is gone. */
  readonly read: (ctx: RequestContext) => Promise<Uint8Array | undefined>;
}

/** Tells clients with a stream that their tasks have ended (`notifications/tasks/status`, MCP 2025-11-25). */
export interface TaskNotices {
  /** Follows the task until it has ended. */
  follow(task: BegunTask): void;
}

/** No task runs for longer. */
const FOLLOWED_MS = 15 * 60_000;
/** A task may end before its client knows that it is one: the message of that comes too early. */
const FIRST_LOOK_MS = 500;
const LOOK_LIMIT_MS = 10_000;
/** An account has no more open tasks; further ones are followed by nobody. */
const MAX_OF_ACCOUNT = 100;
const WORKING = /"status":"working"/;

/** Reads a task when a message says that it has changed. A notice is lost if a message is, or if this replica stops: clients look at their tasks besides. */
export function createTaskNotices(o: {
  readonly streams: Pick<ClientStreams, 'reserve' | 'answer'>;
  /** Calls `onChange` with the SHA-256 (base64url) of the id of each task that has changed. */
  readonly subscribe: (onChange: (hash: string) => void) => void;
  readonly timers: Timers;
}): TaskNotices {
  const followed = new Map<string, { readonly task: BegunTask; looks: Promise<void> }>();
  const counts = new Map<string, number>();

  function forget(hash: string): void {
    const entry = followed.get(hash);
    if (entry === undefined) return;
    followed.delete(hash);
    const { accountId } = entry.task;
    const left = (counts.get(accountId) ?? 1) - 1;
    if (left > 0) counts.set(accountId, left);
    else counts.delete(accountId);
  }

  /** Never rejects. */
  async function look(hash: string, { ctx, session, read }: BegunTask): Promise<void> {
    if (!followed.has(hash)) return;
    try {
      const limited = detachedContext(ctx, LOOK_LIMIT_MS);
      const task = await read(limited);
      const text = task === undefined ? '' : Buffer.from(task).toString();
      if (WORKING.test(text)) return;
      forget(hash);
      if (text === '') return;
      const place = await o.streams.reserve(limited, session);
      const notice = `{"jsonrpc":"2.0","method":"notifications/tasks/status","params":${text}}`;
      await o.streams.answer(place, () => Promise.resolve(Buffer.from(notice)));
    } catch (error) {
      // Its client has no stream, or looks at the task itself.
      if (!(error instanceof ApiError)) ctx.log.error({ err: error }, 'the notice of a task failed');
    }
  }

  function lookNext(hash: string): void {
    const entry = followed.get(hash);
    if (entry !== undefined) entry.looks = entry.looks.then(() => look(hash, entry.task));
  }

  o.subscribe(lookNext);
  return {
    follow(task) {
      const { accountId, taskId } = task;
      const count = counts.get(accountId) ?? 0;
      const hash = createHash('sha256').update(taskId).digest('base64url');
      if (count >= MAX_OF_ACCOUNT || followed.has(hash)) return;
      counts.set(accountId, count + 1);
      followed.set(hash, { task, looks: Promise.resolve() });
      o.timers.after(FIRST_LOOK_MS, () => lookNext(hash));
      o.timers.after(FOLLOWED_MS, () => forget(hash));
    },
  };
}
