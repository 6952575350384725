import { notFound } from '@fairlead/errors/api-error';
import type { JsonObject } from '@fairlead/connector-model/json';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, it } from 'vitest';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { toolDefinition } from '../../testing/fixtures.ts';
import { newToolSummary } from '../../testing/toolsets.ts';
import { bindPolicy } from './bind-policy.ts';

const policy = { readOnly: false, fixedFields: {}, callsPerHour: null, requireApproval: [] };
const inputs = (...names: string[]): JsonObject => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, {}])),
});

/** Binds a policy that fixes fields of `send`, which means one tool per schema, and of `flow`, a workflow. */
function bind(fixedFields: Readonly<Record<string, JsonObject>>, ...schemas: readonly JsonObject[]) {
  const candidates = schemas.map((inputSchema, at) => ({
    applicationSlug: `mcp-${at}`,
    isPlatform: false,
    definition: toolDefinition({ inputSchema, execution: { type: 'mcp', toolName: 'Send' } }),
  }));
  const resolveTool = (_ctx: unknown, slug: string) =>
    slug === 'send' && candidates.length > 0 ? Promise.resolve(candidates) : Promise.reject(notFound('tool'));
  const flow = {
    workflowToken: 'wf',
    tool: newToolSummary('flow', { inputSchema: LazyJson.of(inputs('name')) }),
  };
  const former = {
    ...policy,
    fixedFields: { send: { kept: 1 } },
    bindings: { send: ['mcp mcp-0 Send'] },
  };
  const held = { workflows: [flow], former };
  return bindPolicy({ catalog: { resolveTool } }, testContext(), { ...policy, fixedFields }, held);
}

it('refuses a fixed input that no tool of its slug has, a workflow neither', async () => {
  await expect(
    bind({ send: { to: 1, too: 1, cc: 2 }, flow: { name: 1, names: 2 } }, inputs('to'), inputs('cc')),
  ).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
    details: [{ field: 'policy.fixedFields.send.too' }, { field: 'policy.fixedFields.flow.names' }],
  });
  await expect(bind({ send: { to: 1, cc: 2 } }, inputs('to'), inputs('cc'))).resolves.toMatchObject({
    bindings: { send: ['mcp mcp-0 Send', 'mcp mcp-1 Send'] },
  });
});

it('takes again what the policy fixed before, whatever its slug names now', async () => {
  await expect(bind({ send: { kept: 2 } }, inputs('to'))).resolves.toBeDefined();
  await expect(bind({ send: { kept: 2 } })).resolves.toBeDefined();
  await expect(bind({ flow: { kept: 2 } })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
});

it('names a hundred issues, and asks no more than twenty tools', async () => {
  const many = Object.fromEntries(Array.from({ length: 150 }, (_name, at) => [`n${at}`, 1]));
  const refused = await bind({ send: many }, inputs()).catch((error: unknown) => error);
  expect(refused).toMatchObject({ details: { length: 100 } });
  await expect(bind({ send: many }, ...Array<JsonObject>(20).fill(inputs()))).rejects.toBeDefined();
  await expect(bind({ send: many }, ...Array<JsonObject>(21).fill(inputs()))).resolves.toBeDefined();
});
