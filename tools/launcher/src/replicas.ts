/** The services that speak RPC, in the order in which one uses the other. */
export const RPC_SERVICES = ['catalog', 'connections', 'tools'] as const;

/** The name of a service that speaks RPC. */
export type RpcServiceName = (typeof RPC_SERVICES)[number];

/** How many processes of each service run. */
export type Replicas = Readonly<Record<RpcServiceName, number>>;

/** One of each. */
export const ONE_OF_EACH: Replicas = { catalog: 1, connections: 1, tools: 1 };

const MOST = 16;

/** Reads `tools=3` and `tools=3,catalog=2`; undefined where that is not what the text says. */
export function parseReplicas(text: string): Replicas | undefined {
  const replicas = { ...ONE_OF_EACH };
  for (const part of text.split(',')) {
    const [, name, digits] = /^([a-z]+)=(\d{1,2})$/.exec(part) ?? [];
    const service = RPC_SERVICES.find((known) => known === name);
    const count = Number(digits);
    if (service === undefined || count < 1 || count > MOST) return undefined;
    replicas[service] = count;
  }
  return replicas;
}

/** The numbers of a service's replicas: 1 to their count. */
export function replicaNumbers(replicas: Replicas, service: RpcServiceName): readonly number[] {
  return Array.from({ length: replicas[service] }, (_, index) => index + 1);
}

/** The name of a replica: the first has the service's own. */
export function replicaName(service: string, replica: number): string {
  return replica === 1 ? service : `${service}-${String(replica)}`;
}
