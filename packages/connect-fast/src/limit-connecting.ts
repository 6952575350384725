import type net from 'node:net';

/** Time limit for a peer to accept a connection. */
export const CONNECT_TIMEOUT_MS = 2_000;

/**
 * Destroys a socket that does not emit `event` in time, with the error of a failed connection: nothing answers at the
 * address of a pod that is gone.
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
  // Node runs timers before it reads socket events, so after a suspension of this process the peer may already have
  // accepted.
  const timer = setTimeout(() => (lastLook = setImmediate(giveUp)), CONNECT_TIMEOUT_MS);
  for (const end of [event, 'close']) {
    socket.once(end, () => {
      clearTimeout(timer);
      clearImmediate(lastLook);
    });
  }
  return socket;
}
