import { expect, it } from 'vitest';
import { TOOL_FORMATS, toolDefinitions } from './tool-definition.ts';
import type { DefinedTool } from './tool-definition.ts';

const tool = (o: Partial<DefinedTool> = {}): DefinedTool => ({
  toolSlug: 'crm-get-contact',
  applicationSlug: 'crm',
  description: 'Returns a contact.',
  inputSchema: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'], $comment: 'x' },
  ...o,
});

it('has the form that each API takes', () => {
  const said = { name: 'crm-get-contact', description: 'Returns a contact.' };
  const { inputSchema } = tool();
  const [openai] = toolDefinitions([tool()], 'openai', undefined);
  expect(openai).toEqual({ type: 'function', function: { ...said, parameters: inputSchema } });
  const [strict] = toolDefinitions([tool()], 'openai', 'openai-strict');
  expect(strict).toMatchObject({ function: { strict: true, parameters: { additionalProperties: false } } });
  const [anthropic] = toolDefinitions([tool()], 'anthropic', undefined);
  expect(anthropic).toEqual({ ...said, input_schema: inputSchema });
  const [vercel] = toolDefinitions([tool()], 'vercel-ai', undefined);
  expect(vercel).toEqual({ ...said, inputSchema });
  const [gemini] = toolDefinitions([tool()], 'gemini', undefined);
  const { $comment: _, ...parameters } = inputSchema;
  expect(gemini).toEqual({ ...said, parameters });
});

it('names differ, and every API accepts them', () => {
  const tools = [
    tool(),
    tool({ toolSlug: 'a'.repeat(128) }),
    tool({ toolSlug: `${'a'.repeat(127)}b` }),
    tool({ toolSlug: 'echo', applicationSlug: 'mcp-1' }),
    tool({ toolSlug: 'echo', applicationSlug: 'mcp-2' }),
    tool({ toolSlug: 'files.read' }),
    tool({ toolSlug: 'files_read' }),
    tool({ toolSlug: '2fa-check' }),
  ];
  for (const format of TOOL_FORMATS) {
    const names = toolDefinitions(tools, format, undefined).map((it) => {
      const { name, function: called } = it as { name?: string; function?: { name: string } };
      return name ?? called?.name ?? '';
    });
    expect(new Set(names).size).toBe(tools.length);
    for (const name of names) expect(name).toMatch(/^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/);
    expect(names[0]).toBe('crm-get-contact');
  }
});
