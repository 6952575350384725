import { grantOf } from '../domain/window-store.ts';
import type { Window, WindowStore } from '../domain/window-store.ts';

/** A WindowStore in memory, for the model of the limiter; it passes the suite of the real one. */
export function memoryWindowStore(): WindowStore & { used(window: Window): number } {
  const counts = new Map<string, number>();
  const keyOf = ({ accountId, budget, startsAt }: Window): string => `${accountId}/${budget}/${startsAt}`;
  return {
    used: (window) => counts.get(keyOf(window)) ?? 0,
    exchange(window, order) {
      const before = (counts.get(keyOf(window)) ?? 0) - order.returned;
      const granted = grantOf(order.limit - before, order);
      counts.set(keyOf(window), before + granted);
      return Promise.resolve({ granted, used: before + granted });
    },
    giveBack(returns) {
      for (const { window, amount } of returns) {
        const before = counts.get(keyOf(window));
        if (before !== undefined) counts.set(keyOf(window), before - amount);
      }
      return Promise.resolve();
    },
  };
}
