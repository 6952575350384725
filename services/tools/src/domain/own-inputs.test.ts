import type { JsonObject } from '@fairlead/connector-model/json';
import { expect, it } from 'vitest';
import { ownInputs } from './own-inputs.ts';

const plain: Parameters<typeof ownInputs>[0] = {
  inputSchema: { type: 'object', properties: { name: { type: 'string' } } },
  filters: null,
  sorts: null,
  paging: null,
};
const listing = {
  ...plain,
  filters: { max: 5 },
  sorts: { max: 2 },
  paging: { type: 'offset', topQuery: 'limit', offsetQuery: 'offset', maxTop: 100 },
} satisfies Parameters<typeof ownInputs>[0];
const sent = (fields: JsonObject) => ({ fields, filters: [], sorts: [], top: undefined, offset: undefined });
const clause = { field: 'name', operator: 'eq', value: 'Ada' };

it('returns inputs that were made by the tool’s own schema as they are', () => {
  const requested = sent({ name: null, filters: [clause] });
  expect(ownInputs(listing, requested, '')).toBe(requested);
});

it('reads those that were made in a dialect, and refuses an unknown one', () => {
  expect(ownInputs(plain, sent({ name: null }), 'openai-strict').fields).toEqual({});
  expect(() => ownInputs(plain, sent({}), 'other')).toThrow(
    expect.objectContaining({ details: [expect.objectContaining({ field: 'schemaProfile' })] }),
  );
});

it.each(['openai-strict', 'anthropic', 'gemini'])(
  'takes the arguments of a list out of the fields of %s',
  (profile) => {
    const made = {
      name: 'x',
      filters: [clause, { ...clause, operator: 'like' }],
      sorts: [{ field: 'name', direction: 'desc' }],
      top: 2,
      offset: null,
    };
    expect(ownInputs(listing, sent(made), profile)).toEqual({
      fields: { name: 'x' },
      filters: [clause, { ...clause, operator: undefined }],
      sorts: [{ field: 'name', direction: 'desc' }],
      top: 2,
      offset: undefined,
    });
  },
);

it('leaves an input of the tool with such a name, and what a tool without lists is sent', () => {
  const own = { ...listing, inputSchema: { type: 'object', properties: { top: { type: 'string' } } } };
  expect(ownInputs(own, sent({ top: 'hat', offset: 1 }), 'anthropic')).toMatchObject({
    fields: { top: 'hat' },
    top: undefined,
    offset: 1,
  });
  expect(ownInputs(plain, sent({ top: 1 }), 'anthropic')).toMatchObject({
    fields: { top: 1 },
    top: undefined,
  });
});

it.each([
  [{ filters: 'name' }, 'fields.filters'],
  [{ filters: [1] }, 'fields.filters[0]'],
  [{ sorts: [{ direction: 'asc' }] }, 'fields.sorts[0].field'],
  [{ top: '1' }, 'fields.top'],
])('refuses %o', (fields, field) => {
  expect(() => ownInputs(listing, sent(fields), 'anthropic')).toThrow(
    expect.objectContaining({ code: 'VALIDATION_ERROR', details: [expect.objectContaining({ field })] }),
  );
});

it('refuses an argument that the request has beside the fields, too', () => {
  const twice = { ...sent({ top: 1, filters: [clause] }), top: 1 };
  expect(() => ownInputs(listing, twice, 'anthropic')).toThrow(
    expect.objectContaining({ details: [expect.objectContaining({ field: 'fields.top' })] }),
  );
});
