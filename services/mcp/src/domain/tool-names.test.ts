import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { toolNames } from './tool-names.ts';
import type { NameableTool } from './tool-names.ts';

const tool = (o: Partial<NameableTool>): NameableTool => ({
  connectionId: 1,
  applicationSlug: 'crm',
  toolSlug: 'crm-list-contacts',
  upstreamName: '',
  ...o,
});
const namesOf = (...tools: NameableTool[]) => {
  const names = toolNames(tools);
  return tools.map((it) => names.get(it));
};

test('a tool has its slug, and one of an MCP server its own name there if that is legal', () => {
  expect(
    namesOf(
      tool({}),
      tool({ toolSlug: 'get-sum', upstreamName: 'getSum' }),
      tool({ toolSlug: 'files-read', upstreamName: 'files/read' }),
    ),
  ).toEqual(['crm-list-contacts', 'getSum', 'files-read']);
});

test('of the connections of an application, the later ones have names with a hash', () => {
  const [first, second, third] = namesOf(
    tool({ connectionId: 7 }),
    tool({ connectionId: 9 }),
    tool({ connectionId: 8 }),
  );
  expect(first).toBe('crm-list-contacts');
  for (const name of [second, third]) expect(name).toMatch(/^crm-list-contacts_[0-9a-f]{8}$/);
  expect(second).not.toBe(third);
});

test('a slug that is too long or not legal is cut and has a hash', () => {
  const slug = `crm-${'x'.repeat(60)}`;
  const [long, dotted] = namesOf(tool({ toolSlug: slug }), tool({ toolSlug: 'crm.list' }));
  expect(long).toMatch(/^crm-x{32}_[0-9a-f]{8}$/);
  expect(dotted).toMatch(/^crm_list_[0-9a-f]{8}$/);
});

test('a workflow gives way to a tool with its name', () => {
  const [workflow, connected] = namesOf(
    tool({ connectionId: undefined, applicationSlug: 'workflow', toolSlug: 'same' }),
    tool({ toolSlug: 'same' }),
  );
  expect(connected).toBe('same');
  expect(workflow).toMatch(/^same_[0-9a-f]{8}$/);
});

const anyTool = fc.record({
  connectionId: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
  applicationSlug: fc.constantFrom('a', 'b'),
  toolSlug: fc.oneof(fc.constantFrom('x', 'y', 'x.y'), fc.string({ minLength: 1, maxLength: 60 })),
  upstreamName: fc.oneof(fc.constantFrom('', 'x', 'X'), fc.string({ maxLength: 200 })),
});
const anySet = fc.uniqueArray(anyTool, { selector: (it) => JSON.stringify(it), maxLength: 40 });

test('names are unique, legal, and the same in whatever order the tools come', () => {
  const shuffled = anySet.chain((tools) =>
    fc
      .shuffledSubarray(tools, { minLength: tools.length, maxLength: tools.length })
      .map((others) => ({ tools, others })),
  );
  fc.assert(
    fc.property(shuffled, ({ tools, others }) => {
      const names = toolNames(tools);
      const all = [...names.values()];
      expect(new Set(all).size).toBe(tools.length);
      for (const name of all) expect(name).toMatch(/^[A-Za-z0-9_-]{1,45}$/);
      const again = toolNames(others);
      for (const it of tools) expect(again.get(it)).toBe(names.get(it));
    }),
    { seed: 1 },
  );
});
