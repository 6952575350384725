import { startEventSink } from '../../faults/support/event-sink.ts';
import type { Result, Site } from '../part.ts';
import type { Installation } from './installation.ts';
import { prepareTraffic, startTraffic } from './traffic.ts';
import type { Traffic } from './traffic.ts';

/** Runs a part under load: `act` begins once each kind of call has succeeded, and stops the load. */
export async function underTraffic(
  site: Site,
  act: (traffic: Traffic, installation: Installation) => Promise<Result>,
): Promise<Result> {
  const installation = await site.installation();
  const { machine, target } = installation;
  const sink = await startEventSink({ host: machine });
  try {
    const traffic = await startTraffic(target, await prepareTraffic(target, sink), sink);
    await traffic.untilWell();
    return await act(traffic, installation);
  } finally {
    sink.close();
  }
}
