import { SERVICE_NAMES, forEachService } from '@fairlead/service-list/services';
import type { ServiceName } from '@fairlead/service-list/services';

/** How many processes of each service run. */
export type Replicas = Readonly<Record<ServiceName, number>>;

/** One of each. */
export const ONE_OF_EACH: Replicas = forEachService(() => 1);

const MOST = 16;

/** Reads `tools=3` and `tools=3,catalog=2`; undefined where that is not what the text says. */
export function parseReplicas(text: string): Replicas | undefined {
  const replicas: Record<ServiceName, number> = { ...ONE_OF_EACH };
  for (const part of text.split(',')) {
    const [, name, digits] = /^([a-z]+)=(\d{1,2})$/.exec(part) ?? [];
    const service = SERVICE_NAMES.find((known) => known === name);
    const count = Number(digits);
    if (service === undefined || count < 1 || count > MOST) return undefined;
    replicas[service] = count;
  }
  return replicas;
}

/** The numbers of a service's replicas: 1 to their count. */
export function replicaNumbers(replicas: Replicas, service: ServiceName): readonly number[] {
  return Array.from({ length: replicas[service] }, (_, index) => index + 1);
}

/** The name of a replica: the first has the service's own. */
export function replicaName(service: string, replica: number): string {
  return replica === 1 ? service : `${service}-${String(replica)}`;
}
