import { startEventSink } from '../faults/support/event-sink.ts';
import type { Part } from './part.ts';
import { ALL_SERVICES, RELEASE } from './support/installation.ts';
import { figuresOf, prepareTraffic, problemsOf, startTraffic } from './support/traffic.ts';

/** Every Deployment is restarted in turn under load: no call fails and no event is lost. */
export const restarts: Part = {
  name: 'restarts',
  async run(site) {
    const { namespace, machine, target } = await site.installation();
    const sink = await startEventSink({ host: machine });
    try {
      const prepared = await prepareTraffic(target, sink);
      const traffic = await startTraffic(target, prepared, sink);
      await traffic.untilWell();
      for (const service of ALL_SERVICES) {
        const deployment = `deployment/${RELEASE}-${service}`;
        await namespace.kubectl(['rollout', 'restart', deployment]);
        await namespace.rolledOut(deployment);
        await traffic.untilWell();
        site.say(`${deployment} was restarted`);
      }
      const verdict = await traffic.stop();
      return {
        figures: [`${String(ALL_SERVICES.length)} Deployments restarted: ${figuresOf(verdict)}`],
        problems: problemsOf(verdict),
      };
    } finally {
      sink.close();
    }
  },
};
