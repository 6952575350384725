import { stack } from './api.ts';

/** Number of calls in the whole stack that wait for a permit at a service, from its metrics. */
export async function waitingCalls(service: 'tools' | 'connections' = 'tools'): Promise<number> {
  const page = await (await fetch(`${stack.admin[service]}/metrics`)).text();
  return [...page.matchAll(/^account_slots_waiting_calls(?:\{[^}]*\})? (\d+)$/gm)].reduce(
    (sum, [, count]) => sum + Number(count),
    0,
  );
}
