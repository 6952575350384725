import { timestampDate } from '@bufbuild/protobuf/wkt';
import { expect, test } from 'vitest';
import { catalogued, testConnector, testTool } from '../testing/connectors.ts';
import { toToolPage } from './convert-tool-record.ts';
import { toTool } from './convert-tool.ts';

const tool = testTool('list-deals', {
  inputSchema: { title: 'é' },
});
const application = catalogued(testConnector('crm', { tools: [tool] }));
const parse = (json: Uint8Array = Buffer.alloc(0)): unknown => JSON.parse(Buffer.from(json).toString());

const views = [{ application, tool, score: undefined }];

test('a record has the members of the tool, its schemas and times included', () => {
  const { inputSchemaJson, outputSchemaJson, createdAt, updatedAt, ...shown } = toTool({ application, tool });
  const page = parse(toToolPage([...views, ...views], '').itemsJson);
  for (const name of ['$typeName', 'aliases', 'identities', 'effects', 'upstreamName'])
    Reflect.deleteProperty(shown, name);
  const record = {
    ...shown,
    inputSchema: parse(inputSchemaJson),
    outputSchema: parse(outputSchemaJson),
    createdAt: createdAt && timestampDate(createdAt).toISOString(),
    updatedAt: updatedAt && timestampDate(updatedAt).toISOString(),
  };
  expect(page).toEqual([record, record]);
});

test('a page that the caller has is named by its digest, which changes with each record', () => {
  const { digest = '', itemsJson } = toToolPage(views, '');
  expect(parse(itemsJson)).toHaveLength(1);
  expect(toToolPage(views, digest)).toEqual({ digest });
  expect(toToolPage([...views, ...views], digest).itemsJson).toBeDefined();
  const changed = { ...application, updatedAt: new Date(1) };
  expect(toToolPage([{ application: changed, tool, score: undefined }], digest).itemsJson).toBeDefined();
});

test('a search adds its scores, and has no digest', () => {
  const { digest, itemsJson } = toToolPage([{ application, tool, score: 0.25 }], '');
  expect(digest).toBeUndefined();
  expect(parse(itemsJson)).toMatchObject([{ toolSlug: 'list-deals', score: 0.25 }]);
});
