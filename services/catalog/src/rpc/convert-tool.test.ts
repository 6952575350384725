import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { catalogueOf, testConnector, testTool } from '../testing/connectors.ts';
import { listTools } from '../use-cases/list-tools.ts';
import { toTool } from './convert-tool.ts';

const query = { applicationSlug: '', search: '', page: { offset: 0, top: 1 } };

test('the schemas of a tool are written once for all lists, and anew for another version of the catalogue', async () => {
  const version = (title: string) =>
    catalogueOf(testConnector('crm', { tools: [testTool('list-deals', { inputSchema: { title } })] }));
  const listed = async (catalogue: ReturnType<typeof version>) =>
    (await listTools({ catalogue }, testContext(), query)).items.map(toTool);
  const before = version('before');
  const [first] = await listed(before);
  const [again] = await listed(before);
  expect(again?.inputSchemaJson).toBe(first?.inputSchemaJson);
  expect(again?.outputSchemaJson).toBe(first?.outputSchemaJson);
  expect(Buffer.from(first?.inputSchemaJson ?? '').toString()).toBe('{"title":"before"}');
  const [later] = await listed(version('after'));
  expect(Buffer.from(later?.inputSchemaJson ?? '').toString()).toBe('{"title":"after"}');
});

test('a tool says what its calls may change, and its name at the MCP server that it comes from', async () => {
  const execution = { type: 'mcp', toolName: 'getSum' } as const;
  const tools = [
    testTool('a', { retryClass: 'readOnly' }),
    testTool('b', { retryClass: 'idempotent', isDestructive: true }),
    testTool('c', { retryClass: 'unsafe', execution }),
  ];
  const catalogue = catalogueOf(testConnector('crm', { tools }));
  const { items } = await listTools({ catalogue }, testContext(), { ...query, page: { offset: 0, top: 9 } });
  expect(items.map(toTool).map(({ effects, upstreamName }) => [effects, upstreamName])).toMatchObject([
    [{ isReadOnly: true, isIdempotent: true, isDestructive: false }, ''],
    [{ isReadOnly: false, isIdempotent: true, isDestructive: true }, ''],
    [{ isReadOnly: false, isIdempotent: false, isDestructive: false }, 'getSum'],
  ]);
});
