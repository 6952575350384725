import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Decides which addresses outbound calls may reach. */
export interface AddressPolicy {
  /** Whether `address`, which `host` resolved to (or is), may be connected to on `port`. */
  isAllowed(host: string, port: number, address: string): boolean;
  /** Why an address is refused, as the end of a sentence. */
  readonly refusal: string;
}

/**
 * The addresses that outbound calls may reach. A list: public addresses and its entries (createAddressPolicy). NetworkRules: for a program
 * that runs inside the network that it calls.
 */
export type EgressRules = readonly string[] | NetworkRules;

/** The rules of a program inside the network that it calls (createNetworkPolicy). */
export interface NetworkRules {
  /** Entries as for createAddressPolicy; nothing else is reachable. Null: everything is reachable except metadata addresses. */
  readonly onlyTo: readonly string[] | null;
}

// The only IPv6 addresses that are publicly routed.
const IPV6_PUBLIC = ipaddr.IPv6.parseCIDR('2000::/3');
// Azure's metadata and DNS host: the one metadata address that lies in a public range.
const AZURE_WIRE_SERVER = '168.63.129.16';
const LOCAL_NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b:1::/48');

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
  /** The entry is an address, not a network or host. */
  readonly isAddress: boolean;
  matches(host: string, address: string): boolean;
}

/**
 * The policy that allows public addresses and what the operator opens. An entry is an address
 * (`127.0.0.1`, `::1`), a CIDR (`10.1.0.0/16`), or a host (`crm.internal`, `*.internal`); an address or host may end in
 * `:<port>` (`[::1]:8080`). Throws an Error that names an entry which is none of these.
 */
export function createAddressPolicy(allow: readonly string[]): AddressPolicy {
  const openings = parseOpenings(allow);
  return {
    isAllowed: (host, port, address) => isPublicAddress(address) || isOpen(openings, host, port, address),
    refusal: 'it is not a public address',
  };
}

/**
 * The policy of a program that runs inside the network that it calls, such as the on-prem agent: it may reach only the entries of `onlyTo`,
 * or everything if that is null. A metadata address is refused unless an entry is exactly that address, because an allowed name could
 * resolve to it later. Throws like createAddressPolicy.
 */
export function createNetworkPolicy({ onlyTo }: NetworkRules): AddressPolicy {
  const openings = parseOpenings(onlyTo ?? []);
  const addresses = openings.filter(({ isAddress }) => isAddress);
  return {
    isAllowed: (host, port, address) =>
      isMetadataAddress(address)
        ? isOpen(addresses, host, port, address)
        : onlyTo === null || isOpen(openings, host, port, address),
    refusal: 'the configuration of this program does not allow it',
  };
}

function parseOpenings(entries: readonly string[]): Opening[] {
  return entries
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
    .map(parseOpening);
}

function isOpen(openings: readonly Opening[], host: string, port: number, address: string): boolean {
  return openings.some(
    (opening) =>
      (opening.port === undefined || opening.port === port) && opening.matches(normalizeHost(host), address),
  );
}

/** Where clouds serve a machine's credentials; the link-local network serves nothing else. */
const METADATA = [
  '169.254.0.0/16',
  '100.100.100.200/32',
  '192.0.0.192/32',
  `${AZURE_WIRE_SERVER}/32`,
  'fd00:ec2::/32',
  'fd20:ce::254/128',
].map((range) => ipaddr.parseCIDR(range));

function isMetadataAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = embedded(ipaddr.parse(address));
  return METADATA.some(([network, bits]) => parsed.kind() === network.kind() && parsed.match(network, bits));
}

/**
 * Unwraps an embedded IPv4 address as `unwrap` does, and also one in IPv6 notation (::/96), in 6to4 (2002::/16) and in local NAT64
 * (64:ff9b:1::/48).
 */
function embedded(address: Address): Address {
  const unwrapped = unwrap(address);
  if (unwrapped instanceof ipaddr.IPv4) return unwrapped;
  const bytes = unwrapped.toByteArray();
  if (unwrapped.range() === '6to4') return new ipaddr.IPv4(bytes.slice(2, 6));
  const isWrapped = bytes.slice(0, 12).every((byte) => byte === 0) || unwrapped.match(LOCAL_NAT64);
  return isWrapped ? new ipaddr.IPv4(bytes.slice(12)) : unwrapped;
}

const HOST_PATTERN = /^(\*\.)?[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/;

function parseOpening(entry: string): Opening {
  if (ipaddr.isValidCIDR(entry)) {
    const [network, bits] = ipaddr.parseCIDR(entry);
    return {
      port: undefined,
      isAddress: bits === bitsOf(network),
      matches: (_, address) => isWithin(address, network, bits),
    };
  }
  const { host, port } = splitPort(entry);
  if (isIP(host) !== 0) {
    const network = ipaddr.parse(host);
    return {
      port,
      isAddress: true,
      matches: (_, address) => isWithin(address, network, bitsOf(network)),
    };
  }
  if (!HOST_PATTERN.test(host)) {
    throw new Error(`The egress allow-list entry "${entry}" is not an address, a CIDR or a host.`);
  }
  const isAddress = false;
  if (host.startsWith('*.')) return { port, isAddress, matches: (name) => name.endsWith(host.slice(1)) };
  return { port, isAddress, matches: (name) => name === host };
}

function bitsOf(address: Address): number {
  return address instanceof ipaddr.IPv4 ? 32 : 128;
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
