import { expect, it } from 'vitest';
import { ownFields } from './own-fields.ts';

const schema = { type: 'object', properties: { name: { type: 'string' } } };

it('returns fields that were made by the tool’s own schema as they are', () => {
  expect(ownFields(schema, { name: null }, '')).toEqual({ name: null });
});

it('reads those that were made in a dialect, and refuses an unknown one', () => {
  expect(ownFields(schema, { name: null }, 'openai-strict')).toEqual({});
  expect(() => ownFields(schema, {}, 'other')).toThrow(
    expect.objectContaining({ details: [expect.objectContaining({ field: 'schemaProfile' })] }),
  );
});
