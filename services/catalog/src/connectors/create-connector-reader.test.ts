import { InvalidConnectorError } from '@fairlead/connector-model/codec';
import type { Connector } from '@fairlead/connector-model/model';
import { afterAll, expect, test } from 'vitest';
import { contentHash } from '../domain/content-hash.ts';
import { encodedConnector, testConnector, testTool } from '../testing/connectors.ts';
import { createConnectorReader } from './create-connector-reader.ts';

const charged: string[] = [];
const reader = createConnectorReader((accountId) => void charged.push(accountId));
afterAll(() => reader.close());

const withTools = (count: number): Connector =>
  testConnector('mcp-7', {
    tools: Array.from({ length: count }, (_tool, at) =>
      testTool(`tool-${at}`, { description: 'é'.repeat(200) }),
    ),
  });

test.each([
  ['a small connector', 3, []],
  ['a large connector', 500, ['acc_1']],
])('%s is read, and what it takes is charged if it is large', async (_name, toolCount, accounts) => {
  charged.length = 0;
  const connector = withTools(toolCount);
  const before = Buffer.from('before');
  // A slice of a larger buffer, as an RPC message gives it.
  const message = Buffer.concat([before, encodedConnector(connector)]);
  const read = await reader.read('acc_1', message.subarray(before.length));
  const { tools: _tools, triggerTypes: _types, ...head } = connector;
  expect(read).toMatchObject({ head, toolCount, contentHash: contentHash(connector) });
  expect(JSON.parse(read.json)).toEqual(connector);
  expect(JSON.parse(`${read.json.slice(0, read.headLength)}}`)).toEqual(head);
  expect(read.json.slice(read.headLength)).toMatch(/^,"tools":/);
  expect(charged).toEqual(accounts);
  expect(message.subarray(0, before.length).equals(before)).toBe(true);
});

test.each([
  ['a small connector', 3],
  ['a large connector', 500],
])('%s that breaks rules is refused with the same issues', async (_name, toolCount) => {
  const wrong = encodedConnector({ ...withTools(toolCount), slug: 'No Slug', version: '' });
  const error: unknown = await reader.read('acc_1', wrong).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(InvalidConnectorError);
  expect(error).toMatchObject({ issues: [{ path: 'slug' }, { path: 'version' }] });
});
