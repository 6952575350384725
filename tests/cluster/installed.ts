import type { Part } from './part.ts';
import { ALL_SERVICES, RELEASE } from './support/installation.ts';
import { limitOf, serviceOf } from './support/monitor.ts';

const MOST_MIB = 384;

/** `helm install --wait` under the Pod Security standard `restricted`, and `helm test`. */
export const installed: Part = {
  name: 'install',
  async run(site) {
    const startedAt = performance.now();
    const { namespace } = await site.installation();
    const seconds = (performance.now() - startedAt) / 1000;
    await namespace.helm(['test', RELEASE, '--timeout', '2m']);
    const pods = await namespace.pods('app.kubernetes.io/component');
    const above = pods.filter(
      (pod) => ALL_SERVICES.some((name) => name === serviceOf(pod)) && limitOf(pod) > MOST_MIB,
    );
    return {
      figures: [
        `helm install --wait under the Pod Security standard restricted: ${String(pods.length)} pods in ${String(Math.round(seconds))} s; helm test passed`,
      ],
      problems: above.map(({ metadata }) => `the limit of ${metadata.name} is above 384 MiB`),
    };
  },
};
