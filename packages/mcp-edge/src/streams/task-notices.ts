import { createHash } from 'node:crypto';
import { ApiError } from '@fairlead/errors/api-error';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { detachedContext } from '@fairlead/service-kit/context/detached-context';
import type { Timers } from '@fairlead/service-kit/timers';
import type { ClientStreams } from './client-streams.ts';
import type { Session } from './session-ids.ts';

/** A task that a session's client has started. */
interface TaskEntry {
  readonly ctx: RequestContext;
  readonly accountId: string;
  readonly session: Session;
  readonly taskId: string;
  /** Reads the task as its client would: a JSON object; undefined: the task is gone. */
  readonly read: (ctx: RequestContext) => Promise<Uint8Array | undefined>;
}

/** Notifies clients with a stream that their tasks have ended (`notifications/tasks/status`, MCP 2025-11-25). */
export interface TaskNotices {
  /** Watches the task until it ends. */
  follow(task: TaskEntry): void;
}

/** Maximum duration of a task. */
const FOLLOWED_MS = 15 * 60_000;
/** First check: a task may end before this replica knows about it, when the message about its end has already been sent. */
const FIRST_LOOK_MS = 500;
const LOOK_LIMIT_MS = 10_000;
/** Maximum open tasks of an account; further ones are not watched. */
const MAX_OF_ACCOUNT = 100;
const WORKING = /"status":"working"/;

/**
 * Reads a task when a message says that it has changed. A notice is lost if a message is lost, or if this replica
 * stops; clients also poll their tasks.
 */
export function createTaskNotices(o: {
  readonly streams: Pick<ClientStreams, 'reserve' | 'answer'>;
  /** Calls `onChange` when a task has changed, with the SHA-256 (base64url) of its id. */
  readonly subscribe: (onChange: (hash: string) => void) => void;
  readonly timers: Timers;
}): TaskNotices {
  const followed = new Map<string, { readonly task: TaskEntry; looks: Promise<void> }>();
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
  async function look(hash: string, { ctx, session, read }: TaskEntry): Promise<void> {
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
      // The client may have no stream, or has read the task itself.
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
