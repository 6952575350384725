import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { MIGRATED_NOTE, NEW_INDEXES } from '../releases/newer-release.ts';
import type { Part, Result, Site } from './part.ts';
import {
  change,
  createAccounts,
  insideAt,
  OBEYED_MS,
  servedFurther,
  untilNoCanary,
  withCanary,
} from './support/canaries.ts';
import type { Account, Finding } from './support/canaries.ts';
import { RELEASE } from './support/installation.ts';
import type { Installation } from './support/installation.ts';
import { until } from './support/kubernetes.ts';
import { buildNewer, indexesOf, lostIndexes, NEWER, notesOf } from './support/newer.ts';
import { figuresOf, problemsOf } from './support/traffic.ts';
import type { Traffic } from './support/traffic.ts';
import { underTraffic } from './support/under-traffic.ts';
import { startWriters } from './support/writers.ts';
import type { Writers } from './support/writers.ts';

/** The service whose schema the next release changes. */
const SERVICE = 'connections';
const READS = { service: SERVICE, method: 'GetConnection' };
const OWN_INDEXES = NEW_INDEXES.filter((index) => index.startsWith(`fairlead_${SERVICE}/`));
const WEIGHT = 10;
const RAISED = 25;
/** Accounts per group: those that use the canary from 10 % on, from 25 % on, and only after the promotion. */
const OF_EACH = 2;
const CREATED_AT_ONCE = 20;
const ABORTED_MS = 5_000;
/** The parts of the chart's rule that determine shares. */
const RULES = JSON.stringify({ services: { [SERVICE]: { mode: 'gateway', weight: WEIGHT, salt: RELEASE } } });

const promotion = z.object({ services: z.record(z.string(), z.unknown()) });

/** The other service's canary stays, so that upgrades only replace pods of connections; the part `restarts` replaces all. */
const STANDING = { mode: 'gateway', weight: 0, replicas: 0, analysis: { enabled: false } };

/**
 * The canary of connections is the next release, which migrates the schema that it shares with the older one. Under load it goes to 10 %
 * and 25 %, is aborted, reopened and promoted, becomes the stable release, and is rolled back. No call may fail, and each response must be
 * right.
 */
export const canaryVersions: Part = {
  name: 'canary-versions',
  async run(site) {
    await buildNewer();
    const installation = await site.installation();
    const accounts = await accountsOfShares(installation);
    // Reads, executions, inbound calls and MCP calls of an account that uses the canary from the start, and of one that uses it later.
    const loaded = [accounts[0], accounts[OF_EACH]].flatMap((account) => account ?? []);
    return withCanary(installation, STANDING, () =>
      underTraffic(site, (traffic) => runUnder(traffic, installation, accounts, site), loaded),
    );
  },
};

async function runUnder(
  traffic: Traffic,
  installation: Installation,
  accounts: readonly Account[],
  site: Site,
): Promise<Result> {
  const { namespace } = installation;
  const upgrade = (connections: unknown): Promise<void> =>
    installation.upgrade({ services: { tools: { canary: STANDING }, [SERVICE]: connections } });
  const writers = await startWriters(installation.target, accounts);
  await writers.untilWell(OBEYED_MS);
  const before = await notesOf(namespace);
  await upgrade({
    canary: { mode: 'gateway', weight: WEIGHT, image: NEWER, analysis: { enabled: false } },
  });
  const indexes = await indexesOf(namespace);
  const migrated = [...(await notesOf(namespace))].filter(
    ([id, note]) => before.has(id) && note === MIGRATED_NOTE,
  );
  site.say('the canary has migrated the schema');
  const aborted = await raiseAndAbort(installation, writers);
  site.say(aborted.figure);
  const promoted = await raiseAndPromote(installation, writers, upgrade);
  site.say(promoted.figure);
  await traffic.untilWell();
  await upgrade({});
  site.say('the older release is stable again');
  await traffic.untilWell();
  await servedFurther(installation, writers, READS);
  const lost = lostIndexes(indexes, await indexesOf(namespace), OWN_INDEXES);
  const notes = await notesOf(namespace);
  const changed = migrated.filter(([id]) => notes.get(id) !== MIGRATED_NOTE);
  const outcomes = await writers.stop();
  const verdict = await traffic.stop();
  const all = { ...verdict, outcomes: [...verdict.outcomes, ...outcomes] };
  return {
    figures: [
      aborted.figure,
      promoted.figure,
      `a canary of the next release aborted, promoted, made stable and rolled back: ${figuresOf(all)}; ${String(writers.wrong.length)} wrong answers`,
      `${lost.figure}; ${String(migrated.length)} migrated values, ${String(changed.length)} lost`,
    ],
    problems: [
      ...aborted.problems,
      ...promoted.problems,
      ...problemsOf(all),
      ...writers.wrong,
      ...lost.problems,
      ...(migrated.length > 0 ? [] : ['the canary has migrated nothing']),
      ...changed.map(([id]) => `the connection ${id} has lost its migrated value`),
    ],
  };
}

/** Creates accounts until there are {@link OF_EACH} per group; returns them in the order of the groups. */
async function accountsOfShares(installation: Installation): Promise<readonly Account[]> {
  const shares: readonly Account[][] = [[], [], []];
  while (shares.some((share) => share.length < OF_EACH)) {
    const created = await createAccounts(installation, CREATED_AT_ONCE);
    const [first, second] = [WEIGHT, RAISED].map((weight) => insideAt(SERVICE, RULES, created, weight));
    for (const account of created)
      shares[first?.includes(account) ? 0 : second?.includes(account) ? 1 : 2]?.push(account);
  }
  return shares.flatMap((share) => share.slice(0, OF_EACH));
}

/** From 10 % to 25 %, and an abort. */
async function raiseAndAbort(installation: Installation, writers: Writers): Promise<Finding> {
  const counted = (): ReturnType<typeof servedFurther> => servedFurther(installation, writers, READS);
  await untilShared(installation, writers);
  const at10 = await counted();
  await change(installation, 'PATCH', '', { weight: RAISED }, SERVICE);
  const at25 = await counted();
  await change(installation, 'POST', '/abort', undefined, SERVICE);
  await delay(ABORTED_MS);
  const aborted = await counted();
  return {
    figure: `reads at the canary of all: ${shareOf(at10)} at weight 10, ${shareOf(at25)} at 25, ${shareOf(aborted)} after the abort`,
    problems: [
      ...(at10.canary > 0 && at10.stable > 0 ? [] : ['weight 10 did not split the reads']),
      ...(at25.canary > at10.canary && at25.stable > 0 ? [] : ['weight 25 did not raise the share']),
      ...(aborted.canary > 0 ? ['reads reached the canary after the abort'] : []),
    ],
  };
}

/** From 10 % to 25 %, a promotion, and the upgrade with the values that it returns. */
async function raiseAndPromote(
  installation: Installation,
  writers: Writers,
  upgrade: (connections: unknown) => Promise<void>,
): Promise<Finding> {
  const counted = (): ReturnType<typeof servedFurther> => servedFurther(installation, writers, READS);
  for (const weight of [WEIGHT, RAISED]) {
    await change(installation, 'PATCH', '', { weight }, SERVICE);
    await untilShared(installation, writers);
  }
  const values = await change(installation, 'POST', '/promote', undefined, SERVICE);
  const promoted = await counted();
  await upgrade(promotion.parse(values).services[SERVICE]);
  await untilNoCanary(installation, SERVICE);
  const isNewer = async (): Promise<boolean> => {
    const pods = await installation.namespace.pods(`app.kubernetes.io/component=${SERVICE}`);
    return pods.every(({ spec }) => spec.containers.every(({ image }) => image.endsWith(`:${NEWER.tag}`)));
  };
  await until('the promoted release is the stable one', OBEYED_MS, isNewer);
  const stable = await counted();
  return {
    figure: `reads at the canary of all: ${shareOf(promoted)} after the promotion, ${shareOf(stable)} once its release is stable`,
    problems: [
      ...(promoted.stable > 0 ? ['reads reached stable after the promotion'] : []),
      ...(stable.stable > 0 ? [] : ['nothing was read from the new stable pods']),
    ],
  };
}

/** Resolves once both tracks serve reads. */
async function untilShared(installation: Installation, writers: Writers): Promise<void> {
  await until('both tracks serve reads', OBEYED_MS, async () => {
    const { stable, canary } = await servedFurther(installation, writers, READS);
    return stable > 0 && canary > 0;
  });
}

function shareOf({ stable, canary }: { readonly stable: number; readonly canary: number }): string {
  return `${String(canary)} of ${String(stable + canary)}`;
}
