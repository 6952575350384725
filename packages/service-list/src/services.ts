interface ServiceEntry {
  /** Name of the folder below `services/`, in logs, and of the audience in caller contexts; lower-case letters. */
  readonly name: string;
  /** The services that it calls. They come before it in the list, so the graph has no cycle. */
  readonly calls: readonly string[];
}

/** Every service behind the gateway. Each serves RPCs and AccountDataService. */
export const SERVICES = [
  { name: 'identity', calls: [] },
  { name: 'catalog', calls: [] },
  { name: 'connections', calls: ['identity', 'catalog'] },
  { name: 'agents', calls: ['catalog', 'connections'] },
  { name: 'tools', calls: ['catalog', 'connections', 'agents'] },
  { name: 'delivery', calls: [] },
  { name: 'triggers', calls: ['catalog', 'connections', 'tools', 'delivery'] },
  { name: 'mcp', calls: ['catalog', 'connections', 'tools'] },
] as const satisfies readonly ServiceEntry[];

/** The name of a service behind the gateway. */
export type ServiceName = (typeof SERVICES)[number]['name'];

/** The names of all services behind the gateway; a service comes after those that it calls. */
export const SERVICE_NAMES: readonly ServiceName[] = SERVICES.map(({ name }) => name);

/** The environment variable with the addresses of a service, for its callers. */
export type AddressVariable<N extends ServiceName = ServiceName> = `${Uppercase<N>}_URL`;

/** The environment variable with the addresses of `name`: `CATALOG_URL`. */
export function addressVariable<N extends ServiceName>(name: N): AddressVariable<N> {
  // Uppercase is the type of toUpperCase's result.
  return `${name.toUpperCase() as Uppercase<N>}_URL`;
}

/** A record with a value for each service. */
export function forEachService<T>(value: (name: ServiceName) => T): Readonly<Record<ServiceName, T>> {
  // The entries above have all names.
  return Object.fromEntries(SERVICE_NAMES.map((name) => [name, value(name)])) as Record<ServiceName, T>;
}
