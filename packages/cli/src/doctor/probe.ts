import type { World } from '../world.ts';

const TIMEOUT_MS = 10_000;

/** The response to a plain GET, or why there was none. */
export type Probe =
  | {
      readonly isAnswered: true;
      readonly status: number;
      readonly headers: Headers;
      readonly body: unknown;
      readonly elapsedMs: number;
    }
  | { readonly isAnswered: false; readonly reason: string };

/** Sends one GET with a limit of 10 s, following no redirect; `body` is the JSON, or undefined if there is none. */
export async function probe(
  url: string,
  world: World,
  headers: Readonly<Record<string, string>> = {},
): Promise<Probe> {
  const started = performance.now();
  try {
    const response = await fetch(url, {
      headers,
      redirect: 'manual',
      signal: AbortSignal.any([world.signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    const text = await response.text();
    return {
      isAnswered: true,
      status: response.status,
      headers: response.headers,
      body: parsed(text),
      elapsedMs: Math.round(performance.now() - started),
    };
  } catch (error) {
    world.signal.throwIfAborted();
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return { isAnswered: false, reason: cause instanceof Error ? cause.message : String(cause) };
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
