import { parseConnector } from '@fairlead/connector-model/parse-connector';
import type { Json, JsonObject } from '@fairlead/connector-model/json';
import { fieldDescriptor } from '@fairlead/connector-model/schema/authentication';
import { describe, expect, it } from 'vitest';
import type { PackageJob } from '../import-job.ts';
import { runImport } from '../run-import.ts';

const job: PackageJob = { kind: 'mcp', slug: 'acme', package: '@acme/server', version: '1.2.3-beta' };

/** A tool as describeServer describes it. */
function tool(toolName: string, members: JsonObject = {}): JsonObject {
  return {
    toolSlug: toolName,
    toolName,
    description: `Runs ${toolName}.`,
    category: 'MCP',
    aliases: [],
    isDeprecated: false,
    inputSchema: { type: 'object', properties: { a: { type: 'string', description: 'An input.' } } },
    outputSchema: { type: 'object', properties: {} },
    retryClass: 'unsafe',
    isDestructive: true,
    filters: null,
    sorts: null,
    paging: null,
    version: 'v',
    execution: { type: 'mcp', toolName },
    ...members,
  };
}

function imported(tools: Json, members: Partial<PackageJob> = {}) {
  const described = { serverName: 'Acme', serverVersion: '9', tools };
  const { answer, application } = runImport({ ...job, ...members }, Buffer.from(JSON.stringify(described)));
  return { answer, connector: application && parseConnector(application) };
}

describe('an MCP server in a package becomes an application', () => {
  it('whose tools are those of the server, and run in the package', () => {
    const { connector, answer } = imported([
      tool('read', { retryClass: 'readOnly', isDestructive: false }),
      tool('write'),
    ]);
    expect(connector).toMatchObject({
      slug: 'acme',
      name: 'Acme',
      kind: 'Regular',
      maturity: 'generated',
      version: '1.0.0',
    });
    expect(connector?.tools).toMatchObject([
      { toolSlug: 'read', retryClass: 'readOnly', isDestructive: false },
      {
        toolSlug: 'write',
        isDestructive: true,
        execution: {
          type: 'package',
          package: '@acme/server',
          version: '1.2.3-beta',
          action: 'write',
          isMcp: true,
        },
      },
    ]);
    expect(connector?.authenticationMethods).toMatchObject([{ scheme: { type: 'none' }, fields: [] }]);
    expect(answer).toEqual({ kind: 'imported', skipped: [] });
  });

  it('whose connections have the fields that the operator gives them', () => {
    const field = { name: 'key', label: 'Key', description: 'The key.', isRequired: true, isPassword: true };
    const { connector } = imported([tool('read')], { fields: [fieldDescriptor.parse(field)] });
    expect(connector?.authenticationMethods).toMatchObject([{ scheme: { type: 'custom' }, fields: [field] }]);
  });

  it('without the tools that break a rule, each with its reason', () => {
    const { connector, answer } = imported([
      tool('good'),
      tool('task', { execution: { type: 'mcp', toolName: 'task', isTask: true } }),
      tool('unknown-schema', { inputSchema: { type: 'thing' } }),
      tool('http', { retryClass: 'often' }),
      tool('unnamed', { execution: { type: 'http', request: { url: 'https://evil.test' } } }),
      'no tool',
    ]);
    expect(connector?.tools).toHaveLength(1);
    expect(answer).toMatchObject({
      skipped: [
        { operationId: 'task', reason: 'The server runs it as a task only.' },
        { operationId: 'http', reason: expect.stringContaining('retryClass') as string },
        { operationId: '', reason: expect.stringContaining('execution.action') as string },
        { operationId: '', reason: expect.stringContaining('toolSlug') as string },
        { operationId: 'unknown-schema', reason: expect.stringContaining('inputSchema') as string },
      ],
    });
  });

  it.each([
    ['no tools', []],
    ['no list', 'x'],
    ['only bad ones', [tool('x', { retryClass: 'often' })]],
  ])('not with %s', (_name, tools) => {
    expect(imported(tools).answer).toMatchObject({ kind: 'refused', issues: [{ field: 'package' }] });
  });
});
