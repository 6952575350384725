import { createAddressList } from '@fairlead/connect-fast/live-addresses';
import type { LiveAddresses } from '@fairlead/connect-fast/live-addresses';
import type { AddressSetting, DnsName, KubernetesService } from '../discovery/address-setting.ts';
import { openLiveAddresses } from '../discovery/open-addresses.ts';
import type { OpenAddresses } from '../discovery/reported-addresses.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Canaries } from './canaries.ts';

/** The setting of a canary that follows from the one of its service; undefined for fixed addresses, which have no canary. */
export function canarySetting(setting: AddressSetting): DnsName | KubernetesService | undefined {
  if (!('kind' in setting)) return undefined;
  if (setting.kind === 'kubernetes') return { ...setting, service: `${setting.service}-canary` };
  return { ...setting, name: setting.name.replace(/^[^.]+/, '$&-canary') };
}

/** The addresses of the canary of `service`, looked up while there are rules for it; none otherwise. */
export function openCanaryAddresses(
  setting: DnsName | KubernetesService,
  o: {
    readonly service: string;
    readonly canaries: Pick<Canaries, 'current' | 'subscribe' | 'recordEndpoints'>;
    readonly log: Logger;
    readonly everyMs?: number;
  },
): LiveAddresses & { close(): Promise<void> } {
  const { service, canaries, log, everyMs } = o;
  const list = createAddressList();
  let source: OpenAddresses | undefined;
  const closing = new Set<Promise<void>>();

  function open(): OpenAddresses {
    const opened = openLiveAddresses(setting, {
      service,
      log,
      ...(everyMs !== undefined && { everyMs }),
      // Without canary replicas, calls go to stable ones at once.
      mayBeEmpty: true,
      record: canaries.recordEndpoints,
    });
    opened.subscribe(() => {
      if (opened === source) list.replace(opened.current());
    });
    return opened;
  }

  function shut(): void {
    if (source === undefined) return;
    const closed = source.close();
    closing.add(closed);
    void closed.finally(() => closing.delete(closed));
    source = undefined;
    canaries.recordEndpoints(service, 0);
    list.replace([]);
  }

  function follow(): void {
    if (!canaries.current().has(service)) shut();
    else source ??= open();
  }

  const unsubscribe = canaries.subscribe(follow);
  follow();
  return {
    current: list.current,
    subscribe: list.subscribe,
    renew: () => source?.renew() ?? Promise.resolve(),
    async close() {
      unsubscribe();
      shut();
      await Promise.all(closing);
    },
  };
}
