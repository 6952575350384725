import type { Part } from './part.ts';
import { ALL_SERVICES, RELEASE } from './support/installation.ts';
import { figuresOf, problemsOf } from './support/traffic.ts';
import { underTraffic } from './support/under-traffic.ts';

/** Restarts every Deployment in turn under load: no call may fail, no event may be lost. */
export const restarts: Part = {
  name: 'restarts',
  run: (site) =>
    underTraffic(site, async (traffic, { namespace }) => {
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
    }),
};
