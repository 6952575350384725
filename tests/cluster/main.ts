// `npm test -- cluster [part… | canaries --keep]`: tests images and chart on the cluster named by KUBECONFIG; see docs/testing.md for the
// settings.
import { parseArgs } from 'node:util';
import { budgets } from './budgets.ts';
import { canaryAnalysis } from './canary-analysis.ts';
import { canaryArgo } from './canary-argo.ts';
import { canaryFlagger } from './canary-flagger.ts';
import { canaryRoute } from './canary-route.ts';
import { canaryVersions } from './canary-versions.ts';
import { canary } from './canary.ts';
import { customResources } from './custom-resources.ts';
import { delivery } from './delivery.ts';
import { discovery } from './discovery.ts';
import { imagesOfRun, imagesPart } from './images.ts';
import { installed } from './installed.ts';
import { keys } from './keys.ts';
import { kills } from './kills.ts';
import { memory } from './memory.ts';
import { oneService } from './one-service.ts';
import type { Part, Result, Site } from './part.ts';
import { release } from './release.ts';
import { restarts } from './restarts.ts';
import { storesAway } from './stores-away.ts';
import { openInstallation } from './support/installation.ts';
import type { Installation } from './support/installation.ts';
import { whyNoCluster } from './support/kubernetes.ts';
import { startMonitor } from './support/monitor.ts';
import type { Monitor } from './support/monitor.ts';
import { versions } from './versions.ts';
import { walk } from './walk.ts';

/** In the order of execution; `release` uninstalls. */
const PARTS: readonly Part[] = [
  imagesPart,
  oneService,
  discovery,
  installed,
  walk,
  memory,
  restarts,
  kills,
  storesAway,
  budgets,
  delivery,
  keys,
  // Before `versions`, because a schema is migrated only once.
  canaryVersions,
  versions,
  canary,
  canaryRoute,
  canaryAnalysis,
  canaryArgo,
  canaryFlagger,
  release,
  customResources,
];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { keep: { type: 'boolean', default: false } },
});

/** Run by name, or all by CANARIES; together with the others they would take more than half an hour. */
const CANARY_PARTS: readonly Part[] = [
  canaryVersions,
  canary,
  canaryRoute,
  canaryAnalysis,
  canaryArgo,
  canaryFlagger,
];
const CANARIES = 'canaries';

const chosen =
  positionals.length === 0
    ? PARTS.filter((part) => !CANARY_PARTS.includes(part))
    : PARTS.filter((part) => positionals.includes(part.name) || isAmongCanaries(part));

function isAmongCanaries(part: Part): boolean {
  return positionals.includes(CANARIES) && (part === imagesPart || CANARY_PARTS.includes(part));
}

const unknown = positionals.filter((name) => name !== CANARIES && !PARTS.some((part) => part.name === name));
if (unknown.length > 0) {
  console.error(
    `There is no part ${unknown.join(', ')}; there are ${PARTS.map(({ name }) => name).join(', ')}, and ${CANARIES} for those of canaries.`,
  );
  process.exit(1);
}
const reason = await whyNoCluster();
if (reason !== undefined) {
  console.error(`npm test -- cluster needs a cluster, and kubectl and helm on the PATH: ${reason}`);
  process.exit(1);
}
process.exitCode = (await runParts(chosen)) ? 0 : 1;

/** Runs the parts and prints their figures; returns whether all passed. */
async function runParts(parts: readonly Part[]): Promise<boolean> {
  const images = await imagesOfRun();
  let installation: Promise<Installation> | undefined;
  let monitor: Monitor | undefined;
  const site: Site = {
    images,
    async installation() {
      installation ??= openInstallation(images, { isKept: values.keep });
      const { namespace } = await installation;
      monitor ??= startMonitor(namespace);
      return installation;
    },
    say: (line) => console.log(`  ${line}`),
  };
  let hasPassed = true;
  const from = performance.now();
  for (const part of parts) {
    console.log(`${part.name} …`);
    const startedAt = performance.now();
    const { figures, problems } = await resultOf(part, site);
    for (const problem of problems) console.error(`FAILED  ${part.name}: ${problem}`);
    hasPassed &&= problems.length === 0;
    const state = problems.length === 0 ? 'ok' : 'FAILED';
    const row = `${part.name.padEnd(12)} ${minutesSince(startedAt).padStart(4)} min  ${state}`;
    console.log([row, ...figures.map((figure) => `  ${figure}`)].join('\n'));
  }
  const seen = await monitor?.stop();
  for (const problem of seen?.problems ?? []) console.error(`FAILED  pods: ${problem}`);
  hasPassed &&= (seen?.problems ?? []).length === 0;
  const peaks = [...(seen?.memory ?? [])].map(([service, { mib }]) => `${service} ${mib.toFixed(0)}`);
  if (peaks.length > 0) console.log(`largest MiB of all: ${peaks.join(', ')}`);
  console.log(`${String(parts.length)} parts took ${minutesSince(from)} minutes`);
  // The parts have already reported a failed installation.
  const opened = await installation?.catch(() => undefined);
  if (!values.keep) await opened?.namespace.delete();
  return hasPassed;
}

function minutesSince(startedAt: number): string {
  return ((performance.now() - startedAt) / 60_000).toFixed(1);
}

async function resultOf(part: Part, site: Site): Promise<Result> {
  try {
    return await part.run(site);
  } catch (error) {
    return { figures: [], problems: [error instanceof Error ? error.message : String(error)] };
  }
}
