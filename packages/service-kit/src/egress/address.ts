import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Decides which addresses outbound calls may reach. */
export interface AddressPolicy {
  /** Whether `address`, which `host` resolved to (or is), may be connected to on `port`. */
  isAllowed(host: string, port: number, address: string): boolean;
}

// The only IPv6 addresses that are routed publicly.
const IPV6_PUBLIC = ipaddr.IPv6.parseCIDR('2000::/3');
// Azure's metadata and DNS host: the one metadata address that lies in a public range.
const AZURE_WIRE_SERVER = '168.63.129.16';

/** Whether `address` is an ordinary public address: not loopback, private, link-local, metadata, reserved or a tunnel. */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = unwrap(ipaddr.parse(address));
  if (parsed.range() !== 'unicast') return false;
  if (parsed instanceof ipaddr.IPv6) return parsed.match(IPV6_PUBLIC);
  return parsed.toString() !== AZURE_WIRE_SERVER;
}

// An embedded IPv4 address is judged as IPv4: mapped (::ffff:0:0/96), and NAT64 (64:ff9b::/96), which
// networks without IPv4 return for public hosts.
function unwrap(address: Address): Address {
  if (address instanceof ipaddr.IPv4) return address;
  if (address.isIPv4MappedAddress()) return address.toIPv4Address();
  if (address.range() === 'rfc6052') return new ipaddr.IPv4(address.toByteArray().slice(12));
  return address;
}

interface Opening {
  readonly port: number | undefined;
  matches(host: string, address: string): boolean;
}

/**
 * The policy that allows public addresses and what the operator opens. An entry is an address
 * (`127.0.0.1`, `::1`), a CIDR (`10.1.0.0/16`), or a host (`crm.internal`, `*.internal`); an address or host may end in
 * `:<port>` (`[::1]:8080`). Throws an Error that names an entry which is none of these.
 */
export function createAddressPolicy(allow: readonly string[]): AddressPolicy {
  const openings = allow
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
    .map(parseOpening);
  return {
    isAllowed: (host, port, address) =>
      isPublicAddress(address) ||
      openings.some(
        (opening) =>
          (opening.port === undefined || opening.port === port) &&
          opening.matches(normalizeHost(host), address),
      ),
  };
}

const HOST_PATTERN = /^(\*\.)?[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/;

function parseOpening(entry: string): Opening {
  if (ipaddr.isValidCIDR(entry)) {
    const [network, bits] = ipaddr.parseCIDR(entry);
    return { port: undefined, matches: (_, address) => isWithin(address, network, bits) };
  }
  const { host, port } = splitPort(entry);
  if (isIP(host) !== 0) {
    const network = ipaddr.parse(host);
    const bits = network instanceof ipaddr.IPv4 ? 32 : 128;
    return { port, matches: (_, address) => isWithin(address, network, bits) };
  }
  if (!HOST_PATTERN.test(host)) {
    throw new Error(`The egress allow-list entry "${entry}" is not an address, a CIDR or a host.`);
  }
  if (host.startsWith('*.')) return { port, matches: (name) => name.endsWith(host.slice(1)) };
  return { port, matches: (name) => name === host };
}

function splitPort(entry: string): { host: string; port: number | undefined } {
  if (isIP(entry) !== 0) return { host: entry, port: undefined };
  const [, bracketed, plain, digits] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(entry) ?? [];
  return {
    host: normalizeHost(bracketed ?? plain ?? ''),
    port: digits === undefined ? undefined : Number(digits),
  };
}

function isWithin(address: string, network: Address, bits: number): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  return parsed.kind() === network.kind() && parsed.match(network, bits);
}

/** A host normalized for comparison: lower case, without brackets and trailing dot. */
export function normalizeHost(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');
}
