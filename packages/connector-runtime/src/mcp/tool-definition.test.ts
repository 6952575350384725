import { describe, expect, it } from 'vitest';
import type { Tool } from '@modelcontextprotocol/client';
import { toolDefinition } from './tool-definition.ts';

const tool = (parts: Partial<Tool> = {}): Tool => ({
  name: 'do_it',
  inputSchema: { type: 'object' },
  ...parts,
});

describe('toolDefinition', () => {
  it.each([
    ['none', undefined, 'unsafe', true],
    ['read only', { readOnlyHint: true }, 'readOnly', false],
    ['idempotent', { idempotentHint: true }, 'idempotent', true],
    ['additive', { destructiveHint: false }, 'unsafe', false],
  ] as const)(
    'takes retry class and destructiveness from the hints: %s',
    (_name, hints, retryClass, isDestructive) => {
      const annotations = hints === undefined ? {} : { annotations: hints };
      expect(toolDefinition(tool(annotations), 'do-it')).toMatchObject({ retryClass, isDestructive });
    },
  );

  it('has object schemas with properties, whatever the server left out', () => {
    const { inputSchema, outputSchema } = toolDefinition(tool(), 'do-it');
    expect(inputSchema).toEqual({ type: 'object', properties: {} });
    expect(outputSchema).toMatchObject({ type: 'object', properties: { content: { type: 'array' } } });
  });

  it('names the tool by its title, and calls it by its name', () => {
    expect(toolDefinition(tool({ title: 'Do it' }), 'do-it')).toMatchObject({
      toolName: 'Do it',
      toolSlug: 'do-it',
      execution: { type: 'mcp', toolName: 'do_it' },
    });
  });

  it('is a new version when anything about the tool changes, and only then', () => {
    const version = (parts: Partial<Tool>): string => toolDefinition(tool(parts), 'do-it').version;
    expect(version({ description: 'a' })).toBe(version({ description: 'a' }));
    expect(version({ description: 'a' })).not.toBe(version({ description: 'b' }));
  });
});
