import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { expect, it } from 'vitest';
import { cataloguedTool } from '../testing/served.ts';
import type { SourceTool } from './server-tool.ts';
import { createToolDefinitions } from './tool-definition.ts';

const tool = cataloguedTool('send', { upstreamName: 'Send' });
const schema = (text: string): LazyJson => LazyJson.object(Buffer.from(text));

/** The definition of a tool with these members, created after another tool’s. */
function definitionOf(o: Partial<SourceTool> = {}) {
  const [, defined] = createToolDefinitions(10).of([tool, { ...tool, ...o }]);
  return defined?.definition;
}

it('a definition changes with texts and schemas, and with nothing else', () => {
  const first = definitionOf();
  expect(first?.upstreamName).toBe('Send');
  for (const change of [
    { title: 'Other' },
    { description: 'Other.' },
    { inputSchema: schema('{"type":"object"}') },
    { outputSchema: schema('{"type":"object","properties":{}}') },
  ])
    expect(definitionOf(change)?.fingerprint, JSON.stringify(change)).not.toBe(first?.fingerprint);
  expect(definitionOf({ toolSlug: 'send-2', maxSorts: 3 })).toEqual(first);
});

it('the order of a schema’s members says nothing', () => {
  const [one, other, more] = [
    '{"type":"object","properties":{"a":{},"b":{}}}',
    '{ "properties": {"b":{}, "a":{}}, "type":"object" }',
    '{"type":"object","properties":{"a":{}}}',
  ].map((text) => definitionOf({ inputSchema: schema(text) })?.fingerprint);
  expect(one).toBe(other);
  expect(one).not.toBe(more);
});

it('tools that come from no MCP server have none', () => {
  expect(createToolDefinitions(10).of([cataloguedTool('list')])).toEqual([]);
});
