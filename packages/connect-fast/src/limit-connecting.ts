import type net from 'node:net';

/** How long a peer may take to accept a connection. */
export const CONNECT_TIMEOUT_MS = 2_000;

/**
 * Destroys a socket that does not emit `event` in time, with the error of a failed connect: nobody answers at the address of a
 * pod that is gone.
 */
export function limitConnecting<S extends net.Socket>(
  socket: S,
  event: 'connect' | 'secureConnect' = 'connect',
): S {
  const giveUp = (): void => {
    const error = new Error('The connection was not established in time.');
    socket.destroy(Object.assign(error, { code: 'ETIMEDOUT', syscall: 'connect' }));
  };
  let lastLook: NodeJS.Immediate | undefined;
  // Node runs timers before it reads the events of sockets, so after a standstill of this process the peer may have accepted.
  const timer = setTimeout(() => (lastLook = setImmediate(giveUp)), CONNECT_TIMEOUT_MS);
  for (const end of [event, 'close']) {
    socket.once(end, () => {
      clearTimeout(timer);
      clearImmediate(lastLook);
    });
  }
  return socket;
}
