import { stack } from './api.ts';

/** Calls of the whole stack that wait for a slot at a service, as its metrics say. */
export async function waitingCalls(service: 'tools' | 'connections' = 'tools'): Promise<number> {
  const page = await (await fetch(`${stack.admin[service]}/metrics`)).text();
  return [...page.matchAll(/^account_slots_waiting_calls(?:\{[^}]*\})? (\d+)$/gm)].reduce(
    (sum, [, count]) => sum + Number(count),
    0,
  );
}
