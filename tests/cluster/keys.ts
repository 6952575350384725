import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Part } from './part.ts';
import { ALL_SERVICES, RELEASE, secretOf } from './support/installation.ts';
import { until } from './support/kubernetes.ts';
import type { Namespace } from './support/kubernetes.ts';
import { metricsOf, sumOf } from './support/metrics.ts';
import { figuresOf, problemsOf } from './support/traffic.ts';
import { underTraffic } from './support/under-traffic.ts';

/** Longer than callers' signatures are valid. */
const SIGNED_MS = 60_000;
const REWRAPPED_MS = 180_000;
const RINGS = ['CALLER_CONTEXT_KEYS', 'SEALING_KEYS'] as const;
const OUTDATED = 'sealing_data_keys_outdated';

/** Replaces the keys of callers' signatures and all sealing keys under load, in the three steps of docs/production.md. */
export const keys: Part = {
  name: 'keys',
  run: (site) =>
    underTraffic(site, async (traffic, { namespace }) => {
      const callers = key();
      const before = await ringsOf(namespace);
      const sealing = new Map(ALL_SERVICES.map((service) => [service, key()]));
      const steps: readonly ((former: string, latter: string) => string)[] = [
        (former, latter) => `${former},${latter}`,
        (former, latter) => `${latter},${former}`,
        (_former, latter) => latter,
      ];
      for (const [index, ringOf] of steps.entries()) {
        for (const { service, name, former } of before) {
          const latter = name === 'CALLER_CONTEXT_KEYS' ? callers : (sealing.get(service) ?? '');
          await setSecret(namespace, service, name, ringOf(former, latter));
        }
        for (const service of ALL_SERVICES) {
          const deployment = `deployment/${RELEASE}-${service}`;
          await namespace.kubectl(['rollout', 'restart', deployment]);
          await namespace.rolledOut(deployment);
        }
        await traffic.untilWell();
        site.say(`step ${String(index + 1)} of 3 of the rotation is done`);
        if (index === 1) {
          await delay(SIGNED_MS);
          await until('all data keys are wrapped again', REWRAPPED_MS, () => isRewrapped(namespace));
        }
      }
      const verdict = await traffic.stop();
      const rings = new Set(before.map(({ name, service }) => `${name} of ${service}`));
      return {
        figures: [`${String(rings.size)} key rings replaced in 3 steps: ${figuresOf(verdict)}`],
        problems: problemsOf(verdict),
      };
    }),
};

/** A key with a new version, because an earlier run may already have rotated the installation's. */
function key(): string {
  return `${randomBytes(4).toString('hex')}:${randomBytes(32).toString('base64')}`;
}

interface Ring {
  readonly service: (typeof ALL_SERVICES)[number];
  readonly name: (typeof RINGS)[number];
  readonly former: string;
}

async function ringsOf(namespace: Namespace): Promise<readonly Ring[]> {
  const found: Ring[] = [];
  for (const service of ALL_SERVICES)
    for (const name of RINGS) {
      const former = await secretOf(namespace, `${RELEASE}-${service}`, name).catch(() => undefined);
      if (former !== undefined) found.push({ service, name, former });
    }
  return found;
}

async function setSecret(namespace: Namespace, service: string, name: string, value: string): Promise<void> {
  const data = { [name]: Buffer.from(value).toString('base64') };
  await namespace.kubectl(['patch', 'secret', `${RELEASE}-${service}`, '--patch', JSON.stringify({ data })]);
}

/** Whether no replica counts a data key that is wrapped by the former key. */
async function isRewrapped(namespace: Namespace): Promise<boolean> {
  const pods = await namespace.pods('app.kubernetes.io/component');
  const counts = await Promise.all(
    pods.map(async ({ metadata }) =>
      sumOf(await metricsOf(namespace, metadata.name).catch(() => ''), OUTDATED),
    ),
  );
  const known = counts.filter((count) => count !== undefined);
  return known.length > 0 && known.every((count) => count === 0);
}
