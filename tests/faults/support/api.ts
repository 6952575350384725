import { expect, inject, vi } from 'vitest';
import { z } from 'zod';

/** The gateway's answer; status 0 without a body if the connection broke. */
export interface ApiAnswer {
  readonly status: number;
  readonly body: unknown;
}

const created = z.object({ id: z.int() });

/** Never throws, because the answering process may be killed. */
async function call(method: string, path: string, apiKey: string, json?: unknown): Promise<ApiAnswer> {
  try {
    const answer = await fetch(new URL(path, inject('stack').baseUrl), {
      method,
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      ...(json !== undefined && { body: JSON.stringify(json) }),
    });
    return { status: answer.status, body: await answer.json() };
  } catch {
    return { status: 0, body: undefined };
  }
}

/** Posts JSON to this run's stack, by default as its seeded account. Never throws. */
export function post(
  path: string,
  json: unknown,
  apiKey: string = inject('stack').account.apiKey,
): Promise<ApiAnswer> {
  return call('POST', path, apiKey, json);
}

/** Changes a record of the seeded account. Never throws. */
export function patch(path: string, json: unknown): Promise<ApiAnswer> {
  return call('PATCH', path, inject('stack').account.apiKey, json);
}

/** Reads a record of the seeded account. Never throws. */
export function get(path: string): Promise<ApiAnswer> {
  return call('GET', path, inject('stack').account.apiKey);
}

const PATIENCE = { timeout: 120_000, interval: 200 };

/** Deletes a record of the seeded account, once a replica answers. */
export async function remove(path: string): Promise<void> {
  const { baseUrl, account } = inject('stack');
  const send = () =>
    fetch(new URL(path, baseUrl), { method: 'DELETE', headers: { 'x-api-key': account.apiKey } }).then(
      ({ status }) => status,
      () => 0,
    );
  await expect.poll(send, PATIENCE).toBeOneOf([204, 404]);
}

/** Reads a record of the seeded account, once a replica answers. */
export async function read(path: string): Promise<unknown> {
  const { baseUrl, account } = inject('stack');
  const headers = { 'x-api-key': account.apiKey };
  return await vi.waitFor(async () => {
    const answer = await fetch(new URL(path, baseUrl), { headers });
    expect(answer.status).toBe(200);
    return await answer.json();
  }, PATIENCE);
}

/** Reads the account's history, once a replica answers; this creates rows for calls whose process died. */
export async function readHistory(): Promise<void> {
  await read('/v1/executions?top=1');
}

/** Creates a connection of `http` to the API at that address; returns its id. */
export async function createHttpConnection(baseUrl: string): Promise<number> {
  const { body } = await post('/v1/connections', {
    applicationSlug: 'http',
    connectionName: 'Killed',
    authenticationId: 3,
    fields: { baseUrl, token: 'not-in-any-row' },
  });
  return created.parse(body).id;
}
