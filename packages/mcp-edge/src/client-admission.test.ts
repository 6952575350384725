import { ApiError } from '@fairlead/errors/api-error';
import { describe, expect, test } from 'vitest';
import {
  FOREIGN_KEY,
  ID_PATH,
  KEY,
  OTHER_ID,
  PUBLIC_URL,
  TOKEN,
  TOKEN_PATH,
  bearer,
  errorOf,
  startWayIn,
} from './testing/way-in.ts';

const METADATA = `${PUBLIC_URL}/.well-known/oauth-protected-resource/mcp`;
const UNKNOWN_PATH = '/mcp/mcp_unknown/mcp';

describe('at the address with the token', () => {
  test('a server that is unknown, not active or of another account is the same 404, with any credential and without', async () => {
    const { post, state, announce } = await startWayIn();
    const unknown = await post(UNKNOWN_PATH, { headers: KEY });
    expect(errorOf(unknown)).toEqual({
      status: 404,
      jsonrpc: '2.0',
      id: null,
      code: -32_000,
      message: 'No MCP server has this address.',
      data: { errorCode: 'NOT_FOUND' },
      challenge: null,
    });
    const same = errorOf(unknown);
    expect(errorOf(await post(UNKNOWN_PATH))).toEqual(same);
    expect(errorOf(await post('/mcp/a/b/c'))).toEqual(same);
    expect(errorOf(await post(TOKEN_PATH, { headers: FOREIGN_KEY }))).toEqual(same);
    state.isUserActive = false;
    expect(errorOf(await post(TOKEN_PATH, { headers: FOREIGN_KEY }))).toEqual(same);
    state.isUserActive = true;
    state.server.isActive = false;
    announce(true);
    for (const headers of [KEY, FOREIGN_KEY, {}])
      expect(errorOf(await post(TOKEN_PATH, { headers }))).toEqual(same);
  });

  test('a server that is gone by the time it is asked is that 404 too', async () => {
    const { post, state } = await startWayIn();
    state.handle = () => Promise.reject(new ApiError('NOT_FOUND', 'The MCP server does not exist.'));
    expect(errorOf(await post(TOKEN_PATH, { headers: KEY }))).toMatchObject({
      status: 404,
      message: 'No MCP server has this address.',
    });
  });

  test.each<[string, Record<string, string>, string]>([
    ['no credential', {}, ''],
    ['an empty key', { 'x-api-key': '' }, ''],
    ['a bad key', { 'x-api-key': 'fairlead_bad' }, ''],
    ['a forged token', bearer('forged.jwt'), ', error="invalid_token"'],
    ['a token of the REST API', bearer('rest.jwt'), ', error="invalid_token"'],
    ['a token for the address without the token', bearer('server.jwt'), ', error="invalid_token"'],
    ['another scheme', { authorization: 'Basic dXNlcjpwYXNz' }, ''],
  ])('%s is 401, which names the metadata and not the token', async (_name, headers, rest) => {
    const { post, handled, counted } = await startWayIn();
    const answer = await post(TOKEN_PATH, { headers });
    expect(errorOf(answer)).toMatchObject({
      status: 401,
      id: null,
      data: { errorCode: 'UNAUTHORIZED' },
      challenge: `Bearer realm="Fairlead", resource_metadata="${METADATA}"${rest}`,
    });
    expect(JSON.stringify([...answer.headers, answer.body])).not.toContain(TOKEN);
    expect([handled, counted]).toEqual([[], []]);
  });

  test('a key in either header and a token for all servers are accepted', async () => {
    const { post, handled } = await startWayIn();
    for (const headers of [KEY, bearer('own'), bearer('mcp.jwt')])
      expect((await post(TOKEN_PATH, { headers })).status).toBe(200);
    expect(handled.map(({ ctx }) => 'credential' in ctx.caller && ctx.caller.credential)).toEqual([
      { keyId: 'own' },
      { keyId: 'own' },
      { tokenId: 'mcp.jwt', clientId: 'client_1' },
    ]);
  });

  test('a client without a credential is let in where the server admits such, and a bad credential is not', async () => {
    const { post, handled, state, counted } = await startWayIn();
    state.server.isAnonymousAllowed = true;
    expect((await post(TOKEN_PATH)).status).toBe(200);
    expect(handled[0]?.ctx.caller).toEqual({
      kind: 'anonymousClient',
      accountId: 'acc_1',
      serverId: state.server.serverId,
    });
    expect(counted).toEqual(['acc_1']);
    expect((await post(TOKEN_PATH, { headers: bearer('forged.jwt') })).status).toBe(401);
    state.isAccountOpen = false;
    expect((await post(TOKEN_PATH)).status).toBe(404);
  });

  test('a credential that does not allow to execute tools is 403, which names the scope', async () => {
    const { post, handled, state } = await startWayIn();
    state.scopes = ['tools.read'];
    for (const headers of [KEY, bearer('mcp.jwt')])
      expect(errorOf(await post(TOKEN_PATH, { headers }))).toMatchObject({
        status: 403,
        data: { errorCode: 'FORBIDDEN' },
        challenge: `Bearer realm="Fairlead", resource_metadata="${METADATA}", error="insufficient_scope", scope="tools.execute"`,
      });
    expect(handled).toEqual([]);
  });

  test('a user who is not active any more is 403', async () => {
    const { post, state } = await startWayIn();
    state.isUserActive = false;
    expect(errorOf(await post(TOKEN_PATH, { headers: KEY }))).toMatchObject({
      status: 403,
      data: { errorCode: 'ACCOUNT_USER_INACTIVE' },
    });
  });
});

describe('at the address without the token', () => {
  const OTHER_PATH = `/mcp/s/${OTHER_ID}/mcp`;

  test('no credential is 401 whether or not the server exists, which names the metadata of that address', async () => {
    const { post, state } = await startWayIn();
    state.server.isAnonymousAllowed = true;
    for (const path of [ID_PATH, OTHER_PATH])
      expect(errorOf(await post(path))).toMatchObject({
        status: 401,
        challenge: `Bearer realm="Fairlead", resource_metadata="${PUBLIC_URL}/.well-known/oauth-protected-resource${path}"`,
      });
    expect(state.lookups).toBe(0);
  });

  test('a token for that address opens this server, and no other opens it', async () => {
    const { post, handled } = await startWayIn();
    expect((await post(ID_PATH, { headers: bearer('server.jwt') })).status).toBe(200);
    expect(handled).toHaveLength(1);
    for (const token of ['other.jwt', 'mcp.jwt', 'rest.jwt'])
      expect((await post(ID_PATH, { headers: bearer(token) })).status).toBe(401);
    expect((await post(OTHER_PATH, { headers: bearer('server.jwt') })).status).toBe(401);
  });

  test('a key of the account opens it; for others it is as if there were no server', async () => {
    const { post } = await startWayIn();
    expect((await post(ID_PATH, { headers: KEY })).status).toBe(200);
    const unknown = errorOf(await post(OTHER_PATH, { headers: KEY }));
    expect(unknown.status).toBe(404);
    expect(errorOf(await post(ID_PATH, { headers: FOREIGN_KEY }))).toEqual(unknown);
    expect(errorOf(await post(OTHER_PATH, { headers: bearer('other.jwt') }))).toEqual(unknown);
  });
});

describe('a server', () => {
  test('is looked up once, and again when its account’s servers change', async () => {
    const { post, state, announce } = await startWayIn();
    for (let at = 0; at < 3; at += 1) await post(TOKEN_PATH, { headers: KEY });
    expect(state.lookups).toBe(1);
    announce(false);
    await post(TOKEN_PATH, { headers: KEY });
    state.server.isActive = false;
    announce(true);
    expect((await post(TOKEN_PATH, { headers: KEY })).status).toBe(404);
    expect(state.lookups).toBe(3);
  });

  test('is looked up every two seconds while a change may be missed', async () => {
    const { post, state, clock } = await startWayIn();
    state.session = undefined;
    await post(TOKEN_PATH, { headers: KEY });
    state.server.isActive = false;
    clock.advance(1_999);
    expect((await post(TOKEN_PATH, { headers: KEY })).status).toBe(200);
    clock.advance(1);
    expect((await post(TOKEN_PATH, { headers: KEY })).status).toBe(404);
  });
});
