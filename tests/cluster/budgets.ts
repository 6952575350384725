import { startLoad } from '../faults/support/load.ts';
import { createAccount } from './support/account.ts';
import { AMPLE_BUDGETS } from '../setup/raise-budgets.ts';
import type { Part } from './part.ts';

const SECONDS = 10;
const PER_SECOND = 50;
const CALLERS = 12;
/** Share of calls admitted before replicas know each other's counts; without the exchange it would be 1. */
const MOST_ABOVE = 0.25;
const PER_HOUR = 300;
const HOUR_MS = 3_600_000;

/** Two gateways enforce an account's budgets: the hour's exactly, the second's except for calls that cross each other. */
export const budgets: Part = {
  name: 'budgets',
  async run(site) {
    const { namespace, target } = await site.installation();
    const gateways = (await namespace.pods('app.kubernetes.io/component=gateway')).length;
    const call = async (
      settings: object,
      isDone: (calls: number, sinceMs: number) => boolean,
    ): Promise<{ admitted: number; refused: number; others: number; seconds: number }> => {
      const { apiKey } = await createAccount(target, { ...AMPLE_BUDGETS, ...settings });
      const route = {
        name: 'GET /v1/applications',
        method: 'GET',
        path: '/v1/applications?top=1',
        deadlineMs: 8_000,
      } as const;
      const fromMs = Date.now();
      const load = startLoad({
        baseUrl: target.baseUrl,
        apiKey,
        routes: [route],
        callers: CALLERS,
        pauseMs: 20,
      });
      while (!isDone(load.outcomes.length, Date.now() - fromMs))
        await new Promise((next) => setTimeout(next, 50));
      const outcomes = await load.stop();
      const count = (status: number): number => outcomes.filter((it) => it.status === status).length;
      const seconds = Math.floor(Date.now() / 1000) - Math.floor(fromMs / 1000) + 1;
      const [admitted, refused] = [count(200), count(429)];
      return { admitted, refused, others: outcomes.length - admitted - refused, seconds };
    };
    const ample = 1_000_000;
    const second = await call(
      { burstPerSecond: PER_SECOND, hourly: ample },
      (_calls, ms) => ms > SECONDS * 1000,
    );
    const most = Math.ceil(second.seconds * PER_SECOND * (1 + MOST_ABOVE));
    const startedHour = Math.floor(Date.now() / HOUR_MS);
    const hour = await call({ burstPerSecond: ample, hourly: PER_HOUR }, (calls) => calls > 2 * PER_HOUR);
    const hours = Math.floor(Date.now() / HOUR_MS) - startedHour + 1;
    return {
      figures: [
        `${String(gateways)} gateways, ${String(PER_SECOND)} calls a second: ${String(second.admitted)} of ${String(second.admitted + second.refused)} admitted in ${String(second.seconds)} seconds`,
        `${String(gateways)} gateways, ${String(PER_HOUR)} calls an hour: ${String(hour.admitted)} of ${String(hour.admitted + hour.refused)} admitted`,
      ],
      problems: [
        ...(gateways < 2 ? ['there are not two gateways'] : []),
        ...(second.admitted > most
          ? [`${String(second.admitted)} calls admitted, at most ${String(most)} may be`]
          : []),
        ...(second.refused === 0 ? ['the load was below the budget of a second'] : []),
        ...(hour.admitted > hours * PER_HOUR ? ['the budget of an hour was exceeded'] : []),
        ...(second.others + hour.others > 0 ? ['calls were neither admitted nor refused'] : []),
      ],
    };
  },
};
