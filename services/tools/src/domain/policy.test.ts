import { describe, expect, it } from 'vitest';
import {
  boundPolicy,
  requiresApproval,
  toolsOfPolicy,
  withFixedFields,
  withoutFixedFields,
} from './policy.ts';

const policy = {
  readOnly: false,
  fixedFields: { send: { to: 'ops@example.com', cc: null } },
  callsPerHour: null,
  requireApproval: ['send', 'delete'],
};

it('names each tool once', () => {
  expect(toolsOfPolicy(policy)).toEqual(['send', 'delete']);
});

const named = (toolSlug: string, ...aliases: string[]) => ({
  toolSlug,
  aliases,
  identities: [toolSlug, ...aliases].map((slug) => `slug ${slug}`),
});
const atServer = (toolSlug: string, name: string, application = 'mcp-7') => ({
  toolSlug,
  aliases: [],
  identities: [`mcp ${application} ${name}`, `mcp * ${name}`],
});

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

describe('a bound policy', () => {
  const moved = atServer('send-1', 'Send');
  const other = atServer('send', 'send');
  const bound = boundPolicy(policy, new Map([['send', [atServer('send', 'Send')]]]), null);

  it('means the tools that its slugs named, wherever these have gone', () => {
    expect(requiresApproval(bound, moved)).toBe(true);
    expect(withFixedFields(bound, moved, {})).toMatchObject({ to: 'ops@example.com' });
    expect(withoutFixedFields(bound, moved, { properties: { to: {}, a: {} } })).toEqual({
      properties: { a: {} },
    });
    expect(requiresApproval(bound, other)).toBe(false);
    expect(withFixedFields(bound, other, {})).toEqual({});
  });

  it('means a tool of the platform by each slug that it has had', () => {
    const of = boundPolicy(policy, new Map([['send', [named('send')]]]), null);
    expect(requiresApproval(of, named('post', 'send'))).toBe(true);
    expect(requiresApproval(of, named('post'))).toBe(false);
  });

  it('goes on meaning them when it is sent again, and what its slugs name now; not when a slug is left out', () => {
    const again = boundPolicy(policy, new Map([['send', [other]]]), bound);
    expect([moved, other].map((tool) => requiresApproval(again, tool))).toEqual([true, true]);
    const without = boundPolicy({ ...policy, requireApproval: [], fixedFields: {} }, new Map(), again);
    expect(without.bindings).toEqual({});
  });

  it('means the tools of its applications, and of every application where these are very many', () => {
    const ofMany = (count: number) =>
      boundPolicy(
        policy,
        new Map([
          ['send', Array.from({ length: count }, (_tool, at) => atServer('send', 'Send', `mcp-${at}`))],
        ]),
        bound,
      );
    const elsewhere = atServer('send-2', 'Send', 'mcp-99');
    expect(requiresApproval(ofMany(20), elsewhere)).toBe(false);
    expect(ofMany(20).bindings?.['send']).toHaveLength(20);
    expect(requiresApproval(ofMany(21), elsewhere)).toBe(true);
    expect(requiresApproval(ofMany(21), atServer('send', 'send', 'mcp-3'))).toBe(false);
    expect(ofMany(21).bindings?.['send']).toHaveLength(1);
    const later = boundPolicy(policy, new Map([['send', [elsewhere]]]), ofMany(21));
    expect(later.bindings).toEqual(ofMany(21).bindings);
  });

  it('may mean 10 000 tools', () => {
    const many = Array.from({ length: 10_001 }, (_tool, at) => atServer('send', `${at}`));
    expect(() => boundPolicy(policy, new Map([['send', many]]), null)).toThrow(
      expect.objectContaining({ code: 'VALIDATION_ERROR' }),
    );
    const most = boundPolicy(policy, new Map([['send', many.slice(1)]]), null);
    expect(most.bindings?.['send']).toHaveLength(10_000);
  });

  it('lets the slug that the tool has now win over one that it had', () => {
    const fixed = { ...policy, fixedFields: { post: { to: 'now' }, send: { to: 'then', cc: 1 } } };
    const tool = named('post', 'send');
    const of = boundPolicy(fixed, new Map(['post', 'send'].map((slug) => [slug, [tool]])), null);
    for (const each of [fixed, of]) expect(withFixedFields(each, tool, {})).toEqual({ to: 'now', cc: 1 });
  });
});
