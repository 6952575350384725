import { describe, expect, it } from 'vitest';
import { toolsOfPolicy, withFixedFields, withoutFixedFields } from './policy.ts';

const policy = {
  readOnly: false,
  fixedFields: { send: { to: 'ops@example.com', cc: null } },
  callsPerHour: null,
  requireApproval: ['send', 'delete'],
};

it('names each tool once', () => {
  expect(toolsOfPolicy(policy)).toEqual(['send', 'delete']);
});

const named = (toolSlug: string, ...aliases: string[]) => ({ toolSlug, aliases });

describe('fixed fields', () => {
  it('override the caller’s, for their tool only', () => {
    const fields = { to: 'me@example.com', text: 'x' };
    expect(withFixedFields(policy, named('post', 'send'), fields)).toMatchObject({ to: 'ops@example.com' });
    expect(withFixedFields(policy, named('send'), fields)).toEqual({
      to: 'ops@example.com',
      cc: null,
      text: 'x',
    });
    for (const tool of ['delete', 'constructor', '__proto__'])
      expect(withFixedFields(policy, named(tool), fields)).toBe(fields);
    expect(withFixedFields(null, named('send'), fields)).toBe(fields);
  });

  it('leave the input schema, `required` and `allOf` included', () => {
    const schema = {
      type: 'object',
      properties: { to: { type: 'string' }, text: { type: 'string' } },
      required: ['to', 'text'],
      additionalProperties: false,
    };
    for (const tool of [named('send'), named('post', 'send')])
      expect(withoutFixedFields(policy, tool, schema)).toEqual({
        ...schema,
        properties: { text: { type: 'string' } },
        required: ['text'],
      });
    const parts = { allOf: [{ $ref: '#/$defs/a' }, true, { allOf: [schema] }] };
    expect(withoutFixedFields(policy, named('send'), parts)).toEqual({
      allOf: [
        { $ref: '#/$defs/a' },
        true,
        { allOf: [{ ...schema, properties: { text: { type: 'string' } }, required: ['text'] }] },
      ],
    });
    expect(withoutFixedFields(policy, named('delete'), schema)).toBe(schema);
    expect(withoutFixedFields(null, named('send'), schema)).toBe(schema);
    expect(withoutFixedFields(policy, named('send'), { type: 'object' })).toEqual({ type: 'object' });
  });
});
