import { timestampDate } from '@bufbuild/protobuf/wkt';
import { expect, test } from 'vitest';
import { catalogued, testConnector, testTool } from '../testing/connectors.ts';
import { toToolRecord } from './convert-tool-record.ts';
import { toTool } from './convert-tool.ts';

const tool = testTool('list-deals', {
  inputSchema: { title: 'é' },
});
const application = catalogued(testConnector('crm', { tools: [tool] }));
const parse = (json: Uint8Array): unknown => JSON.parse(Buffer.from(json).toString());

test('a record has the members of the tool, its schemas and times included', () => {
  const { inputSchemaJson, outputSchemaJson, createdAt, updatedAt, ...shown } = toTool({ application, tool });
  const record = parse(toToolRecord({ application, tool, score: undefined }));
  for (const name of ['$typeName', 'aliases', 'identities', 'effects', 'upstreamName'])
    Reflect.deleteProperty(shown, name);
  expect(record).toEqual({
    ...shown,
    inputSchema: parse(inputSchemaJson),
    outputSchema: parse(outputSchemaJson),
    createdAt: createdAt && timestampDate(createdAt).toISOString(),
    updatedAt: updatedAt && timestampDate(updatedAt).toISOString(),
  });
});

test('a record is written once for all lists, and a search adds its score', () => {
  const first = toToolRecord({ application, tool, score: undefined });
  expect(toToolRecord({ application, tool, score: undefined })).toBe(first);
  expect(parse(toToolRecord({ application, tool, score: 0.25 }))).toMatchObject({
    toolSlug: 'list-deals',
    score: 0.25,
  });
  expect(toToolRecord({ application: { ...application }, tool, score: undefined })).not.toBe(first);
});
