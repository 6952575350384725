import { describe, expect, it } from 'vitest';
import {
  createConnectorDecoder,
  encodeConnectorHead,
  encodeTool,
  encodeTriggerType,
  InvalidConnectorError,
} from './codec.ts';
import type { ToolDefinition } from './model.ts';
import { compiled, getThing, listThings, oauthMethod, thingCreated } from './testing/manifest.ts';

const connector = compiled({
  kind: 'Regular',
  authenticationMethods: [{ ...oauthMethod, isDefault: true }],
  tools: [getThing, listThings],
  triggerTypes: [thingCreated],
});
const { tools, triggerTypes, ...head } = connector;
const [getTool, listTool] = tools as readonly [ToolDefinition, ToolDefinition];

const bytesOf = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));
const { head: decodeHead, tool: decodeTool, triggerType: decodeTriggerType } = createConnectorDecoder();

function issuesOf(decode: () => unknown): InvalidConnectorError['issues'] {
  try {
    decode();
    return [];
  } catch (error) {
    if (error instanceof InvalidConnectorError) return error.issues;
    throw error;
  }
}

describe('the codec', () => {
  it('decodes what was encoded, a head without the tools and trigger types', () => {
    expect(decodeHead(encodeConnectorHead(connector))).toEqual(head);
    expect(decodeTool(encodeTool(listTool))).toEqual(listTool);
    expect(triggerTypes.map((type) => decodeTriggerType(encodeTriggerType(type)))).toEqual(triggerTypes);
    expect(triggerTypes).toHaveLength(1);
    const names = Object.keys(decodeHead(encodeConnectorHead(connector)));
    expect(names.filter((name) => name === 'tools' || name === 'triggerTypes')).toEqual([]);
  });

  it('drops members that it does not know, at any depth, as a newer release may have written them', () => {
    const [method] = head.authenticationMethods;
    const newer = {
      ...head,
      region: { name: 'eu' },
      authenticationMethods: [{ ...method, scheme: { ...method?.scheme, usesDpop: true }, hint: 'new' }],
    };
    expect(decodeHead(bytesOf(newer))).toEqual(head);
    const { filters, execution } = listTool;
    const newerTool = {
      ...listTool,
      cost: 1,
      filters: { ...filters, isCaseSensitive: false },
      execution: { ...execution, isStreamed: true },
    };
    expect(decodeTool(bytesOf(newerTool))).toEqual(listTool);
  });

  it('keeps every member of a schema: JSON Schema defines them, not the model', () => {
    const inputSchema = { type: 'object', 'x-vendor': { deep: [1, null] }, properties: {} };
    expect(decodeTool(encodeTool({ ...getTool, inputSchema })).inputSchema).toEqual(inputSchema);
  });

  it('sets the default of an absent member, as an older release may have omitted it', () => {
    const { isDeprecated: _, ...older } = getTool;
    expect(decodeTool(bytesOf(older))).toEqual(getTool);
  });

  it('refuses what does not fit the model, naming every path and no dropped member', () => {
    const wrong = { ...getTool, toolSlug: 'No Slug', retryClass: 'sometimes', cost: 1 };
    expect(issuesOf(() => decodeTool(bytesOf(wrong)))).toMatchObject([
      { path: 'toolSlug' },
      { path: 'retryClass' },
    ]);
    const { scheme: _, ...method } = head.authenticationMethods[0] ?? {};
    expect(issuesOf(() => decodeHead(bytesOf({ ...head, authenticationMethods: [method] })))).toMatchObject([
      { path: 'authenticationMethods[0].scheme' },
    ]);
  });

  it.each([
    ['no bytes', new Uint8Array()],
    ['half of a text', encodeConnectorHead(connector).slice(0, 50)],
    ['no UTF-8', new Uint8Array([0x22, 0xff, 0x22])],
  ])('refuses %s', (_what, bytes) => {
    expect(issuesOf(() => decodeHead(bytes))).toEqual([{ path: '', message: 'is not JSON' }]);
  });
});

describe('the cache of a decoder', () => {
  const second = { ...getTool, toolName: 'Get other' };
  const third = { ...getTool, toolName: 'Get third' };
  const size = encodeTool(second).length;

  it('returns the same object for the same bytes, and another for others', () => {
    const { tool } = createConnectorDecoder();
    const first = tool(encodeTool(getTool));
    expect(tool(encodeTool(getTool))).toBe(first);
    expect(tool(encodeTool(second))).toEqual(second);
  });

  it('evicts the least recently used entry when it holds too many bytes', () => {
    const { tool } = createConnectorDecoder({ maxCachedBytes: 2 * size + 10 });
    const decoded = [getTool, second].map((each) => tool(encodeTool(each)));
    tool(encodeTool(getTool));
    tool(encodeTool(third));
    expect(tool(encodeTool(getTool))).toBe(decoded[0]);
    expect(tool(encodeTool(second))).not.toBe(decoded[1]);
  });

  it('decodes a value larger than its limit', () => {
    const { tool } = createConnectorDecoder({ maxCachedBytes: 1 });
    const first = tool(encodeTool(getTool));
    expect(first).toEqual(getTool);
    expect(tool(encodeTool(getTool))).not.toBe(first);
  });
});
