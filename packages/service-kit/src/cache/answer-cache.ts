import type { Clock } from '../clock.ts';

/** Answers of another service or of a database, remembered while their changes are heard of. */
export interface AnswerCache<V> {
  /** The remembered answer, or that of `load`, which is remembered unless something was forgotten meanwhile. */
  get(scope: string, key: string, load: () => Promise<V>): Promise<V>;
  /** Forgets the answers of a scope; undefined: all. What is being loaded now will not be remembered. */
  forget(scope: string | undefined): void;
}

interface Entry<V> {
  readonly scope: string;
  readonly answer: V;
  readonly session: number;
  readonly staleAt: number;
}

/**
 * A cache for what changes rarely and has to be right soon: an answer is used for `ttlMs` at most, and only in the
 * `session` of change messages in which it was asked for. While messages may be missed, nothing is remembered.
 * So the messages make a change seen at once, and time bounds what a lost one can do. A failure is not remembered.
 */
export function createAnswerCache<V>(o: {
  /** Subscribes to the change messages, which call `forget`. */
  readonly hear: (forget: AnswerCache<V>['forget']) => { session(): number | undefined };
  readonly clock: Clock;
  readonly ttlMs: number;
  readonly maxEntries: number;
}): AnswerCache<V> {
  // In the order of loading: the first entry is stale first.
  const entries = new Map<string, Entry<V>>();
  let changes = 0;

  function prune(now: number): void {
    for (const [key, { staleAt }] of entries) {
      if (staleAt > now && entries.size <= o.maxEntries) return;
      entries.delete(key);
    }
  }

  function forget(scope: string | undefined): void {
    changes += 1;
    for (const [id, entry] of entries) if (scope === undefined || entry.scope === scope) entries.delete(id);
  }

  const messages = o.hear(forget);
  return {
    forget,
    async get(scope, key, load) {
      const session = messages.session();
      const now = o.clock.now().getTime();
      const id = JSON.stringify([scope, key]);
      const known = entries.get(id);
      if (known !== undefined && known.session === session && now < known.staleAt) return known.answer;
      const changesBefore = changes;
      const answer = await load();
      if (session !== undefined && changes === changesBefore) {
        entries.delete(id);
        entries.set(id, { scope, answer, session, staleAt: now + o.ttlMs });
        prune(now);
      }
      return answer;
    },
  };
}
