import type { Logger } from '../telemetry/logger.ts';
import type { KubernetesService } from './address-setting.ts';
import type { ApiServer } from './api-server.ts';
import { endpointSlice, hostsOf } from './endpoint-slices.ts';
import { createReportedList } from './reported-addresses.ts';
import type { OpenAddresses, RecordCount } from './reported-addresses.ts';
import { watchObjects } from './watch-objects.ts';

/**
 * The addresses of a Service's ready replicas, from a list of its EndpointSlices and a subsequent watch. While the
 * API server is unavailable, the last known addresses stay.
 */
export function openKubernetesAddresses(
  { service, namespace, port }: KubernetesService,
  o: {
    readonly service: string;
    readonly log: Logger;
    readonly api: ApiServer;
    readonly record?: RecordCount;
  },
): OpenAddresses {
  const query = `labelSelector=${encodeURIComponent(`kubernetes.io/service-name=${service}`)}`;
  const list = createReportedList(o);
  const watch = watchObjects({
    api: o.api,
    path: `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices?${query}`,
    schema: endpointSlice,
    onChange: (slices) => list.replace(hostsOf(slices.values()).map((host) => `http://${host}:${port}`)),
    log: o.log,
    about: { peer: o.service },
    subject: 'the addresses of a service',
  });
  return {
    current: list.current,
    subscribe: list.subscribe,
    renew: () => watch.renew(),
    close: () => watch.close(),
  };
}
