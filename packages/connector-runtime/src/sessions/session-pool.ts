import { systemTimers } from '@fairlead/service-kit/timers';
import type { Timers } from '@fairlead/service-kit/timers';
import { CallFailure } from '../failure.ts';
import type { SessionCount, SessionEvent } from './session-counts.ts';
import type { SessionKey } from './session-key.ts';

/** A session with a server that can serve several calls, one at a time. */
export interface PooledSession {
  /** Aborts when the session becomes unusable. */
  readonly lost: AbortSignal;
  /** Resets all state that the last call left, and expects no message until the next call. Rejects if that fails. */
  reset(): Promise<void>;
  /** Ends the session, without waiting for the server. */
  close(): void;
}

/** Time limits and numbers of the kept sessions of one protocol. */
export interface SessionKind {
  /** In metrics. */
  readonly name: string;
  /** Idle time after which a session is closed. */
  readonly idleMs: number;
  /** Maximum idle sessions of a connection. */
  readonly idlePerConnection: number;
}

/** One call's use of a session. */
export interface SessionUse<S extends PooledSession, T> {
  readonly kind: SessionKind;
  readonly key: SessionKey;
  /** The call's signal. */
  readonly signal: AbortSignal;
  open(): Promise<S>;
  /**
   * Runs the call. It may throw StaleSessionError for a reused session if a repetition is safe; then it runs once
   * more, in a new session. Any other error than a CallFailure ends the session.
   */
  work(session: S, isReused: boolean): Promise<T>;
}

/** The session was found dead before the call had any effect. */
export class StaleSessionError extends Error {
  override readonly name = 'StaleSessionError';
}

/** Maximum age of a session, so that withdrawn logins and changed addresses take effect. */
const MAX_AGE_MS = 10 * 60_000;
/** Maximum idle sessions of a worker. */
const MAX_IDLE = 50;
const RESET_LIMIT_MS = 2_000;

interface Entry {
  readonly session: PooledSession;
  readonly kind: SessionKind;
  readonly group: Group;
  readonly openedAt: number;
  timer?: { cancel(): void };
}

/** The sessions of one connection and sharer, opened with the same settings. */
interface Group {
  readonly name: string;
  readonly settings: string;
  /** Idle sessions, the most recently used one last. */
  readonly idle: Entry[];
  /** Calls that wait for a session that is being reset. They get undefined if they have to open a new one. */
  readonly waiting: ((entry: Entry | undefined) => void)[];
  resetting: number;
  /** Number of calls that have a session, or are opening one. */
  busy: number;
  isReplaced: boolean;
}

/**
 * The sessions of one worker, so of one account. A call with new settings closes the sessions that its connection and
 * sharer opened with former settings.
 */
export class SessionPool {
  readonly #timers: Timers;
  readonly #now: () => number;
  readonly #groups = new Map<string, Group>();
  /** All idle sessions, the longest idle first. */
  readonly #idle = new Set<Entry>();
  readonly #counts = new Map<string, SessionCount>();

  constructor(
    o: { readonly timers?: Timers; /** Monotonic milliseconds. */ readonly now?: () => number } = {},
  ) {
    this.#timers = o.timers ?? systemTimers;
    this.#now = o.now ?? (() => performance.now());
  }

  /** Returns the events since the last call of this method. */
  takeCounts(): readonly SessionCount[] {
    const counts = [...this.#counts.values()];
    this.#counts.clear();
    return counts;
  }

  /** Runs a call in an idle session, or in a new one, and keeps the session afterwards. */
  async use<S extends PooledSession, T>(o: SessionUse<S, T>): Promise<T> {
    const group = this.#groupOf(o.kind, o.key);
    group.busy += 1;
    try {
      const kept = await this.#take(group);
      if (kept !== undefined) {
        this.#count(o.kind, 'reused');
        // The cast is safe: all sessions of a kind are opened by one function.
        const session = kept.session as S;
        try {
          return await this.#work(kept, o, () => o.work(session, true));
        } catch (error) {
          if (!(error instanceof StaleSessionError)) throw error;
        }
      }
      const session = await o.open();
      this.#count(o.kind, 'opened');
      const entry: Entry = { session, kind: o.kind, group, openedAt: this.#now() };
      session.lost.addEventListener('abort', () => this.#drop(entry, 'lost'), { once: true });
      return await this.#work(entry, o, () => o.work(session, false));
    } finally {
      group.busy -= 1;
      this.#tidy(group);
    }
  }

  #groupOf(kind: SessionKind, key: SessionKey): Group {
    const name = `${kind.name} ${key.connection} ${key.sharers ?? ''}`;
    const known = this.#groups.get(name);
    if (known?.settings === key.settings) return known;
    if (known !== undefined) {
      known.isReplaced = true;
      for (const entry of known.idle.splice(0)) this.#close(entry, 'replaced');
      for (const start of known.waiting.splice(0)) start(undefined);
    }
    const group: Group = {
      name,
      settings: key.settings,
      idle: [],
      waiting: [],
      resetting: 0,
      busy: 0,
      isReplaced: false,
    };
    this.#groups.set(name, group);
    return group;
  }

  /** An idle session; undefined: there is none. */
  async #take(group: Group): Promise<Entry | undefined> {
    const entry = group.idle.pop();
    if (entry !== undefined) {
      this.#forgetIdle(entry);
      return entry;
    }
    // A session that is being reset is ready sooner than a new one.
    if (group.resetting <= group.waiting.length) return undefined;
    return new Promise((resolve) => group.waiting.push(resolve));
  }

  async #work<S extends PooledSession, T>(
    entry: Entry,
    { signal }: SessionUse<S, T>,
    run: () => Promise<T>,
  ): Promise<T> {
    try {
      const result = await run();
      this.#release(entry, signal.aborted ? 'cut' : undefined);
      return result;
    } catch (error) {
      const isStale = error instanceof StaleSessionError;
      const isSound = error instanceof CallFailure && !signal.aborted;
      this.#release(entry, isStale ? 'stale' : isSound ? undefined : 'cut');
      throw error;
    }
  }

  /** Handles a session after its call. */
  #release(entry: Entry, fault: SessionEvent | undefined): void {
    const { group, session, openedAt } = entry;
    const isOld = this.#now() - openedAt > MAX_AGE_MS;
    const isLost = session.lost.aborted ? 'cut' : undefined;
    const reason = fault ?? isLost ?? (group.isReplaced ? 'replaced' : isOld ? 'old' : undefined);
    if (reason !== undefined) {
      this.#close(entry, reason);
      return;
    }
    void this.#resetAndKeep(entry);
  }

  /** Never rejects. */
  async #resetAndKeep(entry: Entry): Promise<void> {
    const { group } = entry;
    group.resetting += 1;
    const isReset = await this.#isReset(entry);
    group.resetting -= 1;
    if (!isReset) {
      this.#close(entry, 'unclean');
      group.waiting.shift()?.(undefined);
    } else if (group.isReplaced) this.#close(entry, 'replaced');
    else this.#keep(entry);
    this.#tidy(group);
  }

  async #isReset({ session }: Entry): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const timer = this.#timers.after(RESET_LIMIT_MS, () => resolve(false));
    const lost = (): void => resolve(false);
    session.lost.addEventListener('abort', lost, { once: true });
    // Lets the call's answer, which is ready in this turn of the event loop, go out first.
    setImmediate(() => {
      session.reset().then(
        () => resolve(!session.lost.aborted),
        () => resolve(false),
      );
    });
    const isReset = await promise;
    timer.cancel();
    session.lost.removeEventListener('abort', lost);
    return isReset;
  }

  /** Passes a session to the next waiting call of its connection, or keeps it as idle. */
  #keep(entry: Entry): void {
    const { group, kind } = entry;
    const next = group.waiting.shift();
    if (next !== undefined) {
      next(entry);
      return;
    }
    group.idle.push(entry);
    this.#idle.add(entry);
    entry.timer = this.#timers.after(kind.idleMs, () => this.#drop(entry, 'idle'));
    const [oldest] = group.idle.length > kind.idlePerConnection ? group.idle : this.#idle;
    if (oldest !== undefined && (group.idle.length > kind.idlePerConnection || this.#idle.size > MAX_IDLE))
      this.#drop(oldest, 'excess');
  }

  /** Ends a session if it is idle. */
  #drop(entry: Entry, reason: SessionEvent): void {
    const at = entry.group.idle.indexOf(entry);
    if (at === -1) return;
    entry.group.idle.splice(at, 1);
    this.#close(entry, reason);
    this.#tidy(entry.group);
  }

  #close(entry: Entry, reason: SessionEvent): void {
    this.#forgetIdle(entry);
    this.#count(entry.kind, reason);
    entry.session.close();
  }

  #forgetIdle(entry: Entry): void {
    entry.timer?.cancel();
    this.#idle.delete(entry);
  }

  #tidy(group: Group): void {
    const isInUse = group.busy > 0 || group.resetting > 0 || group.idle.length > 0;
    if (!isInUse && this.#groups.get(group.name) === group) this.#groups.delete(group.name);
  }

  #count({ name }: SessionKind, event: SessionEvent): void {
    const key = `${name} ${event}`;
    const count = (this.#counts.get(key)?.count ?? 0) + 1;
    this.#counts.set(key, { kind: name, event, count });
  }
}

/** Runs a call in a session of `pool` if the call has a session key, else in a new one that is ended afterwards. */
export async function withPooledSession<S extends PooledSession, T>(
  pool: SessionPool | undefined,
  { key, ...use }: Omit<SessionUse<S, T>, 'key'> & { readonly key: SessionKey | undefined },
): Promise<T> {
  if (pool !== undefined && key !== undefined) return pool.use({ ...use, key });
  const session = await use.open();
  try {
    return await use.work(session, false);
  } finally {
    session.close();
  }
}
