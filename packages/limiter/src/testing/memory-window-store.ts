import { grantOf } from '../window-store.ts';
import type { Window, WindowStore } from '../window-store.ts';

/** A WindowStore in memory, for the model of the limiter; it passes the suite of the real one. */
export function memoryWindowStore(): WindowStore & { used(window: Window): number } {
  const counts = new Map<string, number>();
  const idOf = ({ key, name, startsAt }: Window): string => `${key}/${name}/${startsAt}`;
  return {
    used: (window) => counts.get(idOf(window)) ?? 0,
    fillOrder(window, order) {
      const before = (counts.get(idOf(window)) ?? 0) - order.returned;
      const granted = grantOf(order.limit - before, order);
      counts.set(idOf(window), before + granted);
      return Promise.resolve({ granted, used: before + granted });
    },
    giveBack(returns) {
      for (const { window, amount } of returns) {
        const before = counts.get(idOf(window));
        if (before !== undefined && before >= amount) counts.set(idOf(window), before - amount);
      }
      return Promise.resolve();
    },
  };
}
