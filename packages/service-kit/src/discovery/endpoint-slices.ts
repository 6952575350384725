import { z } from 'zod';

const endpoint = z.object({
  addresses: z.array(z.string()),
  // An absent condition is unknown, which counts as true for readiness.
  conditions: z
    .object({
      ready: z.boolean().nullish(),
      serving: z.boolean().nullish(),
      terminating: z.boolean().nullish(),
    })
    .default({}),
});

/** A part of a service's replicas (`discovery.k8s.io/v1`). */
export const endpointSlice = z.object({
  metadata: z.object({ name: z.string() }),
  addressType: z.string(),
  endpoints: z
    .array(endpoint)
    .nullish()
    .transform((endpoints) => endpoints ?? []),
});

type EndpointSlice = z.infer<typeof endpointSlice>;

/**
 * The hosts of the ready replicas; if none is ready, of those that still serve while they terminate, like kube-proxy.
 * One address family only, because a replica with an address of each would count twice.
 */
export function hostsOf(slices: Iterable<EndpointSlice>): readonly string[] {
  const all = [...slices];
  for (const isUsed of [isReady, isServing]) {
    const hosts = (type: string): string[] =>
      all
        .filter(({ addressType }) => addressType === type)
        .flatMap(({ endpoints }) => endpoints.filter(isUsed))
        // All addresses of an endpoint are the same replica.
        .flatMap(({ addresses: [first] }) => first ?? []);
    const [v4, v6] = [hosts('IPv4'), hosts('IPv6').map((host) => `[${host}]`)];
    if (v4.length > 0) return v4;
    if (v6.length > 0) return v6;
  }
  return [];
}

type Endpoint = z.infer<typeof endpoint>;

function isReady({ conditions }: Endpoint): boolean {
  return conditions.ready !== false && conditions.terminating !== true;
}

function isServing({ conditions }: Endpoint): boolean {
  return conditions.serving === true;
}
