import { z } from 'zod';
import type { Load } from '../faults/support/load.ts';
import { copyCheckout } from '../setup/copied-checkout.ts';
import { buildAndLoad } from './images.ts';
import type { Part } from './part.ts';
import {
  createAccounts,
  expectedAt,
  servedFurther,
  startCanaryLoad,
  withCanary,
} from './support/canaries.ts';
import { RELEASE } from './support/installation.ts';
import type { Installation } from './support/installation.ts';
import { until } from './support/kubernetes.ts';

const ACCOUNTS = 60;
const DEFECTIVE = { repository: 'ghcr.io/fairlead/fairlead', tag: 'defective' };
const RULES_MS = 180_000;
const ANALYSED_MS = 180_000;
const ABORTED_MS = 5_000;
const CRON_JOB = `cronjob/${RELEASE}-tools-canary`;
/** This part starts the Job itself. */
const NEVER = '0 0 31 2 *';

const operated = z.object({
  isAborted: z.boolean(),
  change: z.object({ by: z.string() }).nullable(),
});

/** A canary that fails every second call is aborted by the Job that compares the tracks. */
export const canaryAnalysis: Part = {
  name: 'canary-analysis',
  async run(site) {
    await buildDefective();
    const installation = await site.installation();
    const accounts = await createAccounts(installation, ACCOUNTS);
    const analysis = { schedule: NEVER, seconds: 20, minCalls: 20 };
    const canary = { mode: 'gateway', weight: 50, image: DEFECTIVE, analysis };
    return withCanary(installation, canary, async () => {
      const inside = await expectedAt(installation, accounts, 50);
      const outside = accounts.filter((account) => !inside.includes(account));
      const load = await startCanaryLoad(installation, [...inside.slice(0, 12), ...outside.slice(0, 12)]);
      try {
        // The gateways read the new rules once the kubelet has updated the ConfigMap.
        await until(
          'calls reach the canary',
          RULES_MS,
          async () => (await servedFurther(installation, load)).canary > 0,
        );
        await installation.namespace.kubectl(['create', 'job', 'analysis', `--from=${CRON_JOB}`]);
        await until('the analysis aborts the canary', ANALYSED_MS, () => isAborted(installation));
        const seconds = await secondsWithoutCanary(installation, load);
        return {
          figures: [
            `a canary that fails every second call: aborted by its analysis; no call reached it ${String(seconds)} s later`,
          ],
          problems: [],
        };
      } finally {
        await load.stop();
      }
    });
  },
};

/** Builds and loads the product with a defect in tools. */
async function buildDefective(): Promise<void> {
  const checkout = await copyCheckout();
  try {
    await checkout.edit('services/tools/src/rpc/execution-service.rpc.ts', (text) =>
      text
        .replace('/** ExecutionService of', 'let calls = 0;\n\n$&')
        .replace(
          'async listExecutions(request, h) {',
          "$&\n      if (calls++ % 2 === 1) throw new Error('a defect');",
        ),
    );
    await buildAndLoad(checkout.root, `${DEFECTIVE.repository}:${DEFECTIVE.tag}`);
  } finally {
    await checkout.remove();
  }
}

async function isAborted({ target }: Installation): Promise<boolean> {
  const answer = await fetch(`${target.baseUrl}/operator/v1/canaries`, {
    headers: { 'x-api-key': target.operatorKey },
  });
  const { items } = z.object({ items: z.array(operated) }).parse(await answer.json());
  return items.some(({ isAborted: isDone, change }) => isDone && change?.by === 'analysis');
}

/** Seconds until calls no longer reach the canary; throws if they still do after five. */
async function secondsWithoutCanary(installation: Installation, load: Load): Promise<number> {
  const from = performance.now();
  for (;;) {
    const startedMs = performance.now() - from;
    const { canary } = await servedFurther(installation, load);
    if (canary === 0) return Math.round(startedMs / 1000);
    if (startedMs > ABORTED_MS) throw new Error('calls reach the canary after the abort');
  }
}
