import { expect, it } from 'vitest';
import type { HttpRequestTemplate } from './model.ts';
import { identityInAny, toolIdentities } from './tool-identity.ts';
import type { IdentifiedTool } from './tool-identity.ts';

type Execution = IdentifiedTool['definition']['execution'];

const mcp = (toolName: string): Execution => ({ type: 'mcp', toolName });
const http = (method: HttpRequestTemplate['method'], url: string): Execution => ({
  type: 'http',
  request: { method, url, query: {}, headers: {}, body: null },
  response: { type: 'empty' },
});

const identities = (execution: Execution, o: Partial<IdentifiedTool> = {}, toolSlug = 'delete-item') =>
  toolIdentities({
    applicationSlug: 'mcp-7',
    isPlatform: false,
    definition: { toolSlug, aliases: ['former'], execution },
    ...o,
  });

it('is application and the server’s own name for a tool of an MCP server, whatever its slug; in any application, too', () => {
  expect(identities(mcp('DeleteItem'))).toEqual(['mcp mcp-7 DeleteItem', 'mcp * DeleteItem']);
  expect(identities(mcp('x y'), { applicationSlug: 'mcp-8' }, 'other')).toEqual([
    'mcp mcp-8 x y',
    'mcp * x y',
  ]);
});

it('is shared by the tools of one name of several servers only', () => {
  expect(['mcp mcp-7 x y', 'mcp * x y'].map(identityInAny)).toEqual(['mcp * x y', 'mcp * x y']);
  for (const other of ['slug mcp a b', 'http mcp-7 GET /', 'workflow mcp'])
    expect(identityInAny(other)).toBe(other);
});

it('is the request for another tool of an account’s own application', () => {
  expect(identities(http('DELETE', '/items/{{input.id}}'))).toEqual([
    'http mcp-7 DELETE /items/{{input.id}}',
  ]);
});

it('is each slug that a tool of the platform has or has had, its own first', () => {
  for (const execution of [
    http('GET', '/'),
    { type: 'handler', handler: 'run' },
    { type: 'passthrough' },
  ] as const)
    expect(identities(execution, { isPlatform: true })).toEqual(['slug delete-item', 'slug former']);
});
