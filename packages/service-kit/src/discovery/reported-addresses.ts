import { createAddressList } from '@fairlead/connect-fast/live-addresses';
import type { LiveAddresses } from '@fairlead/connect-fast/live-addresses';
import type { Logger } from '../telemetry/logger.ts';
import { recordEndpoints } from '../telemetry/service-metrics.ts';

/** Addresses that are looked up until closed. */
export interface OpenAddresses extends LiveAddresses {
  close(): Promise<void>;
}

/** Records the number of a service's known addresses. */
export type RecordCount = (service: string, count: number) => void;

/** An empty list for the addresses of `service`. Changes are logged, and the number of addresses is a metric. */
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
