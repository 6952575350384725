import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import { median, quantile } from '../../bench/statistics.ts';
import { expectStatus } from '../../contract/support/accounts.ts';
import { asOther, call } from '../../contract/support/api.ts';
import { openMcpTarget } from './mcp-target.ts';

const ROUNDS = 5;
const ROUND_MS = 4_000;
const PAUSE_MS = 20;
/** Maximum factor by which another account's p95 may increase. */
const MAX_RATIO = 4;

/**
 * Measures tool calls of another account's MCP client, alternately without and with an attack, which lasts `durationMs` and resolves to its
 * amount of work. Fails if p95 under attack is at least four times that without.
 */
export async function expectServedNeighbour(
  name: string,
  attack: (durationMs: number) => Promise<number>,
): Promise<void> {
  const neighbour = await openMcpTarget(asOther);
  onTestFinished(() => neighbour.close());
  const measure = async (): Promise<number> => {
    const tookMs: number[] = [];
    const end = performance.now() + ROUND_MS;
    for (let now = performance.now(); now < end; now = performance.now()) {
      const answer = expectStatus(
        await call('POST', neighbour.url, { ...asOther, body: neighbour.call }),
        200,
      );
      expect(answer.body.result.isError, answer.text).toBeUndefined();
      tookMs.push(performance.now() - now);
      await delay(PAUSE_MS);
    }
    return quantile(tookMs, 0.95);
  };
  await measure();
  const rounds: { readonly calm: number; readonly attacked: number; readonly done: number }[] = [];
  while (rounds.length < ROUNDS) {
    const calm = await measure();
    const [done, attacked] = await Promise.all([attack(ROUND_MS), measure()]);
    rounds.push({ calm, attacked, done });
  }
  const ratio = median(rounds.map(({ calm, attacked }) => attacked / calm));
  const [calm, attacked, done] = (['calm', 'attacked', 'done'] as const).map((figure) =>
    median(rounds.map((round) => round[figure])).toFixed(1),
  );
  console.log(`${name}: p95 ${calm} ms, attacked ${attacked} ms: ${ratio.toFixed(1)} x; ${done} a round`);
  expect(ratio).toBeLessThan(MAX_RATIO);
}
