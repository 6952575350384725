import { CallFailure } from './failure.ts';

type Fetch = typeof globalThis.fetch;

/**
 * A fetch whose response bodies fail with a CallFailure once they exceed `maxBytes`: for libraries and calls that read
 * a whole body.
 */
export function limitedFetch(fetch: Fetch, maxBytes: number): Fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    if (response.body === null) return response;
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(byteLimit(maxBytes)), { status, statusText, headers });
  };
}

function byteLimit(maxBytes: number): TransformStream<Uint8Array, Uint8Array> {
  let size = 0;
  return new TransformStream({
    transform: (chunk, controller) => {
      size += chunk.byteLength;
      if (size > maxBytes) {
        controller.error(
          new CallFailure(`The response is larger than ${Math.round(maxBytes / 1024 / 1024)} MiB.`),
        );
      } else {
        controller.enqueue(chunk);
      }
    },
  });
}
