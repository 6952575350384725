import type { NodeConnectionOptions } from '@nats-io/transport-node';
import type { Secret } from '../secret.ts';

const DEFAULT_PORT = '4222';

/**
 * Parses NATS_URL into the client library's options: the servers of one cluster, and the credential of the first
 * address. Like the `nats` command, takes a user without a password as a token.
 */
export function natsAddress(
  url: Secret,
): Pick<NodeConnectionOptions, 'servers' | 'user' | 'pass' | 'token' | 'tls'> {
  const addresses = url
    .reveal()
    .split(',')
    .map((text) => new URL(text));
  const [first] = addresses;
  const user = decodeURIComponent(first?.username ?? '');
  const pass = decodeURIComponent(first?.password ?? '');
  return {
    servers: addresses.map(({ hostname, port }) => `${hostname}:${port || DEFAULT_PORT}`),
    ...(user !== '' && (pass === '' ? { token: user } : { user, pass })),
    ...(addresses.some(({ protocol }) => protocol === 'tls:') && { tls: {} }),
  };
}
