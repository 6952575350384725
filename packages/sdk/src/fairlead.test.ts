import { afterEach, describe, expect, it } from 'vitest';
import { Fairlead, FairleadConnectionError, FairleadError, FairleadTimeoutError } from './fairlead.ts';
import type { FairleadOptions } from './fairlead.ts';
import { refusal, startApiServer } from './testing/api-server.ts';
import type { ApiServer } from './testing/api-server.ts';

let server: ApiServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

type Answer = Parameters<typeof startApiServer>[0];

async function clientOf(answer: Answer, options: Partial<FairleadOptions> = {}): Promise<Fairlead> {
  server = await startApiServer(answer);
  // A partial union: a test gives one credential at most.
  return new Fairlead({ baseUrl: server.url, apiKey: 'fairlead_key', ...options } as FairleadOptions);
}

const page = (ids: number[], totalCount: number, offset: number): object => ({
  items: ids.map((id) => ({ id })),
  totalCount,
  offset,
  top: 2,
});

describe('a request', () => {
  it('carries the API key, the query and the body where they belong, and nothing else', async () => {
    const client = await clientOf(() => ({ status: 200, body: { isSuccess: true } }));
    const result = await client.tools.execute('a b/c', {
      connectionId: 3,
      dryRun: true,
      fields: { name: 'Ada' },
      top: 5,
    });
    expect(result).toEqual({ isSuccess: true });
    expect(server?.received).toHaveLength(1);
    expect(server?.received[0]).toMatchObject({
      method: 'POST',
      path: '/v1/tools/a%20b%2Fc/execute?connectionId=3&dryRun=true',
      headers: {
        'x-api-key': 'fairlead_key',
        'content-type': 'application/json',
        accept: 'application/json',
      },
      body: '{"fields":{"name":"Ada"},"top":5}',
    });
    expect(server?.received[0]?.headers).not.toHaveProperty('authorization');
  });

  it('a member that is undefined is left out, null is sent', async () => {
    const client = await clientOf(() => ({ status: 201, body: {} }));
    const params = { applicationSlug: 'a', connectionName: 'b', description: null, metadata: undefined };
    await client.connections.create(params as never);
    expect(JSON.parse(server?.received[0]?.body ?? '')).toEqual({
      applicationSlug: 'a',
      connectionName: 'b',
      description: null,
    });
  });

  it('a response without content is undefined, the JSON null is null', async () => {
    const client = await clientOf(({ method }) =>
      method === 'DELETE' ? { status: 204 } : { status: 200, body: null },
    );
    await expect(client.connections.delete(3)).resolves.toBeUndefined();
    await expect(client.connections.pollSignIn('s')).resolves.toBeNull();
    // An optional body without members is not sent.
    expect(server?.received.map(({ body }) => body)).toEqual(['', '']);
  });

  it.each(['', '.', '..'])('the id %j is refused: it would name another path', async (slug) => {
    const client = await clientOf(() => ({ status: 200, body: {} }));
    expect(() => client.applications.get(slug)).toThrow(TypeError);
    expect(server?.received).toEqual([]);
  });

  it('keeps the path of the base address, with or without a trailing slash', async () => {
    server = await startApiServer(() => ({ status: 200, body: {} }));
    await new Fairlead({ baseUrl: `${server.url}/api/`, apiKey: 'k' }).auth.whoami();
    expect(server.received[0]?.path).toBe('/api/v1/auth/whoami');
  });

  it.each([
    [{ baseUrl: 'fairlead.example.com', apiKey: 'k' }, 'baseUrl'],
    [{ baseUrl: 'ftp://example.com', apiKey: 'k' }, 'baseUrl'],
    [{ baseUrl: 'http://example.com' }, 'exactly one of'],
    [{ baseUrl: 'http://example.com', apiKey: 'k', accessToken: 't' }, 'exactly one of'],
  ])('%j makes no client', (options, message) => {
    expect(() => new Fairlead(options as FairleadOptions)).toThrow(message);
  });
});

describe('access tokens', () => {
  it('a token function is called for each request, and once more after a 401', async () => {
    const asked: (string | undefined)[] = [];
    const accessToken = (rejected?: string): Promise<string> => {
      asked.push(rejected);
      return Promise.resolve(rejected === undefined ? 'old' : 'new');
    };
    const client = await clientOf(
      ({ headers }) =>
        headers.authorization === 'Bearer new' ? { status: 200, body: {} } : refusal(401, 'UNAUTHORIZED'),
      { apiKey: undefined, accessToken } as never,
    );
    await client.auth.whoami();
    expect(asked).toEqual([undefined, 'old']);
  });

  it('a source that has no other token ends the request: no loop', async () => {
    const client = await clientOf(() => refusal(401, 'UNAUTHORIZED'), {
      apiKey: undefined,
      accessToken: () => 'same',
    } as never);
    await expect(client.auth.whoami()).rejects.toMatchObject({ status: 401, errorCode: 'UNAUTHORIZED' });
    expect(server?.received).toHaveLength(1);
  });
});

describe('errors', () => {
  it('[versioning.2] carry everything in the envelope, whether the code is known or not', async () => {
    const details = [{ field: 'fields.name', issue: 'is required' }];
    const more = { details, candidates: ['a', 'b'] };
    const client = await clientOf(() => refusal(400, 'A_CODE_OF_TOMORROW', { 'retry-after': '7' }, more));
    const error = await client.auth.whoami().catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(FairleadError);
    expect(error).toMatchObject({
      name: 'FairleadError',
      status: 400,
      errorCode: 'A_CODE_OF_TOMORROW',
      message: 'Refused: A_CODE_OF_TOMORROW.',
      requestId: 'req-1',
      details,
      candidates: ['a', 'b'],
      retryAfterSeconds: 7,
    });
  });

  it('without an envelope they have the status and the id of the header', async () => {
    const client = await clientOf(() => (response) => {
      response.writeHead(404, { 'x-request-id': 'req-9' });
      response.end('<html>');
    });
    await expect(client.auth.whoami()).rejects.toMatchObject({
      status: 404,
      errorCode: undefined,
      requestId: 'req-9',
      message: 'The API answered 404 Not Found.',
      details: [],
    });
  });

  it('a date in Retry-After counts from now', async () => {
    const date = new Date(Date.now() + 3_600_000).toUTCString();
    const client = await clientOf(() => refusal(429, 'RATE_LIMIT_EXCEEDED', { 'retry-after': date }));
    const error = await client.auth.whoami().catch((caught: unknown) => caught as FairleadError);
    expect((error as FairleadError).retryAfterSeconds).toBeGreaterThan(3590);
    expect((error as FairleadError).retryAfterSeconds).toBeLessThanOrEqual(3600);
  });

  it('a redirect is not followed, so the key goes nowhere else', async () => {
    const elsewhere = await startApiServer(() => ({ status: 200, body: {} }));
    const client = await clientOf(() => ({ status: 308, headers: { location: elsewhere.url } }));
    await expect(client.auth.whoami()).rejects.toThrow(`redirect to ${elsewhere.url}`);
    expect(elsewhere.received).toEqual([]);
    await elsewhere.close();
  });

  it('a response without the expected JSON is not from the API', async () => {
    const client = await clientOf(() => (response) => response.end('<html>hello</html>'));
    await expect(client.auth.whoami()).rejects.toThrow(FairleadConnectionError);
  });

  it('a refused connection names the address', async () => {
    const client = await clientOf(() => ({ status: 200 }), { maxRetries: 0 });
    const url = server?.url ?? '';
    await server?.close();
    server = undefined;
    const error = await client.auth.whoami().catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(FairleadConnectionError);
    expect(error).toMatchObject({ message: expect.stringContaining(url) as string });
  });

  it('silence ends with the timeout', async () => {
    const client = await clientOf(() => () => undefined, { timeoutMs: 50, maxRetries: 0 });
    await expect(client.auth.whoami()).rejects.toThrow(FairleadTimeoutError);
  });

  it('so does a body that stops halfway', async () => {
    const client = await clientOf(() => (response) => void response.write('{"acc'), {
      timeoutMs: 50,
      maxRetries: 0,
    });
    await expect(client.auth.whoami()).rejects.toThrow(FairleadTimeoutError);
  });
});

describe('repeats', () => {
  it('a POST is sent again with the same Idempotency-Key', async () => {
    const client = await clientOf((_, index) =>
      index === 0
        ? refusal(503, 'UNAVAILABLE', { 'retry-after': '0' })
        : { status: 200, body: { isSuccess: true } },
    );
    await expect(client.tools.execute('t', {})).resolves.toEqual({ isSuccess: true });
    const keys = server?.received.map(({ headers }) => headers['idempotency-key']);
    expect(keys?.[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(keys?.[1]).toBe(keys?.[0]);
    await client.tools.execute('t', {});
    expect(server?.received[2]?.headers['idempotency-key']).not.toBe(keys?.[0]);
  });

  it('a broken connection too, and the caller may name the key', async () => {
    const client = await clientOf((_, index) =>
      index === 0 ? (response) => response.destroy() : { status: 200, body: { isSuccess: true } },
    );
    await client.tools.execute('t', {}, { idempotencyKey: 'order-7' });
    expect(server?.received.map(({ headers }) => headers['idempotency-key'])).toEqual(['order-7', 'order-7']);
  });

  it('a POST without a key is sent once', async () => {
    const client = await clientOf(() => refusal(503, 'UNAVAILABLE', { 'retry-after': '0' }));
    await expect(client.tools.execute('t', {}, { idempotencyKey: null })).rejects.toMatchObject({
      status: 503,
    });
    expect(server?.received).toHaveLength(1);
    expect(server?.received[0]?.headers).not.toHaveProperty('idempotency-key');
  });

  it('PUT and DELETE are sent once', async () => {
    const client = await clientOf(() => refusal(503, 'UNAVAILABLE', { 'retry-after': '0' }));
    await expect(client.connections.setDefault(1)).rejects.toMatchObject({ status: 503 });
    await expect(client.connections.delete(1)).rejects.toMatchObject({ status: 503 });
    expect(server?.received.map(({ method }) => method)).toEqual(['PUT', 'DELETE']);
  });

  it('429 is sent again after the second that Retry-After names', async () => {
    const client = await clientOf((_, index) =>
      index === 0 ? refusal(429, 'RATE_LIMIT_EXCEEDED', { 'retry-after': '1' }) : { status: 200, body: {} },
    );
    await client.auth.whoami();
    expect(server?.received).toHaveLength(2);
  });

  it('does not wait for an hour unless configured', async () => {
    const client = await clientOf(() => refusal(429, 'RATE_LIMIT_EXCEEDED', { 'retry-after': '3600' }));
    await expect(client.auth.whoami()).rejects.toMatchObject({ retryAfterSeconds: 3600 });
    expect(server?.received).toHaveLength(1);
    const patient = new Fairlead({ baseUrl: server?.url ?? '', apiKey: 'k', maxRetryAfterSeconds: 3600 });
    const reason = new Error('enough');
    const controller = new AbortController();
    const waiting = patient.auth.whoami({ signal: controller.signal });
    await expect.poll(() => server?.received.length).toBe(2);
    controller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    expect(server?.received).toHaveLength(2);
  });

  it('end after maxRetries, of the client or of the request', async () => {
    const client = await clientOf(() => refusal(429, 'RATE_LIMIT_EXCEEDED', { 'retry-after': '0' }));
    await expect(client.auth.whoami()).rejects.toMatchObject({ status: 429 });
    expect(server?.received).toHaveLength(3);
    await expect(client.auth.whoami({ maxRetries: 0 })).rejects.toMatchObject({ status: 429 });
    expect(server?.received).toHaveLength(4);
  });
});

describe('an abort', () => {
  it('ends the request under way with its reason, and sends nothing more', async () => {
    const controller = new AbortController();
    const reason = new Error('enough');
    const client = await clientOf(() => {
      controller.abort(reason);
      return () => undefined;
    });
    await expect(client.auth.whoami({ signal: controller.signal })).rejects.toBe(reason);
    expect(server?.received).toHaveLength(1);
  });

  it('that came before sends nothing at all', async () => {
    const client = await clientOf(() => ({ status: 200, body: {} }));
    const reason = new Error('enough');
    await expect(client.auth.whoami({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(server?.received).toEqual([]);
  });
});

describe('iterate', () => {
  async function collect<T>(records: AsyncIterable<T>): Promise<T[]> {
    const all: T[] = [];
    for await (const record of records) all.push(record);
    return all;
  }

  it('requests page after page with the caller’s parameters, until offset + items reaches the total', async () => {
    const pages = [page([1, 2], 5, 0), page([3, 4], 5, 2), page([5], 5, 4)];
    const client = await clientOf((_, index) => ({ status: 200, body: pages[index] }));
    const ids = (await collect(client.connections.iterate({ kind: 'Key', top: 2 }))).map(({ id }) => id);
    expect(ids).toEqual([1, 2, 3, 4, 5]);
    expect(server?.received.map(({ path }) => path)).toEqual([
      '/v1/connections?kind=Key&top=2&offset=0',
      '/v1/connections?kind=Key&top=2&offset=2',
      '/v1/connections?kind=Key&top=2&offset=4',
    ]);
  });

  it('continues after the received items, because a server may return fewer than requested', async () => {
    const pages = [page([1], 2, 0), page([2], 2, 1)];
    const client = await clientOf((_, index) => ({ status: 200, body: pages[index] }));
    expect(await collect(client.connections.iterate({ top: 100 }))).toHaveLength(2);
  });

  it('ends at an empty page, whatever the total says', async () => {
    const client = await clientOf((_, index) => ({
      status: 200,
      body: page(index === 0 ? [1] : [], 9, index),
    }));
    expect(await collect(client.connections.iterate())).toHaveLength(1);
    expect(server?.received).toHaveLength(2);
  });

  it('begins at offset, and requests no page that is not needed', async () => {
    const client = await clientOf(() => ({ status: 200, body: page([7, 8], 100, 6) }));
    for await (const connection of client.connections.iterate({ offset: 6 })) {
      expect(connection.id).toBe(7);
      break;
    }
    expect(server?.received.map(({ path }) => path)).toEqual(['/v1/connections?offset=6']);
  });

  it('a refused page rejects', async () => {
    const client = await clientOf((_, index) =>
      index === 0 ? { status: 200, body: page([1], 2, 0) } : refusal(403, 'FORBIDDEN'),
    );
    await expect(collect(client.connections.iterate())).rejects.toMatchObject({ errorCode: 'FORBIDDEN' });
  });
});
