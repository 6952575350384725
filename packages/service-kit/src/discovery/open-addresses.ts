import type { Addresses } from '@fairlead/connect-fast/live-addresses';
import type { ServiceParts } from '../lifecycle/start-service.ts';
import { recordEndpoints } from '../telemetry/service-metrics.ts';
import type { AddressSetting, DnsName, KubernetesService } from './address-setting.ts';
import { podApiServer } from './api-server.ts';
import { openDnsAddresses } from './dns-addresses.ts';
import { openKubernetesAddresses } from './kubernetes-addresses.ts';
import type { OpenAddresses } from './reported-addresses.ts';

/**
 * The addresses for a setting. The look-up begins here with an empty list, because a service starts before those that
 * it calls. `peer` names the service in the log and in the metric.
 */
export function openAddresses(
  { log, closers }: Pick<ServiceParts, 'log' | 'closers'>,
  peer: string,
  setting: AddressSetting,
): Addresses {
  if ('kind' in setting)
    return closers.add(`addresses of ${peer}`, openLiveAddresses(setting, { service: peer, log }));
  recordEndpoints(peer, setting.length);
  return setting;
}

/** The addresses of a setting with look-ups, which continue until they are closed. */
export function openLiveAddresses(
  setting: DnsName | KubernetesService,
  o: Parameters<typeof openDnsAddresses>[1],
): OpenAddresses {
  return setting.kind === 'dns'
    ? openDnsAddresses(setting, o)
    : // oxlint-disable-next-line node/no-process-env -- the kubelet sets these variables; they are no settings
      openKubernetesAddresses(setting, { ...o, api: podApiServer(process.env) });
}
