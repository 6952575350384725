import { createAddressList } from '@fairlead/connect-fast/live-addresses';
import type { LiveAddresses } from '@fairlead/connect-fast/live-addresses';
import type { Logger } from '../telemetry/logger.ts';
import { recordEndpoints } from '../telemetry/service-metrics.ts';

/** Addresses that are looked up until they are closed. */
export interface OpenAddresses extends LiveAddresses {
  close(): Promise<void>;
}

/** Records how many addresses of a service are known. */
export type RecordCount = (service: string, count: number) => void;

/** An empty list of the addresses of `service`. Each change is logged, and their number is a metric. */
export function createReportedList({
  service,
  log,
  record = recordEndpoints,
}: {
  readonly service: string;
  readonly log: Logger;
  readonly record?: RecordCount;
}): ReturnType<typeof createAddressList> {
  const list = createAddressList();
  record(service, 0);
  list.subscribe((change) => {
    const known = list.current().length;
    record(service, known);
    log.info({ peer: service, ...change, known }, 'the addresses of a service have changed');
  });
  return list;
}
