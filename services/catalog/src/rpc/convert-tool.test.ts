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
