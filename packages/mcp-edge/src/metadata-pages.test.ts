import { callHttp } from '@fairlead/service-kit/testing/http';
import { describe, expect, test } from 'vitest';
import { ID_PATH, OTHER_ID, PUBLIC_URL, TOKEN, TOKEN_PATH, startWayIn } from './testing/way-in.ts';

describe('the metadata of an address', () => {
  test.each([
    [TOKEN_PATH, `${PUBLIC_URL}/mcp`],
    [`/mcp/${TOKEN}/sse`, `${PUBLIC_URL}/mcp`],
    ['/mcp/mcp_unknown/mcp', `${PUBLIC_URL}/mcp`],
    [ID_PATH, PUBLIC_URL + ID_PATH],
    [`/mcp/s/${OTHER_ID}/mcp`, `${PUBLIC_URL}/mcp/s/${OTHER_ID}/mcp`],
  ])('%s', async (path, resource) => {
    const { service } = await startWayIn();
    const answer = await callHttp(service, 'GET', `/.well-known/oauth-protected-resource${path}`, {
      headers: { origin: 'https://anywhere.example' },
    });
    const { text: _text, ...metadata } = answer.body;
    expect(metadata).toEqual({
      resource,
      resource_name: 'Fairlead MCP servers',
      authorization_servers: [`${PUBLIC_URL}/oauth`],
      scopes_supported: ['tools.execute'],
      bearer_methods_supported: ['header'],
    });
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
  });

  test.each([
    '/mcp/s/1/mcp',
    `/mcp/s/${OTHER_ID.toUpperCase()}/mcp`,
    `/mcp/s/${OTHER_ID}/sse`,
    '/mcp/a%2Fb/mcp',
  ])('is not there for %s', async (path) => {
    const { service } = await startWayIn();
    const address = `/.well-known/oauth-protected-resource${path}`;
    expect((await callHttp(service, 'GET', address)).status).toBe(404);
  });
});
