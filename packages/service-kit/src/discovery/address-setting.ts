import { isIP } from 'node:net';
import { z } from 'zod';

/** A DNS name whose address records are the replicas of a service. */
export interface DnsName {
  readonly kind: 'dns';
  readonly name: string;
  readonly port: number;
  /** Address of the name server; undefined: those of the machine. */
  readonly nameServer: string | undefined;
}

export interface KubernetesService {
  readonly kind: 'kubernetes';
  readonly service: string;
  readonly namespace: string;
  /** The port on which the pods listen. */
  readonly port: number;
}

/** A service's fixed base URLs, or the place to look them up. */
export type AddressSetting = readonly string[] | DnsName | KubernetesService;

const MESSAGE =
  'expected http://… or https://…, several separated by commas, or dns:///name:port, or kubernetes:///service.namespace:port';
const baseAddress = z.url({ protocol: /^https?$/ });
const DNS = /^dns:\/\/(?<server>[^/]*)\/(?<name>[A-Za-z0-9_.-]{1,254}):(?<port>\d{1,5})$/;
const KUBERNETES =
  /^kubernetes:\/\/\/(?<service>[a-z0-9-]{1,63})\.(?<namespace>[a-z0-9-]{1,63}):(?<port>\d{1,5})$/;
const MAX_PORT = 65_535;

/**
 * A variable with the addresses of a service: base URLs, one per replica, separated by commas; `dns:///name:port`, a full
 * name whose addresses are looked up again and again (`dns://server:port/name:port` asks that name server); or
 * `kubernetes:///service.namespace:port`, whose EndpointSlices are watched.
 */
export const addressesVariable = z.string().transform((text, check): AddressSetting => {
  const addresses = text.split(',').map((address) => address.trim());
  if (addresses.every((address) => baseAddress.safeParse(address).success)) return addresses;
  const setting = parseDns(text.trim()) ?? parseKubernetes(text.trim());
  if (setting !== undefined) return setting;
  check.issues.push({ code: 'custom', message: MESSAGE, input: text });
  return z.NEVER;
});

function parseDns(text: string): DnsName | undefined {
  const { server = '', name = '', port = '' } = DNS.exec(text)?.groups ?? {};
  if (!isPort(port)) return undefined;
  if (server !== '' && !isNameServer(server)) return undefined;
  // A name without a final dot is a full name, too: search domains are not used.
  return {
    kind: 'dns',
    name: name.replace(/\.$/, ''),
    port: Number(port),
    nameServer: server === '' ? undefined : server,
  };
}

function parseKubernetes(text: string): KubernetesService | undefined {
  const { service = '', namespace = '', port = '' } = KUBERNETES.exec(text)?.groups ?? {};
  return isPort(port) ? { kind: 'kubernetes', service, namespace, port: Number(port) } : undefined;
}

function isPort(text: string): boolean {
  return Number(text) >= 1 && Number(text) <= MAX_PORT;
}

function isNameServer(text: string): boolean {
  if (isIP(text) !== 0) return true;
  const { hostname } = URL.canParse(`http://${text}`) ? new URL(`http://${text}`) : { hostname: '' };
  return isIP(hostname.replace(/^\[(.*)\]$/, '$1')) !== 0;
}
