import { appendFileSync } from 'node:fs';
import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** File in which a run records its exchanges with the API, for the final search for secrets. */
    exchanges: string;
  }
}

/** A request and its response, byte for byte. */
export interface ExchangeRecord {
  readonly method: string;
  readonly url: string;
  readonly requestHeaders: readonly (readonly [string, string])[];
  readonly requestBody: string;
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
}

/** The response with its body. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Longer bodies are padding in tests of size limits. */
const LONGEST_BODY = 1_000_000;

/** Sends a request without following redirects, reads the whole response, and records both if the run records exchanges. */
export async function exchange(
  url: URL,
  init: {
    readonly method: string;
    readonly headers: Headers;
    readonly body?: string | Uint8Array;
    readonly signal?: AbortSignal;
  },
): Promise<Reply> {
  const response = await fetch(url, { ...init, redirect: 'manual' });
  const text = await response.text();
  const file = inject('exchanges');
  if (file !== undefined) {
    const sent = typeof init.body === 'string' ? init.body : Buffer.from(init.body ?? '').toString('latin1');
    const record: ExchangeRecord = {
      method: init.method,
      url: url.href,
      requestHeaders: [...init.headers],
      requestBody: sent.length > LONGEST_BODY ? '' : sent,
      status: response.status,
      headers: [...response.headers],
      body: text,
    };
    // Appended atomically, because several processes of a run write.
    appendFileSync(file, `${JSON.stringify(record)}\n`);
  }
  return { status: response.status, headers: response.headers, text };
}
