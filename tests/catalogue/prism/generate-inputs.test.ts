import type { Json, JsonObject } from '@fairlead/connector-model/json';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { generateInputs, textOfPattern, VARIANTS } from './generate-inputs.ts';

const schema: JsonObject = {
  type: 'object',
  properties: {
    id: { type: 'string', pattern: '^(SM|MM)[0-9a-f]{4}-\\d+$' },
    name: { type: 'string', minLength: 6, maxLength: 8 },
    count: { type: 'integer', minimum: 3, maximum: 9 },
    state: { enum: ['open', 'done'] },
    due: { anyOf: [{ type: 'null' }, { type: 'object', properties: { on: { type: 'boolean' } } }] },
    tags: { type: 'array', items: { type: 'string' }, minItems: 1 },
    labels: { type: 'object', additionalProperties: { type: 'number' } },
    filter: { type: 'object', examples: [{ a: 1 }] },
  },
  required: ['id'],
};

describe('generated inputs', () => {
  it('are accepted by the schema, whichever are given', () => {
    const validate = new Ajv2020({ strict: false }).compile(schema);
    for (const variant of VARIANTS) {
      const inputs = generateInputs(schema, variant);
      expect(validate(inputs), JSON.stringify(validate.errors)).toBe(true);
    }
  });

  it('are what is required, all, or all with other values', () => {
    const given = (variant: (typeof VARIANTS)[number]): Json => generateInputs(schema, variant);
    expect(given('least')).toEqual({ id: 'SM0000-1' });
    expect(given('all')).toEqual({
      id: 'SM0000-1',
      name: 'textxx',
      count: 3,
      state: 'open',
      due: { on: true },
      tags: ['text'],
      labels: { key: 1 },
      filter: { a: 1 },
    });
    expect(given('other')).toMatchObject({ id: 'MM0000-1', count: 9, state: 'done', due: { on: false } });
  });

  it('refuse a pattern of which nothing can be made', () => {
    expect(textOfPattern('^[A-Z]{3}\\.x$', 'all')).toBe('AAA.x');
    expect(() => textOfPattern('^a|b$', 'all')).toThrow('no text can be made for the pattern ^a|b$');
  });
});
