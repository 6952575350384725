import { afterEach, expect, it } from 'vitest';
import { Fairlead } from '../fairlead.ts';
import { startApiServer } from '../testing/api-server.ts';
import type { ApiServer } from '../testing/api-server.ts';
import { loadTools } from './load-tools.ts';
import type { ToolSelection } from './load-tools.ts';

let server: ApiServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

const definition = (toolSlug: string, applicationSlug = 'crm', name = toolSlug) => ({
  toolSlug,
  applicationSlug,
  definition: { name, description: `Does ${toolSlug}.`, inputSchema: { type: 'object' } },
});

/** An API that lists these tools, `top` of them on a page. */
async function clientFor(tools: readonly object[], top = 100): Promise<Fairlead> {
  server = await startApiServer(({ path }) => {
    const offset = Number(new URL(path, 'http://api').searchParams.get('offset'));
    const items = tools.slice(offset, offset + top);
    return { status: 200, body: { items, totalCount: tools.length, offset, top } };
  });
  return new Fairlead({ baseUrl: server.url, apiKey: 'key' });
}

const names = async (client: Fairlead, selection: ToolSelection): Promise<string[]> =>
  (await loadTools(client, selection, undefined)).map(({ name }) => name);

it('every page of the tools is loaded, in the dialect that is asked for', async () => {
  const client = await clientFor([definition('a'), definition('b'), definition('c')], 2);
  const tools = await loadTools(client, { applicationSlug: 'crm', search: 'x' }, 'openai-strict');
  expect(tools.map(({ call: _call, ...shown }) => shown)).toEqual(
    ['a', 'b', 'c'].map((name) => ({
      name,
      description: `Does ${name}.`,
      inputSchema: { type: 'object' },
    })),
  );
  const query = 'applicationSlug=crm&search=x&format=vercel-ai&schemaProfile=openai-strict';
  const asked = server?.received.map(({ path }) => new URL(path, 'http://api').searchParams);
  expect(asked?.map((params) => params.get('offset'))).toEqual(['0', '2']);
  for (const params of asked ?? []) {
    expect(Object.fromEntries(params)).toMatchObject(Object.fromEntries(new URLSearchParams(query)));
  }
});

it('the tools of a toolset are those that it permits', async () => {
  const client = await clientFor([definition('a')]);
  expect(await names(client, { toolsetId: 'set/1' })).toEqual(['a']);
  expect(server?.received[0]?.path).toBe('/v1/toolsets/set%2F1/tools?format=vercel-ai&offset=0');
});

it('tools of one slug have the names that the API gives them, and one that a changing list repeats is there once', async () => {
  const tools = ['same_1', 'same_2', 'same_1', 'same_3'].map((name) =>
    definition('same', `crm-${name}`, name),
  );
  const client = await clientFor(tools, 1);
  expect(await names(client, { search: 'same' })).toEqual(['same_1', 'same_2', 'same_3']);
});

it('only the chosen tools are there, and one that is not found is an error', async () => {
  const client = await clientFor([definition('a'), definition('b'), definition('c')]);
  expect(await names(client, { applicationSlug: 'crm', toolSlugs: ['c', 'a'] })).toEqual(['a', 'c']);
  await expect(names(client, { applicationSlug: 'crm', toolSlugs: ['a', 'd'] })).rejects.toThrow(
    'Fairlead: not among the selected tools: d',
  );
});

it('no more tools than asked for are loaded, and no further page', async () => {
  const client = await clientFor([definition('a'), definition('b'), definition('c')], 2);
  expect(await names(client, { search: 'x', maxTools: 2 })).toEqual(['a', 'b']);
  expect(server?.received).toHaveLength(1);
  expect(server?.received[0]?.path).toContain('top=2');
});

it('loading ends with the caller’s signal', async () => {
  const client = await clientFor([]);
  const reason = new Error('enough');
  await expect(names(client, { search: 'x', signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
});
