import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import type { Part } from './part.ts';
import {
  callAll,
  createAccounts,
  expectedAt,
  OBEYED_MS,
  servedDuring,
  servedFurther,
  startCanaryLoad,
  withCanary,
} from './support/canaries.ts';
import type { Account, Finding } from './support/canaries.ts';
import { GATEWAY_API, withDefinitions } from './support/definitions.ts';
import { RELEASE } from './support/installation.ts';
import type { Installation } from './support/installation.ts';
import { until } from './support/kubernetes.ts';

const ACCOUNTS = 200;
const UNDER_LOAD = 12;
/** Time after the status with the new weights from which no call may start at the canary. */
const ABORTED_MS = 5_000;
const ROUTE = `${RELEASE}-tools`;
const CONTROLLER = 'fairlead.dev/gateway';

const route = z.object({
  metadata: z.object({ generation: z.int() }),
  status: z
    .object({
      parents: z.array(
        z.object({
          controllerName: z.string(),
          conditions: z.array(
            z.object({ type: z.string(), status: z.string(), observedGeneration: z.int().optional() }),
          ),
        }),
      ),
    })
    .optional(),
});

/** A canary of tools by the weights of a GRPCRoute on a real API server, edited as by Argo Rollouts. */
export const canaryRoute: Part = {
  name: 'canary-route',
  async run(site) {
    const installation = await site.installation();
    const accounts = await createAccounts(installation, ACCOUNTS);
    return withDefinitions([GATEWAY_API], () =>
      withCanary(installation, { mode: 'route', weight: 10, analysis: { enabled: false } }, async () => {
        const findings: Finding[] = [];
        for (const weight of [10, 25]) {
          if (weight !== 10) await setWeight(installation, weight);
          await untilApplied(installation);
          const finding = await shareAt(installation, accounts, weight);
          site.say(finding.figure);
          findings.push(finding);
        }
        findings.push(await closedUnderLoad(installation, accounts));
        return {
          figures: findings.map(({ figure }) => figure),
          problems: findings.flatMap(({ problems }) => problems),
        };
      }),
    );
  },
};

async function setWeight({ namespace }: Installation, weight: number): Promise<void> {
  const path = '/spec/rules/0/backendRefs';
  const patch = [100 - weight, weight].map((value, index) => ({
    op: 'replace',
    path: `${path}/${String(index)}/weight`,
    value,
  }));
  await namespace.kubectl(['patch', 'grpcroute', ROUTE, '--type=json', '--patch', JSON.stringify(patch)]);
}

/** Resolves once the route's status says that its current generation is accepted. */
async function untilApplied({ namespace }: Installation): Promise<void> {
  await until('the route is accepted in its present generation', OBEYED_MS, async () => {
    const { metadata, status } = await namespace.get('grpcroute', ROUTE, route);
    const own = status?.parents.find(({ controllerName }) => controllerName === CONTROLLER);
    return ['Accepted', 'ResolvedRefs'].every((type) =>
      own?.conditions.some(
        (condition) =>
          condition.type === type &&
          condition.status === 'True' &&
          condition.observedGeneration === metadata.generation,
      ),
    );
  });
}

async function shareAt(
  installation: Installation,
  accounts: readonly Account[],
  weight: number,
): Promise<Finding> {
  const expected = await expectedAt(installation, accounts, weight);
  const headers = accounts.map(({ apiKey }) => ({ 'x-api-key': apiKey }));
  let reached = 0;
  let failed = 0;
  // The status is written when the change is stored; a message then notifies the other gateways.
  await until(`all gateways obey weight ${String(weight)}`, OBEYED_MS, async () => {
    const served = await servedDuring(installation, async () => {
      failed += await callAll(installation, headers);
    });
    reached = served.canary;
    return reached === expected.length;
  });
  return {
    figure: `GRPCRoute with weight ${String(weight)}: ${String(reached)} of ${String(accounts.length)} accounts reach the canary, ${String(failed)} calls failed`,
    problems: failed > 0 ? [`${String(failed)} calls failed at weight ${String(weight)} of the route`] : [],
  };
}

/** Sets the route's weight to 0 during calls of the canary's accounts. */
async function closedUnderLoad(installation: Installation, accounts: readonly Account[]): Promise<Finding> {
  const inside = (await expectedAt(installation, accounts, 25)).slice(0, UNDER_LOAD);
  const load = await startCanaryLoad(installation, inside);
  await setWeight(installation, 0);
  await untilApplied(installation);
  await delay(ABORTED_MS);
  const closed = await servedFurther(installation, load);
  const outcomes = await load.stop();
  const failed = outcomes.filter(({ status }) => status !== 200);
  return {
    figure: `GRPCRoute with weight 0 under load: ${String(outcomes.length)} calls, ${String(failed.length)} failed, ${String(closed.canary)} at the canary afterwards`,
    problems: [
      ...failed.map(({ status, failure }) => `a call failed: ${failure ?? String(status)}`),
      ...(closed.canary > 0 ? ['calls reached the canary after the route sent none there'] : []),
    ],
  };
}
