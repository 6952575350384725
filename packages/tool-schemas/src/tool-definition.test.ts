import { expect, it } from 'vitest';
import { TOOL_FORMATS, toolDefinition } from './tool-definition.ts';
import type { DefinedTool } from './tool-definition.ts';

const tool = (o: Partial<DefinedTool> = {}): DefinedTool => ({
  toolSlug: 'crm-get-contact',
  applicationSlug: 'crm',
  description: 'Returns a contact.',
  supportsFilters: false,
  supportsSort: false,
  supportsTopOffset: false,
  maxFilters: 0,
  maxSorts: 0,
  inputSchema: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'], $comment: 'x' },
  ...o,
});

it('has the form that each API takes', () => {
  const said = { name: 'crm-get-contact', description: 'Returns a contact.' };
  const { inputSchema } = tool();
  const openai = toolDefinition(tool(), 'openai', undefined);
  expect(openai).toEqual({ type: 'function', function: { ...said, parameters: inputSchema } });
  const strict = toolDefinition(tool(), 'openai', 'openai-strict');
  expect(strict).toMatchObject({ function: { strict: true, parameters: { additionalProperties: false } } });
  const anthropic = toolDefinition(tool(), 'anthropic', undefined);
  expect(anthropic).toEqual({ ...said, input_schema: inputSchema });
  const vercel = toolDefinition(tool(), 'vercel-ai', undefined);
  expect(vercel).toEqual({ ...said, inputSchema });
  const gemini = toolDefinition(tool(), 'gemini', undefined);
  const { $comment: _, ...parameters } = inputSchema;
  expect(gemini).toEqual({ ...said, parameters });
});

function nameOf(of: DefinedTool, format: (typeof TOOL_FORMATS)[number] = 'anthropic'): string {
  const { name, function: called } = toolDefinition(of, format, undefined) as {
    name?: string;
    function?: { name: string };
  };
  return name ?? called?.name ?? '';
}

it('names differ, and every API accepts them', () => {
  const tools = [
    tool(),
    tool({ toolSlug: 'a'.repeat(128) }),
    tool({ toolSlug: `${'a'.repeat(127)}b` }),
    tool({ toolSlug: `crm-get-${'a'.repeat(57)}` }),
    tool({ toolSlug: 'echo', applicationSlug: 'mcp-1' }),
    tool({ toolSlug: 'echo', applicationSlug: 'mcp-2' }),
    tool({ toolSlug: 'crm-get-contact', applicationSlug: 'mcp-2' }),
    tool({ toolSlug: 'files.read' }),
    tool({ toolSlug: 'files_read' }),
    tool({ toolSlug: '2fa-check' }),
  ];
  for (const format of TOOL_FORMATS) {
    const names = tools.map((each) => nameOf(each, format));
    expect(new Set(names).size).toBe(tools.length);
    for (const name of names) expect(name).toMatch(/^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/);
    expect(names[0]).toBe('crm-get-contact');
  }
});

it.each([
  ['crm-get-contact', 'crm', 'crm-get-contact'],
  ['sandbox-crm-get-contact', 'sandbox-crm', 'sandbox-crm-get-contact'],
  // If one application's slug begins with another's, a tool slug of this form belongs to only one of them.
  ['key-crm-whoami', 'key', 'key-crm-whoami'],
  ['key-crm-whoami', 'key-crm', /^key-crm-whoami_[0-9a-f]{8}$/],
  ['sandbox-crm-get-contact', 'sandbox', /^sandbox-crm-get-contact_[0-9a-f]{8}$/],
  ['sandbox-crm-get-contact', 'sandbox-crm-get', /^sandbox-crm-get-contact_[0-9a-f]{8}$/],
  ['crm-whoami', 'crm', /^crm-whoami_[0-9a-f]{8}$/],
  ['echo', 'mcp-7', /^echo_[0-9a-f]{8}$/],
])('%s of %s is named as it is in every list', (toolSlug, applicationSlug, name) => {
  expect(nameOf(tool({ toolSlug, applicationSlug }))).toMatch(
    typeof name === 'string' ? new RegExp(`^${name}$`) : name,
  );
});
