import { join } from 'node:path';
import { compileConnectors } from '@fairlead/connector-model/compile';
import { Ajv2020 } from 'ajv/dist/2020.js';
import * as formats from 'ajv-formats';
import { beforeAll, describe, expect, it } from 'vitest';
import { isJsonObject } from '@fairlead/connector-model/json';
import type { JsonObject } from '@fairlead/connector-model/json';
import { adaptSchema, restoreInputs, SCHEMA_PROFILES } from './profile.ts';
import { profileProblems } from './profile-rules.ts';

const CONNECTORS = join(import.meta.dirname, '../../../connectors');

/** Schemas that an account's own tools may have. */
const ODD: Record<string, JsonObject> = {
  'open root': { type: 'object' },
  'choice at the root': {
    oneOf: [
      { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
      { type: 'object', properties: { email: { type: 'string' } }, required: ['email'] },
    ],
  },
  recursion: {
    type: 'object',
    properties: { node: { $ref: '#/$defs/node' } },
    $defs: {
      node: {
        type: 'object',
        properties: { name: { type: 'string' }, next: { $ref: '#/$defs/node' } },
        required: ['name'],
      },
    },
  },
  'references that multiply': multiplying(),
  'deep objects': nested(30),
  'unusual names': {
    type: 'object',
    properties: { 'first name': { type: 'string' }, $filter: { type: 'object', properties: { 'a/b': {} } } },
    required: ['first name'],
  },
  'many types': {
    type: 'object',
    properties: {
      any: {},
      nothing: true,
      either: { type: ['string', 'integer', 'null'] },
      mixed: { type: ['string', 'array'], items: { type: 'string' } },
      level: { enum: [1, 2, null] },
      exact: { const: 'a' },
      pair: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }] },
      both: { allOf: [{ type: 'object', properties: { a: { type: 'string' } } }, { required: ['a'] }] },
      map: { type: 'object', additionalProperties: { type: 'string' } },
    },
    required: ['any'],
  },
};

const tools: { name: string; inputSchema: JsonObject }[] = Object.entries(ODD).map(([name, inputSchema]) => ({
  name,
  inputSchema,
}));

beforeAll(async () => {
  const compiled = await compileConnectors(CONNECTORS);
  if (!compiled.ok) throw new Error('The connectors do not compile.');
  const own = compiled.connectors.flatMap((connector) => connector.tools);
  tools.push(...own.map(({ toolSlug, inputSchema }) => ({ name: toolSlug, inputSchema })));
});

describe('a schema in the dialect of a model', () => {
  it.each(SCHEMA_PROFILES)('%s: nothing else than the model accepts is used', (profile) => {
    for (const { name, inputSchema } of tools) {
      const adapted = adaptSchema(inputSchema, profile);
      expect(profileProblems(adapted, profile), name).toEqual([]);
    }
  });

  // Not for Gemini, whose dialect is a subset of OpenAPI 3.0.
  it.each(['openai-strict', 'anthropic'] as const)('%s: is a JSON Schema', (profile) => {
    for (const { name, inputSchema } of tools)
      expect(() => ajv().compile(adaptSchema(inputSchema, profile)), name).not.toThrow();
  });

  it.each([
    ['openai-strict', { type: 'object' }, 'an open object'],
    ['openai-strict', { type: 'object', additionalProperties: false, oneOf: [] }, 'oneOf'],
    [
      'openai-strict',
      { type: 'object', properties: { a: {} }, required: [], additionalProperties: false },
      'an optional member',
    ],
    ['anthropic', { type: 'object', anyOf: [{}] }, 'a choice at the root'],
    ['anthropic', { type: 'object', properties: { 'a b': {} } }, "the name 'a b'"],
    ['gemini', { type: 'object', properties: { a: { type: ['string', 'null'] } } }, 'no single type'],
    [
      'gemini',
      { type: 'object', properties: { a: { type: 'integer', enum: [1] } } },
      'an enum of other than strings',
    ],
    ['gemini', { type: 'array' }, 'a root that is no object'],
  ] as const)('%s refuses %j', (profile, schema, problem) => {
    expect(profileProblems(schema, profile)).toContain(problem);
  });

  it('stays small, whatever references it has', () => {
    for (const profile of SCHEMA_PROFILES) {
      const size = JSON.stringify(adaptSchema(multiplying(), profile)).length;
      expect(size, profile).toBeLessThan(1_000_000);
    }
  });
});

describe('inputs made by the schema in a dialect', () => {
  it('openai-strict: a null of an optional member is left out, also where null is valid', () => {
    const schema = {
      type: 'object',
      properties: {
        id: { type: 'string' },
        email: { type: ['string', 'null'] },
        owner: { type: ['string', 'null'] },
        place: { type: 'object', properties: { city: { type: 'string' } } },
      },
      required: ['id', 'owner'],
    };
    const inputs = { id: '1', email: null, owner: null, place: { city: null } };
    expect(ajv().compile(adaptSchema(schema, 'openai-strict'))(inputs)).toBe(true);
    expect(restoreInputs(schema, 'openai-strict', inputs)).toEqual({ id: '1', owner: null, place: {} });
  });

  it('strings that stand for what a dialect cannot describe are read as JSON, others stay', () => {
    const schema = {
      type: 'object',
      properties: {
        body: {},
        headers: { type: 'object', additionalProperties: true },
        text: { type: 'string' },
      },
    };
    const inputs = { body: '[1, {"a": null}]', headers: '{"x": "y"}', text: '{"not": "read"}' };
    for (const profile of ['openai-strict', 'gemini'] as const)
      expect(restoreInputs(schema, profile, inputs)).toEqual({
        body: [1, { a: null }],
        headers: { x: 'y' },
        text: '{"not": "read"}',
      });
    expect(restoreInputs(schema, 'gemini', { body: 'plain words' })).toEqual({ body: 'plain words' });
  });

  it('what a text holds is bounded in size and depth, and then stays text', () => {
    const schema = { type: 'object', properties: { body: {} } };
    const deep = '['.repeat(100) + ']'.repeat(100);
    const large = JSON.stringify('x'.repeat(300_000));
    for (const body of [deep, large]) expect(restoreInputs(schema, 'gemini', { body })).toEqual({ body });
  });

  it('anthropic: members have their own names again, at every level', () => {
    const schema = ODD['unusual names'] ?? {};
    const adapted = adaptSchema(schema, 'anthropic');
    const [first = '', filter = ''] = Object.keys(objectAt(adapted, 'properties'));
    const inner =
      Object.keys(objectAt(objectAt(objectAt(adapted, 'properties'), filter), 'properties'))[0] ?? '';
    const inputs = { [first]: 'Ada', [filter]: { [inner]: 1 }, unknown: true };
    expect(restoreInputs(schema, 'anthropic', inputs)).toEqual({
      'first name': 'Ada',
      $filter: { 'a/b': 1 },
      unknown: true,
    });
  });

  it('members named as those of every object are members like others', () => {
    const schema = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{}}}',
    ) as JsonObject;
    const inputs = JSON.parse('{"__proto__":"a","constructor":"1"}') as JsonObject;
    for (const profile of SCHEMA_PROFILES) {
      const restored = restoreInputs(schema, profile, inputs);
      expect(Object.keys(restored), profile).toEqual(['__proto__', 'constructor']);
      expect(Object.getPrototypeOf(restored), profile).toBe(Object.prototype);
    }
  });
});

/** A validator of JSON Schema 2020-12. */
function ajv(): Ajv2020 {
  const validator = new Ajv2020({ strict: false });
  formats.default.default(validator);
  return validator;
}

function objectAt(schema: JsonObject, name: string): JsonObject {
  const value = schema[name];
  return isJsonObject(value) ? value : {};
}

/** With every reference expanded, this schema has 2^20 leaves. */
function multiplying(): JsonObject {
  const level = (i: number): JsonObject => ({
    type: 'object',
    properties: { a: { $ref: `#/$defs/l${i + 1}` }, b: { $ref: `#/$defs/l${i + 1}` } },
  });
  const $defs: Record<string, JsonObject> = { l20: { type: 'string' } };
  for (let i = 0; i < 20; i += 1) $defs[`l${i}`] = level(i);
  return { type: 'object', properties: { root: { $ref: '#/$defs/l0' } }, $defs };
}

function nested(levels: number): JsonObject {
  let schema: JsonObject = { type: 'string' };
  for (let i = 0; i < levels; i += 1) schema = { type: 'object', properties: { next: schema } };
  return schema;
}
