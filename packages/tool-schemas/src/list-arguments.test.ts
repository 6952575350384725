import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, it } from 'vitest';
import { listArguments, withListArguments } from './list-arguments.ts';
import type { ListSupport } from './list-arguments.ts';
import { adaptSchema, restoreInputs, SCHEMA_PROFILES } from './profile.ts';

const inputSchema = {
  type: 'object',
  properties: { stage: { type: 'string' } },
  required: ['stage'],
  additionalProperties: false,
};
const all: ListSupport = {
  supportsFilters: true,
  supportsSort: true,
  supportsTopOffset: true,
  maxFilters: 5,
  maxSorts: 2,
};
const none = { ...all, supportsFilters: false, supportsSort: false, supportsTopOffset: false };
const inputs = {
  stage: 'won',
  filters: [
    { field: 'amount', operator: 'gte', value: 10 },
    { field: 'stage', operator: 'in', value: ['won', 'lost'] },
    { field: 'closed', operator: 'isNull', value: false },
  ],
  sorts: [{ field: 'amount', direction: 'desc' }],
  top: 3,
  offset: 0,
};

it('a tool has the arguments that it supports, beside its inputs', () => {
  expect(listArguments(inputSchema, all)).toEqual(['filters', 'sorts', 'top', 'offset']);
  expect(listArguments(inputSchema, { ...none, supportsSort: true })).toEqual(['sorts']);
  expect(withListArguments(inputSchema, none)).toBe(inputSchema);
  const validate = new Ajv2020().compile(withListArguments(inputSchema, all));
  expect([validate(inputs), validate({ stage: 'won' }), validate({ ...inputs, top: 101 })]).toEqual([
    true,
    true,
    false,
  ]);
  expect(validate({ ...inputs, filters: Array.from({ length: 6 }, () => inputs.filters[0]) })).toBe(false);
});

it('an input with the name of an argument wins, wherever the schema has it', () => {
  const own = { ...inputSchema, properties: { top: { type: 'string' } } };
  expect(listArguments(own, all)).toEqual(['filters', 'sorts', 'offset']);
  expect(withListArguments(own, all)).toMatchObject({ properties: { top: { type: 'string' } } });
  const chosen = { anyOf: [{ type: 'object', properties: { offset: {} } }, { type: 'object' }] };
  expect(listArguments(chosen, all)).not.toContain('offset');
});

it.each(SCHEMA_PROFILES)('a model understands the arguments in the dialect %s', (profile) => {
  const extended = withListArguments(inputSchema, all);
  expect(new Ajv2020({ strict: false }).validate(adaptSchema(extended, profile), inputs)).toBe(true);
  expect(restoreInputs(extended, profile, inputs)).toEqual(inputs);
});
