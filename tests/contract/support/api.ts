import { setTimeout as delay } from 'node:timers/promises';
import { expect, inject } from 'vitest';
import { withOwnAccounts } from './own-accounts.ts';
import { exchange } from './recorder.ts';

/**
 * The stack used by this run. Its two accounts belong to this test file alone, because files run in parallel, and default connections and
 * settings apply to a whole account.
 */
export const stack = await withOwnAccounts(inject('stack'));

/** A response of the API: status, headers, and the body as text and, if it is JSON, parsed. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // Contract tests read responses of any shape; the test asserts the shape.
  readonly body: any;
}

/** The options of a call besides method and path. */
export interface CallOptions {
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent unchanged, instead of `body`. */
  readonly raw?: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
  /** The API key; null sends none. Default: the key of this file's account. */
  readonly apiKey?: string | null;
  /** Aborts the call, like a client that disconnects. */
  readonly signal?: AbortSignal;
  /** Also returns refusals by the account's budgets (10 calls per second). Default: the call is repeated as Retry-After says. */
  readonly isImpatient?: boolean;
}

const SETTINGS = '/admin/v1/account';

/** Calls the API and returns the response, whatever its status. Does not follow redirects. */
export async function call(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
  for (;;) {
    const answer = await callOnce(method, path, options);
    if (answer.status !== 429 || path !== SETTINGS || options.isImpatient === true) return answer;
    await delay(1_000 * Number(answer.headers.get('retry-after')));
  }
}

async function callOnce(method: string, path: string, options: CallOptions): Promise<Answer> {
  const headers = new Headers(options.headers);
  const apiKey = options.apiKey === undefined ? stack.account.apiKey : options.apiKey;
  if (apiKey !== null) headers.set('x-api-key', apiKey);
  let body: string | Uint8Array | undefined = options.raw;
  if (options.body !== undefined) {
    body = JSON.stringify(options.body);
    headers.set('content-type', 'application/json');
  }
  const { text, ...answer } = await exchange(new URL(path, stack.baseUrl), {
    method,
    headers,
    ...(body === undefined ? {} : { body }),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  const isJson = answer.headers.get('content-type')?.includes('json') === true;
  return { ...answer, text, body: isJson ? JSON.parse(text) : undefined };
}

export const get = (path: string, options?: CallOptions): Promise<Answer> => call('GET', path, options);
export const post = (path: string, body?: unknown, options?: CallOptions): Promise<Answer> =>
  call('POST', path, { ...options, ...(body === undefined ? {} : { body }) });
export const put = (path: string, body?: unknown, options?: CallOptions): Promise<Answer> =>
  call('PUT', path, { ...options, ...(body === undefined ? {} : { body }) });
export const patch = (path: string, body?: unknown, options?: CallOptions): Promise<Answer> =>
  call('PATCH', path, { ...options, ...(body === undefined ? {} : { body }) });
export const del = (path: string, options?: CallOptions): Promise<Answer> => call('DELETE', path, options);

/** Calls as this file's other account, for tenancy tests. */
export const asOther = { apiKey: stack.otherAccount.apiKey } as const;

/**
 * Checks that a response is the error envelope with this status and code: exactly the contract's members, requestId equal to the header, an
 * ISO timestamp. If `fields` is given, `details` must name exactly these.
 */
export function expectError(
  answer: Answer,
  status: number,
  errorCode: string,
  fields?: readonly string[],
): void {
  expect({ status: answer.status, errorCode: answer.body?.errorCode, text: answer.text }).toMatchObject({
    status,
    errorCode,
  });
  const { details, candidates, ...envelope } = answer.body;
  expect(Object.keys(envelope).toSorted()).toEqual(['errorCode', 'message', 'requestId', 'timestamp']);
  expect(envelope.message).not.toBe('');
  expect(envelope.requestId).toBe(answer.headers.get('x-request-id'));
  expect(new Date(envelope.timestamp).toISOString()).toBe(envelope.timestamp);
  if (candidates !== undefined) expect(candidates.every((it: unknown) => typeof it === 'string')).toBe(true);
  if (fields !== undefined) {
    expect(details.map((it: { field: string }) => it.field).toSorted()).toEqual([...fields].toSorted());
    for (const it of details) expect(it.issue).toEqual(expect.stringMatching(/./));
  }
}

/** Checks the list envelope: the four members, and at most the requested number of items. */
export function expectList(answer: Answer): {
  items: any[];
  totalCount: number;
  offset: number;
  top: number;
} {
  expect(answer.status, answer.text).toBe(200);
  expect(Object.keys(answer.body).toSorted()).toEqual(['items', 'offset', 'top', 'totalCount']);
  expect(answer.body.items.length).toBeLessThanOrEqual(answer.body.top);
  return answer.body;
}
