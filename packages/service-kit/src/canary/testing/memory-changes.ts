import { NatsUnavailableError } from '../../nats/unavailable.ts';
import type { CanaryChange } from '../change.ts';
import type { CanaryChanges, StoredChange } from '../changes.ts';
import { digestOfRule, parseCanaryRules } from '../rules.ts';
import { canaryState } from '../track.ts';
import type { CanaryState } from '../track.ts';

/** In-memory changes of canaries, and the resulting states. */
export function memoryChanges(text: string) {
  let rules = parseCanaryRules(text);
  const stored = new Map<string, StoredChange>();
  const listeners = new Set<() => void>();
  let [writes, refusals, isRefusing] = [0, 0, false];

  const put = (service: string, change: Omit<CanaryChange, 'at'>): StoredChange => {
    const revision = (stored.get(service)?.revision ?? 0) + 1;
    const next = { ...change, at: new Date(Date.UTC(2026, 0, 1, 0, 0, revision)).toISOString(), revision };
    stored.set(service, next);
    for (const listener of listeners) listener();
    return next;
  };
  const changes: Pick<CanaryChanges, 'write'> = {
    write(service, next) {
      if (isRefusing) {
        refusals += 1;
        return Promise.reject(new NatsUnavailableError('NATS is unreachable.'));
      }
      const change = next(stored.get(service));
      if (change === undefined) return Promise.resolve(stored.get(service));
      writes += 1;
      return Promise.resolve(put(service, change));
    },
  };
  return {
    canaries: {
      current: (): ReadonlyMap<string, CanaryState> =>
        new Map([...rules].map(([service, rule]) => [service, canaryState(rule, stored.get(service))])),
      subscribe(listener: () => void) {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    },
    changes,
    newest: (service: string): StoredChange | undefined => stored.get(service),
    /** Makes a change like an operator or the analysis. */
    set(service: string, change: Pick<CanaryChange, 'weight' | 'isAborted' | 'by'>): void {
      const rule = rules.get(service);
      if (rule === undefined) throw new Error(`There is no rule for ${service}.`);
      put(service, { ...stored.get(service), ...change, of: digestOfRule(rule) });
    },
    setRules(next: string): void {
      rules = parseCanaryRules(next);
      for (const listener of listeners) listener();
    },
    /** Refuses writes from now on, like an unavailable NATS. */
    refuse: (next: boolean): void => void (isRefusing = next),
    refusals: (): number => refusals,
    writes: (): number => writes,
  };
}
