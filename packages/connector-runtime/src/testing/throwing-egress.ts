import type { Egress } from '@fairlead/egress/egress';

/**
 * An egress that throws an unexpected error at the `step`-th step. Steps are: each call, the arrival of its result,
 * each piece of a body, and each event of a socket (the error is then thrown in the listener).
 */
export function throwingEgress(egress: Egress, step: number): Egress {
  let steps = 0;
  const pass = (): void => {
    steps += 1;
    if (steps === step) throw new TypeError(`thrown at step ${step}`);
  };
  async function passing<T>(call: () => Promise<T>): Promise<T> {
    pass();
    const result = await call();
    pass();
    return result;
  }
  return {
    request: (request) => passing(() => egress.request(request)),
    createFetch: (destination) => {
      const fetch = egress.createFetch(destination);
      return async (input, init) => {
        const response = await passing(() => fetch(input, init));
        if (response.body === null) return response;
        const { status, statusText, headers } = response;
        const body = response.body.pipeThrough(
          new TransformStream<Uint8Array, Uint8Array>({
            transform: (chunk, controller) => {
              pass();
              controller.enqueue(chunk);
            },
          }),
        );
        return new Response(body, { status, statusText, headers });
      };
    },
    openSocket: async (host, port, signal) => {
      const socket = await passing(() => egress.openSocket(host, port, signal));
      for (const event of ['data', 'end']) socket.prependListener(event, pass);
      return socket;
    },
    close: () => egress.close(),
  };
}
