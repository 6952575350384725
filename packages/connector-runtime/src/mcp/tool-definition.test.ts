import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@fairlead/connector-model/json';
import type { ToolDefinition } from '@fairlead/connector-model/model';
import { MAX_SCHEMA_BYTES, MAX_SCHEMA_DEPTH } from '@fairlead/connector-model/limits';
import type { Tool } from '@modelcontextprotocol/client';
import { toolDefinition, toolIntake } from './tool-definition.ts';

const tool = (parts: Partial<Tool> = {}): Tool => ({
  name: 'do_it',
  inputSchema: { type: 'object' },
  ...parts,
});

const define = (it: Tool): ToolDefinition => toolDefinition(it, 'do-it', toolIntake());

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
      expect(define(tool(annotations))).toMatchObject({ retryClass, isDestructive });
    },
  );

  it('has object schemas with properties, even if the server omits them', () => {
    const { inputSchema, outputSchema } = define(tool());
    expect(inputSchema).toEqual({ type: 'object', properties: {}, additionalProperties: true });
    expect(outputSchema).toMatchObject({ type: 'object', properties: { content: { type: 'array' } } });
  });

  it('names the tool by its title, and calls it by its name', () => {
    expect(define(tool({ title: 'Do it' }))).toMatchObject({
      toolName: 'Do it',
      toolSlug: 'do-it',
      execution: { type: 'mcp', toolName: 'do_it' },
    });
  });

  it('is a new version when anything about the tool changes, and only then', () => {
    const version = (parts: Partial<Tool>): string => define(tool(parts)).version;
    expect(version({ description: 'a' })).toBe(version({ description: 'a' }));
    expect(version({ description: 'a' })).not.toBe(version({ description: 'b' }));
  });

  it('passes on any member if the server named none, and none if it allows none', () => {
    const closed = define(tool({ inputSchema: { type: 'object', additionalProperties: false } }));
    expect(closed.inputSchema).toEqual({ type: 'object', properties: {}, additionalProperties: false });
    const named = { type: 'object', properties: { a: { type: 'string' } } } as const;
    expect(define(tool({ inputSchema: named })).inputSchema).toEqual(named);
  });

  it('uses the name if titles are empty', () => {
    expect(define(tool({ title: '', annotations: { title: '' } })).toolName).toBe('do_it');
  });

  it('cuts names and descriptions to the catalogue’s limits, between characters', () => {
    const { toolName, description } = define(
      tool({ title: `${'x'.repeat(199)}😀`, description: `${'x'.repeat(1023)}😀` }),
    );
    expect([toolName, description]).toEqual(['x'.repeat(199), 'x'.repeat(1023)]);
  });
});

describe('toolIntake', () => {
  const open = { type: 'object', properties: {}, additionalProperties: true };
  const ofBytes = (bytes: number): JsonObject => ({ a: 'x'.repeat(bytes - '{"a":""}'.length) });

  it('keeps a schema up to the limit and opens one above it', () => {
    const intake = toolIntake();
    expect(intake.schema(ofBytes(MAX_SCHEMA_BYTES))).not.toEqual(open);
    expect(intake.schema(ofBytes(MAX_SCHEMA_BYTES + 1))).toEqual(open);
  });

  it('opens a schema that is too deep, however deep', () => {
    const nested = (levels: number): JsonObject => {
      let schema: JsonObject = {};
      for (let level = 1; level < levels; level += 1) schema = { not: schema };
      return schema;
    };
    const intake = toolIntake();
    expect(intake.schema(nested(MAX_SCHEMA_DEPTH))).not.toEqual(open);
    expect(intake.schema(nested(MAX_SCHEMA_DEPTH + 1))).toEqual(open);
    expect(intake.schema(nested(100_000))).toEqual(open);
  });

  it('opens every schema beyond 10 000 values in total', () => {
    const intake = toolIntake();
    const list: JsonObject = { a: Array<number>(3_330).fill(1) };
    const kept = Array.from({ length: 4 }, () => intake.schema(list));
    expect(kept.filter((schema) => schema['a'] !== undefined)).toHaveLength(3);
    expect(intake.schema({ small: true })).toEqual({ small: true });
  });

  it('opens every schema beyond 1 MiB in total', () => {
    const intake = toolIntake();
    const kept = Array.from({ length: 40 }, () => intake.schema(ofBytes(MAX_SCHEMA_BYTES)));
    expect(kept.filter((schema) => schema['a'] !== undefined)).toHaveLength(16);
    expect(intake.schema({ small: true })).toEqual(open);
  });

  it('leaves out every description beyond 512 KiB in total', () => {
    const intake = toolIntake();
    const kept = Array.from({ length: 400 }, () => intake.description('\u4e00'.repeat(1_024)));
    expect(kept.filter((text) => text.length === 1_024)).toHaveLength(170);
    expect(kept.at(-1)).toBe('');
    expect(intake.description('small')).toBe('small');
  });
});
