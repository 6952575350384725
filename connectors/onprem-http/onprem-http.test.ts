import { expect, it } from 'vitest';
import type { JsonObject } from '@fairlead/connector-model/json';
import type { ToolOutcome } from '@fairlead/connector-runtime/call';
import {
  testCall,
  testConnector,
  testCredential,
  testOptions,
  testTool,
} from '@fairlead/connector-runtime/testing/calls';
import { testRuntime, testVendor } from '@fairlead/connector-runtime/testing/vendor';
import { connectorHandlers } from '../handlers.ts';

const connector = testConnector({ slug: 'onprem-http', kind: 'OPA' });
const tool = testTool({ type: 'handler', handler: 'sendRequest' }, { retryClass: 'unsafe' });

function send(profile: JsonObject, fields: JsonObject): Promise<ToolOutcome> {
  const call = testCall(tool, { connector, credential: testCredential(profile), fields });
  return testRuntime(connectorHandlers).execute(call, testOptions());
}

it('a request with a profile goes below its base URL, with its headers instead of those of the call', async () => {
  const { server } = await testVendor(() => ({ status: 204 }));
  const profile = { type: 'http', baseUrl: `${server.url}/api`, headers: { Authorization: 'Bearer secret' } };
  const headers = { authorization: 'Bearer mine', 'x-other': '1' };
  expect(await send(profile, { url: 'items?a=1', headers })).toMatchObject({ isSuccess: true });
  expect(server.requests[0]).toMatchObject({
    path: '/api/items',
    headers: { authorization: 'Bearer secret', 'x-other': '1' },
  });
});

it('a request with a profile goes nowhere else', async () => {
  const { server } = await testVendor(() => ({ status: 204 }));
  const profile = { type: 'http', baseUrl: `${server.url}/api`, headers: { authorization: 'Bearer secret' } };
  for (const url of [`${server.url}/other`, 'http://127.0.0.1:1/api', '../other', '%2e%2e/other'])
    expect(await send(profile, { url })).toMatchObject({ isSuccess: false });
  expect(server.requests).toEqual([]);
});

it('without a profile, the URL is absolute and the headers are those of the call', async () => {
  const { server } = await testVendor(() => ({ status: 204 }));
  expect(await send({}, { url: `${server.url}/x`, headers: { 'x-a': 'b' } })).toMatchObject({
    isSuccess: true,
  });
  expect(server.requests[0]).toMatchObject({ path: '/x', headers: { 'x-a': 'b' } });
  expect(await send({}, { url: '/x' })).toMatchObject({ isSuccess: false });
});

it('a profile of another type is refused by its field', async () => {
  expect(await send({ type: 'files' }, { url: 'http://x/' })).toMatchObject({
    inputIssues: [{ field: 'fields.profile' }],
  });
});
