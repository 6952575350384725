import type { Timers } from '@fairlead/service-kit/timers';
import type { ListChanges } from '../ports/list-changes.ts';

/** Delay after which the change is written, and no replica uses an older list. Changes within it are merged. */
const SETTLE_MS = 1_000;

/** Merges the changes of `subscribe`, per account; undefined: any account may have changed. */
export function createListChanges(o: {
  readonly subscribe: (onChange: (accountId: string | undefined) => void) => unknown;
  readonly timers: Timers;
}): ListChanges {
  const subscribers = new Map<string, Set<() => void>>();
  const planned = new Set<string>();

  function plan(accountId: string): void {
    if (!subscribers.has(accountId) || planned.has(accountId)) return;
    planned.add(accountId);
    o.timers.after(SETTLE_MS, () => {
      planned.delete(accountId);
      for (const onChange of subscribers.get(accountId) ?? []) onChange();
    });
  }

  o.subscribe((accountId) => {
    if (accountId !== undefined) plan(accountId);
    else for (const each of subscribers.keys()) plan(each);
  });

  return {
    subscribe(accountId, onChange) {
      // Wrapped, because each subscription must be a distinct function.
      const own = (): void => onChange();
      const others = subscribers.get(accountId) ?? new Set<() => void>();
      subscribers.set(accountId, others.add(own));
      return () => {
        others.delete(own);
        if (others.size === 0 && subscribers.get(accountId) === others) subscribers.delete(accountId);
      };
    },
  };
}
