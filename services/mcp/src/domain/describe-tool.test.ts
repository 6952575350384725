import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { expect, test } from 'vitest';
import { cataloguedTool } from '../testing/served.ts';
import { describeTool } from './describe-tool.ts';
import { createToolDescriptions } from './tool-descriptions.ts';

const described = (...args: Parameters<typeof describeTool>) => {
  const { listed, schemaProfile } = describeTool(...args);
  return { listed: listed.parseObject(), schemaProfile };
};

test('a tool has its name, title and description, and hints where its effects are known', () => {
  const effects = { isReadOnly: true, isIdempotent: true, isDestructive: false };
  expect(described('a', cataloguedTool('crm-a', { effects, title: 'A' }), 'portable')).toEqual({
    schemaProfile: '',
    listed: {
      name: 'a',
      title: 'A',
      description: 'About crm-a.',
      inputSchema: { type: 'object', properties: { id: { type: 'string' } } },
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
    },
  });
  expect(described('a', cataloguedTool('crm-a'), 'portable').listed).not.toHaveProperty('annotations');
});

test('the arguments of a list stand beside the inputs, and are taken back', () => {
  const lists = {
    supportsFilters: true,
    supportsSort: true,
    supportsTopOffset: true,
    maxFilters: 5,
    maxSorts: 2,
  };
  for (const form of ['portable', 'original'] as const) {
    const { listed, schemaProfile } = described('a', cataloguedTool('crm-a', lists), form);
    expect(Object.keys(Object(Reflect.get(Object(listed['inputSchema']), 'properties')) as object)).toEqual([
      'id',
      'filters',
      'sorts',
      'top',
      'offset',
    ]);
    expect(schemaProfile).toBe('anthropic');
  }
});

test('schemas are portable or keep every keyword; changed names are taken back', () => {
  const own = {
    type: 'object',
    properties: { 'due date': { type: 'string' } },
    oneOf: [{ required: ['due date'] }, { maxProperties: 0 }],
    'x-own': 1,
  };
  const tool = cataloguedTool('crm-a', { inputSchema: LazyJson.of(own) });
  expect(described('a', tool, 'original')).toMatchObject({ listed: { inputSchema: own }, schemaProfile: '' });
  const portable = described('a', tool, 'portable');
  expect(portable.listed['inputSchema']).not.toHaveProperty('oneOf');
  expect(JSON.stringify(portable.listed['inputSchema'])).not.toContain('due date');
  expect(portable.schemaProfile).toBe('anthropic');
});

test('the arguments that clients repeat in headers are those of the listed schema', () => {
  const properties = { region: { type: 'string', 'x-mcp-header': 'Region' } };
  const tool = cataloguedTool('crm-a', { inputSchema: LazyJson.of({ type: 'object', properties }) });
  for (const form of ['portable', 'original'] as const) {
    const { listed, headerArguments } = describeTool('a', tool, form);
    const isListed = JSON.stringify(listed.parseObject()).includes('x-mcp-header');
    expect(headerArguments).toEqual(isListed ? [{ header: 'region', path: ['region'] }] : []);
  }
  expect(describeTool('a', tool, 'original').headerArguments).toHaveLength(1);
});

test('an output schema is listed if it is that of an object with members, and the tool’s own', () => {
  const listedFor = (outputSchema: object, upstreamName = '') =>
    described(
      'a',
      cataloguedTool('crm-a', { outputSchema: LazyJson.of(outputSchema), upstreamName }),
      'portable',
    ).listed['outputSchema'];
  const members = { type: 'object', properties: { a: { $ref: 'https://b.test/', type: 'string' } } };
  expect(listedFor(members)).toEqual({ type: 'object', properties: { a: { type: 'string' } } });
  expect(listedFor({ type: 'object' })).toBeUndefined();
  const content = { type: 'object', properties: { structuredContent: {}, content: {} } };
  expect(listedFor(content, 'echo')).toBeUndefined();
  expect(listedFor(content)).toEqual(content);
});

test('a description is made once, and anew when the tool, its name or the form changes', () => {
  const descriptions = createToolDescriptions(10_000);
  const first = descriptions.of('a', cataloguedTool('crm-a'), 'portable');
  expect(descriptions.of('a', cataloguedTool('crm-a'), 'portable')).toBe(first);
  for (const other of [
    descriptions.of('b', cataloguedTool('crm-a'), 'portable'),
    descriptions.of('a', cataloguedTool('crm-a'), 'original'),
    descriptions.of('a', cataloguedTool('crm-a', { description: 'Other.' }), 'portable'),
    descriptions.of(
      'a',
      cataloguedTool('crm-a', { inputSchema: LazyJson.of({ type: 'object' }) }),
      'portable',
    ),
    descriptions.of('a', cataloguedTool('crm-a', { outputSchema: LazyJson.of({ title: 'o' }) }), 'portable'),
  ])
    expect(other).not.toBe(first);
});

test('descriptions are kept within their memory, those that were used last', () => {
  const descriptions = createToolDescriptions(8_000);
  const of = (name: string, length = 2_000) =>
    descriptions.of(name, cataloguedTool('crm-a', { description: 'd'.repeat(length) }), 'portable');
  const [first, second] = [of('a'), of('b')];
  expect(of('a')).toBe(first);
  of('c');
  expect(of('a')).toBe(first);
  expect(of('b')).not.toBe(second);
  const large = of('large', 20_000);
  expect(of('large', 20_000)).not.toBe(large);
  expect(of('a')).toBe(first);
});
