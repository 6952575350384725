import { SERVICE_NAMES, forEachService } from '@fairlead/service-list/services';
import type { ServiceName } from '@fairlead/service-list/services';

/** Services that can have several processes. */
export type ReplicatedName = ServiceName | 'gateway';

const NAMES: readonly ReplicatedName[] = [...SERVICE_NAMES, 'gateway'];

/** Number of processes of each service. */
export type Replicas = Readonly<Record<ReplicatedName, number>>;

/** One process of the gateway and of each service. */
export const ONE_OF_EACH: Replicas = { ...forEachService(() => 1), gateway: 1 };

const MOST = 16;

/** Parses `tools=3` or `tools=3,gateway=2`; undefined if the text has another form. */
export function parseReplicas(text: string): Replicas | undefined {
  const replicas: Record<ReplicatedName, number> = { ...ONE_OF_EACH };
  for (const part of text.split(',')) {
    const [, name, digits] = /^([a-z]+)=(\d{1,2})$/.exec(part) ?? [];
    const service = NAMES.find((known) => known === name);
    const count = Number(digits);
    if (service === undefined || count < 1 || count > MOST) return undefined;
    replicas[service] = count;
  }
  return replicas;
}

/** The numbers of the replicas: 1 to their count. */
export function replicaNumbers(replicas: Replicas, service: ReplicatedName): readonly number[] {
  return Array.from({ length: replicas[service] }, (_, index) => index + 1);
}

/** Name of a replica: the first one has the service's name. */
export function replicaName(service: string, replica: number): string {
  return replica === 1 ? service : `${service}-${String(replica)}`;
}
