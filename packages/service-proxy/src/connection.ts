import { Agent } from 'node:http';
import { connect as connectTcp, isIP } from 'node:net';
import type { Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

/**
 * Connects to the host and port of an http or https address. Rejects if that fails or takes longer than `timeoutMs`;
 * aborting `signal` closes the connection at any time.
 */
export function openConnection(
  address: URL,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<Socket> {
  const isEncrypted = address.protocol === 'https:';
  // Without the brackets of an IPv6 address.
  const host = address.hostname.replace(/^\[(.*)\]$/, '$1');
  const port = Number(address.port) || (isEncrypted ? 443 : 80);
  const socket = isEncrypted
    ? connectTls({ host, port, ALPNProtocols: ['http/1.1'], ...(isIP(host) === 0 && { servername: host }) })
    : connectTcp({ host, port });
  socket.setNoDelay(true);
  const close = (): void => void socket.destroy(new Error('The request has ended.'));
  signal.addEventListener('abort', close);
  const timer = setTimeout(
    () => socket.destroy(new Error(`There was no connection within ${timeoutMs} ms.`)),
    timeoutMs,
  );
  return new Promise((resolve, reject) => {
    socket.once(isEncrypted ? 'secureConnect' : 'connect', () => {
      clearTimeout(timer);
      resolve(socket);
    });
    // Remains, because a connection may break before a request has listeners on it.
    socket.on('error', reject);
    socket.once('close', () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', close);
    });
    if (signal.aborted) close();
  });
}

/** Sends one request over a connection that is already open, and closes it after the response. */
export class ConnectionAgent extends Agent {
  readonly #connection: Socket;

  constructor(connection: Socket) {
    super({ keepAlive: true });
    this.#connection = connection;
  }

  override createConnection(): Socket {
    return this.#connection;
  }

  // A maxFreeSockets of 0 would mean the default.
  override keepSocketAlive(): boolean {
    return false;
  }
}
