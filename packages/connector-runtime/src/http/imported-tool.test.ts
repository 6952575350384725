import { compiledImport } from '@fairlead/connector-model/testing/imported';
import type { JsonObject } from '@fairlead/connector-model/json';
import { describe, expect, it } from 'vitest';
import { testCall, testCredential, testOptions } from '../testing/calls.ts';
import type { ReceivedRequest, TestResponse } from '../testing/http-server.ts';
import { testRuntime, testVendor } from '../testing/vendor.ts';

/** Executes an imported tool at a vendor on this machine. */
async function execute(
  toolSlug: string,
  fields: JsonObject,
  respond: (request: ReceivedRequest, count: number) => TestResponse = () => ({ body: { id: 't1' } }),
) {
  const { server } = await testVendor(respond);
  const connector = { ...compiledImport(), baseUrl: `${server.url}/tasks/v1` };
  const tool = connector.tools.find((each) => each.toolSlug === toolSlug);
  const [method] = connector.authenticationMethods;
  if (tool === undefined || method === undefined) throw new Error(`no tool ${toolSlug}`);
  const call = testCall(tool, { connector, method, credential: testCredential({ key: 'k' }), fields });
  return { outcome: await testRuntime().execute(call, testOptions()), requests: server.requests };
}

describe('a tool made of a description', () => {
  it('sends path, query and body as the description says, and leaves out what was not given', async () => {
    const { outcome, requests } = await execute('acme-create-task', { title: 'Call Ada' });
    expect(outcome).toMatchObject({ isSuccess: true, output: { id: 't1' } });
    expect(requests[0]).toMatchObject({
      method: 'POST',
      path: '/tasks/v1/lists/my%20list/tasks',
      headers: { 'x-key': 'k', 'content-type': 'application/json' },
    });
    expect(requests[0]?.query.toString()).toBe('notify=true&fields=id');
    // `due` has no member with a value, so the request does not have it.
    expect(JSON.parse(requests[0]?.body ?? '')).toEqual({ title: 'Call Ada', state: 'open' });
  });

  it('sends a default, unless another value is given', async () => {
    const respond = (): TestResponse => ({ body: { items: [] } });
    const byDefault = await execute('acme-list-tasks', { state: ['open', 'done'] }, respond);
    expect(byDefault.requests[0]?.path).toBe('/tasks/v1/lists/mine/tasks');
    expect(byDefault.requests[0]?.query.getAll('state')).toEqual(['open', 'done']);
    const given = await execute('acme-list-tasks', { listId: 'a/b' }, respond);
    expect(given.requests[0]?.path).toBe('/tasks/v1/lists/a%2Fb/tasks');
  });

  it('reads an empty list that the vendor leaves out, and refuses another value in its place', async () => {
    const read = (body: JsonObject) => execute('acme-list-tasks', {}, () => ({ body }));
    expect((await read({})).outcome).toMatchObject({ isSuccess: true, output: { items: [] } });
    expect((await read({ items: 7 })).outcome).toMatchObject({ isSuccess: false });
  });

  it('reads a list page by page', async () => {
    const { outcome, requests } = await execute('acme-list-tasks', {}, (_request, count) => ({
      body: count === 1 ? { items: [{ id: 1 }], nextPageToken: 'p2' } : { items: [{ id: 2 }] },
    }));
    expect(outcome).toMatchObject({ output: { items: [{ id: 1 }, { id: 2 }] } });
    expect(requests.map(({ query }) => [query.get('maxResults'), query.get('pageToken')])).toEqual([
      ['50', null],
      ['50', 'p2'],
    ]);
  });
});
