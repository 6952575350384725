import type { Part } from './part.ts';
import { CHART, imageValuesOf, RELEASE } from './support/installation.ts';
import { Namespace } from './support/kubernetes.ts';
import { serviceOf } from './support/monitor.ts';

const SERVICE = 'catalog';
const OWN = new Set([SERVICE, 'mongodb', 'nats', 'setup']);

/** The chart with one service and its stores can be installed on its own, in a new namespace. */
export const oneService: Part = {
  name: 'one-service',
  async run({ images }) {
    const namespace = new Namespace('fairlead-test-one');
    await namespace.create();
    try {
      const values = {
        ...imageValuesOf(images),
        defaults: { enabled: false },
        services: { [SERVICE]: { enabled: true } },
      };
      const args = ['install', RELEASE, CHART, '--values', '-', '--wait', '--timeout', '4m'];
      await namespace.helm(args, JSON.stringify(values));
      const services = new Set((await namespace.pods('app.kubernetes.io/component')).map(serviceOf));
      const others = [...services].filter((name) => !OWN.has(name));
      return {
        figures: [`installed by itself: ${[...services].join(', ')}`],
        problems: [
          ...(services.has(SERVICE) ? [] : [`${SERVICE} has no pod`]),
          ...others.map((name) => `${name} was installed too`),
        ],
      };
    } finally {
      await namespace.delete();
    }
  },
};
