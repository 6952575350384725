import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AMPLE_BUDGETS } from '../setup/raise-budgets.ts';
import { createAccount, createApiKey, expectStatus, removeAccount } from './support/accounts.ts';
import { call, get, patch, post, stack } from './support/api.ts';
import type { Answer, CallOptions } from './support/api.ts';
import { createCrmConnection } from './support/connections.ts';
import { registerClient, tokensOf, withToken } from './support/oauth.ts';
import type { TestClient } from './support/oauth.ts';
import type { TestAccount } from './support/own-accounts.ts';
import { row } from './support/row.ts';
import { HOUR_MS, withinOne } from './support/windows.ts';

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };
const LIST = { jsonrpc: '2.0', id: 2, method: 'tools/list' };
const METADATA = `${stack.baseUrl}/.well-known/oauth-protected-resource/mcp`;
const NOBODY = { apiKey: null } as const;

interface Server {
  readonly mcpServerToken: string;
  readonly url: string;
  readonly oauthUrl: string;
}

let account: TestAccount;
let other: TestAccount;
let server: Server;
let client: TestClient;
beforeAll(async () => {
  [account, other] = await Promise.all([createAccount(), createAccount()]);
  server = await create(account);
  client = await registerClient();
});
afterAll(async () => {
  await removeAccount(account);
  await removeAccount(other);
});

async function create(owner: TestAccount, members: Record<string, unknown> = {}): Promise<Server> {
  return expectStatus(await post('/admin/v1/mcpservers', { name: 'Server', ...members }, owner), 201).body;
}

/** Both addresses of a server that contain its token. */
const urlsOf = ({ url }: Server): readonly string[] => [url, url.replace(/sse$/, 'mcp')];

const send = (url: string, message: unknown, options: CallOptions): Promise<Answer> =>
  call('POST', url, { ...options, body: message });

/** Checks for a JSON-RPC error with this HTTP status and code. */
function expectRefusal(answer: Answer, status: number, errorCode: string, id: unknown = null): void {
  expect(answer.status, answer.text).toBe(status);
  expect(answer.body).toMatchObject({
    jsonrpc: '2.0',
    id,
    error: {
      code: expect.any(Number),
      message: expect.any(String),
      data: { errorCode, requestId: answer.headers.get('x-request-id') },
    },
  });
}

/** The metadata address in a 401's header. */
async function metadataNamedBy(answer: Answer): Promise<any> {
  expectRefusal(answer, 401, 'UNAUTHORIZED');
  const [, address = ''] =
    /resource_metadata="([^"]+)"/.exec(answer.headers.get('www-authenticate') ?? '') ?? [];
  return expectStatus(await get(address, NOBODY), 200).body;
}

describe('An MCP server that is not anonymous', () => {
  row(
    ['completion.auth-and-people.2', 'completion.mcp-servers.22', 'completion.mcp-servers.23'],
    'takes a key of its account in either header, and is 401 without one',
    async () => {
      const bearerKey = { apiKey: null, headers: { authorization: `Bearer ${account.apiKey}` } };
      for (const url of [...urlsOf(server), server.oauthUrl]) {
        for (const options of [account, bearerKey])
          expect(expectStatus(await send(url, PING, options), 200).body).toEqual({
            jsonrpc: '2.0',
            id: 1,
            result: {},
          });
        for (const options of [NOBODY, { apiKey: `${account.apiKey}x` }, withToken('no.such.token')])
          expectRefusal(await send(url, PING, options), 401, 'UNAUTHORIZED');
      }
      expect((await get('/v1/auth/whoami', bearerKey)).status).toBe(401);
    },
  );

  row(
    ['authentication.10', 'completion.mcp-servers.20', 'completion.mcp-servers.24'],
    'is found by a client through its metadata: a token for all servers opens every server of the account',
    async () => {
      const metadata = await metadataNamedBy(await send(server.url, PING, NOBODY));
      expect(metadata).toMatchObject({
        resource: stack.mcpUrl,
        authorization_servers: [`${stack.baseUrl}/oauth`],
        scopes_supported: ['tools.execute'],
      });
      const inserted = urlsOf(server).map((url) => `${METADATA}${url.slice(stack.mcpUrl.length)}`);
      for (const address of inserted) expect((await get(address, NOBODY)).body).toEqual(metadata);
      const { access_token } = await tokenFor(stack.mcpUrl);
      const second = await create(account);
      for (const url of [...urlsOf(server), ...urlsOf(second)])
        expectStatus(await send(url, PING, withToken(access_token)), 200);
      expectRefusal(await send(server.oauthUrl, PING, withToken(access_token)), 401, 'UNAUTHORIZED');
      expect((await get('/v1/auth/whoami', withToken(access_token))).status).toBe(401);
      const { access_token: ofApi } = await tokenFor(stack.baseUrl);
      expectRefusal(await send(server.url, PING, withToken(ofApi)), 401, 'UNAUTHORIZED');
    },
  );

  it('has an address without its token, whose tokens open this server and no other', async () => {
    const metadata = await metadataNamedBy(await send(server.oauthUrl, PING, NOBODY));
    expect(metadata.resource).toBe(server.oauthUrl);
    const { access_token } = await tokenFor(server.oauthUrl);
    expectStatus(await send(server.oauthUrl, PING, withToken(access_token)), 200);
    const second = await create(account);
    for (const url of [second.oauthUrl, server.url, second.url])
      expectRefusal(await send(url, PING, withToken(access_token)), 401, 'UNAUTHORIZED');
  });

  it('needs tools.execute, and names that scope to a token without it', async () => {
    const { access_token } = await tokenFor(stack.mcpUrl, 'connections.read');
    const { apiKey } = await createApiKey(account, { scopes: ['connections.read'] });
    for (const options of [withToken(access_token), { apiKey }]) {
      const answer = await send(server.url, PING, options);
      expectRefusal(answer, 403, 'FORBIDDEN');
      expect(answer.headers.get('www-authenticate')).toMatch(
        /error="insufficient_scope", scope="tools.execute"$/,
      );
    }
  });

  const tokenFor = (resource: string, scope = 'tools.execute') =>
    tokensOf({ email: account.ownerEmail, password: account.ownerPassword }, client, { resource, scope });
});

describe('An MCP server', () => {
  row(
    'completion.mcp-servers.21',
    'that is unknown, inactive or another account’s is the same 404, whatever the credential',
    async () => {
      const unknownUrl = `${stack.mcpUrl}/mcp_${randomUUID().replaceAll('-', '')}/sse`;
      const unknown = await send(unknownUrl, PING, account);
      expectRefusal(unknown, 404, 'NOT_FOUND');
      const inactive = await create(account);
      await setActive(inactive, false);
      await expect.poll(async () => (await send(inactive.url, PING, account)).status).toBe(404);
      const refused = [
        await send(unknownUrl, PING, NOBODY),
        await send(server.url, PING, other),
        await send(server.oauthUrl, PING, other),
        await send(inactive.url, PING, account),
        await send(inactive.url, PING, NOBODY),
        await send(inactive.url, PING, other),
        await send(inactive.oauthUrl, PING, account),
        await send(`${stack.mcpUrl}/s/${randomUUID()}/mcp`, PING, account),
      ];
      for (const answer of refused) expect(withoutRequest(answer)).toEqual(withoutRequest(unknown));
      await setActive(inactive, true);
      await expect.poll(async () => (await send(inactive.url, PING, account)).status).toBe(200);
    },
  );

  it('without its token is 401 for a client without a credential, whether or not it exists', async () => {
    const open = await create(account, { isAnonymousAllowed: true });
    const addresses = [open.oauthUrl, server.oauthUrl, `${stack.mcpUrl}/s/${randomUUID()}/mcp`];
    for (const address of addresses) {
      const metadata = await metadataNamedBy(await send(address, PING, NOBODY));
      expect(metadata.resource).toBe(address);
    }
  });

  it('that is anonymous lets clients without a credential in, and no bad credential', async () => {
    const open = await create(account, { isAnonymousAllowed: true });
    for (const url of urlsOf(open)) {
      expectStatus(await send(url, PING, NOBODY), 200);
      expectStatus(await send(url, PING, account), 200);
      expectRefusal(await send(url, PING, withToken('no.such.token')), 401, 'UNAUTHORIZED');
      expectRefusal(await send(url, PING, other), 404, 'NOT_FOUND');
    }
  });

  it('is not reached by the token that it had before a rotation', async () => {
    const made = await create(account);
    expectStatus(await send(made.url, PING, account), 200);
    const rotated = await post(`/admin/v1/mcpservers/${made.mcpServerToken}/rotate`, undefined, account);
    const { url } = expectStatus(rotated, 200).body;
    await expect.poll(async () => (await send(made.url, PING, account)).status).toBe(404);
    await expect.poll(async () => (await send(url, PING, account)).status).toBe(200);
    expectStatus(await send(made.oauthUrl, PING, account), 200);
  });

  it('refuses scripts of other sites, and lets those of its own address read', async () => {
    const from = (origin: string) => ({ ...account, headers: { origin } });
    expectRefusal(await send(server.url, PING, from('https://evil.example')), 403, 'FORBIDDEN');
    expect((await call('OPTIONS', server.url, from('https://evil.example'))).status).toBe(403);
    const { origin } = new URL(stack.baseUrl);
    const answer = expectStatus(await send(server.url, PING, from(origin)), 200);
    expect(answer.headers.get('access-control-allow-origin')).toBe(origin);
    expect(answer.headers.get('access-control-expose-headers')).toContain('Mcp-Session-Id, WWW-Authenticate');
  });

  it('refuses a body that is no message, and unknown methods, with JSON-RPC errors', async () => {
    const raw = (text: string, headers: Record<string, string> = {}) =>
      call('POST', server.url, {
        ...account,
        raw: text,
        headers: { 'content-type': 'application/json', ...headers },
      });
    const answers: [Answer, number, string][] = [
      [await raw('{'), 400, 'MALFORMED_BODY'],
      [await raw('[]'), 400, 'VALIDATION_ERROR'],
      [await raw(JSON.stringify(PING), { 'content-type': 'text/plain' }), 415, 'UNSUPPORTED_MEDIA_TYPE'],
      [await raw(JSON.stringify(PING), { accept: 'text/html' }), 406, 'VALIDATION_ERROR'],
      [await raw(`"${'x'.repeat(5 * 1024 * 1024)}"`), 413, 'PAYLOAD_TOO_LARGE'],
      [await call('PUT', server.url, account), 405, 'METHOD_NOT_ALLOWED'],
    ];
    for (const [answer, status, code] of answers) expectRefusal(answer, status, code);
  });

  it('confines a key with a toolset to it, and refuses the key if it has another toolset', async () => {
    const { id: connectionId } = await createCrmConnection('CRM', account.apiKey);
    const toolset = async (name: string, toolSlug: string): Promise<string> => {
      const tools = [{ toolSlug, applicationSlug: 'sandbox-crm' }];
      const made = await post('/v1/toolsets', { name, connections: [{ connectionId }], tools }, account);
      return expectStatus(made, 201).body.id;
    };
    const own = await toolset('Own', 'sandbox-crm-list-contacts');
    const connections = [{ connectionId, applicationSlug: 'sandbox-crm', tools: null }];
    const whole = await create(account, { connections });
    const same = await create(account, { connections, toolsetId: own });
    const another = await create(account, {
      connections,
      toolsetId: await toolset('Another', 'sandbox-crm-list-deals'),
    });
    const { apiKey } = await createApiKey(account, { toolsetId: own });
    for (const { url } of [whole, same])
      expect(expectStatus(await send(url, LIST, { apiKey }), 200).body.result.tools).toHaveLength(1);
    expect((await send(whole.url, LIST, account)).body.result.tools.length).toBeGreaterThan(1);
    expectRefusal(await send(another.url, LIST, { apiKey }), 403, 'FORBIDDEN', LIST.id);
  });

  const setActive = async ({ mcpServerToken }: Server, isActive: boolean): Promise<void> => {
    expectStatus(await patch(`/v1/mcpservers/${mcpServerToken}`, { isActive }, account), 200);
  };
});

describe('Requests of MCP clients', () => {
  row(
    'completion.everywhere.58',
    'count against the server’s account, each of a batch, but pings and notifications do not',
    async () => {
      await withinOne(HOUR_MS, async () => {
        const own = await createAccount({ budgets: { ...AMPLE_BUDGETS, hourly: 6 } });
        const open = await create(own, { isAnonymousAllowed: true });
        const { apiKey } = await createApiKey(own);
        const leftAfter = async (message: unknown, options: CallOptions): Promise<number> =>
          hourlyLeft(await send(open.url, message, options));
        expect(await leftAfter(PING, NOBODY)).toBe(4);
        expect(await leftAfter({ jsonrpc: '2.0', method: 'notifications/initialized' }, NOBODY)).toBe(4);
        expect(await leftAfter(LIST, { apiKey })).toBe(3);
        expect(await leftAfter([LIST, { ...LIST, id: 3 }, PING], NOBODY)).toBe(1);
        expect(await leftAfter(LIST, NOBODY)).toBe(0);
        const refused = await send(open.url, { ...LIST, id: 'last' }, NOBODY);
        expectRefusal(refused, 429, 'RATE_LIMIT_EXCEEDED', 'last');
        expect(refused.headers.get('retry-after')).toBe('3600');
        expect((await get('/v1/auth/whoami', own)).status).toBe(429);
        expectStatus(await send(open.url, PING, NOBODY), 200);
        await removeAccount(own);
      });
    },
  );
});

/** The remaining calls of the hour, from a response's header. */
function hourlyLeft({ headers, text }: Answer): number {
  const [, left] = /"hourly";r=(\d+)/.exec(headers.get('ratelimit') ?? '') ?? [];
  if (left === undefined) throw new Error(`The answer does not say how the budgets stand: ${text}`);
  return Number(left);
}

/** An error without the members that differ per request. */
function withoutRequest({ status, body, headers }: Answer): unknown {
  const { requestId: _id, ...data } = body.error.data;
  return {
    status,
    body: { ...body, error: { ...body.error, data } },
    challenge: headers.get('www-authenticate'),
    type: headers.get('content-type'),
  };
}
