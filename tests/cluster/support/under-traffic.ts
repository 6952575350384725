import { startEventSink } from '../../faults/support/event-sink.ts';
import type { Result, Site } from '../part.ts';
import type { Account } from './canaries.ts';
import type { Installation } from './installation.ts';
import { CALLERS, prepareTraffic, startTraffic } from './traffic.ts';
import type { Traffic } from './traffic.ts';

/**
 * Runs a part under load by these accounts, by default the installation's: `act` begins once each kind of call has succeeded, and stops the
 * load.
 */
export async function underTraffic(
  site: Site,
  act: (traffic: Traffic, installation: Installation) => Promise<Result>,
  accounts?: readonly Account[],
): Promise<Result> {
  const installation = await site.installation();
  const { machine, target } = installation;
  const sink = await startEventSink({ host: machine });
  const started: Traffic[] = [];
  try {
    const used = accounts ?? [target.account];
    for (const account of used) {
      const own = { ...target, account };
      const callers = Math.ceil(CALLERS / used.length);
      started.push(await startTraffic(own, await prepareTraffic(own, sink), sink, callers));
    }
    const traffic = joined(started);
    await traffic.untilWell();
    return await act(traffic, installation);
  } finally {
    // After a failure the clients would otherwise continue until the process is killed.
    await Promise.allSettled(started.map((traffic) => traffic.halt()));
    sink.close();
  }
}

/** Combines several loads. */
function joined(loads: readonly Traffic[]): Traffic {
  return {
    async untilWell(limitMs) {
      await Promise.all(loads.map((load) => load.untilWell(limitMs)));
    },
    async stop() {
      const verdicts = await Promise.all(loads.map((load) => load.stop()));
      return {
        outcomes: verdicts.flatMap(({ outcomes }) => outcomes),
        mcpOutcomes: verdicts.flatMap(({ mcpOutcomes }) => mcpOutcomes),
        acknowledged: verdicts.flatMap(({ acknowledged }) => acknowledged),
        lost: verdicts.flatMap(({ lost }) => lost),
        stillMs: Math.max(...verdicts.map(({ stillMs }) => stillMs)),
      };
    },
    async halt() {
      await Promise.all(loads.map((load) => load.halt()));
    },
  };
}
