import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PACKAGES_FILE, readAllowedPackages } from '@fairlead/connector-model/packages/allowed-package';
import type {
  AllowedPackage,
  AllowedPackages,
  AllowedServer,
} from '@fairlead/connector-model/packages/allowed-package';
import { onTestFinished } from 'vitest';

/** A piece as its registry has it, with these actions (JavaScript: the members of an object, each a function of the context). */
export function pieceProgram(actions: string, members = ''): string {
  return `
    'use strict';
    const runs = {${actions}};
    const actions = Object.fromEntries(Object.entries(runs).map(([name, run]) => [name, {
      name, displayName: name, description: 'Runs ' + name, props: {}, audience: 'both', run,
    }]));
    exports.acme = {
      displayName: 'Acme', description: 'A vendor of tests.', auth: undefined,
      actions: () => actions, triggers: () => ({}), getContextInfo: () => ({ version: '2' }),
      ${members}
    };`;
}

/**
 * An MCP server with these tools (JavaScript: the members of an object, each a function of the arguments), in the form in which
 * fetchPackages writes it.
 */
export function serverProgram(tools: string, members = ''): string {
  return `
    'use strict';
    module.exports = async () => {
      const runs = {${tools}};
      const definitions = Object.keys(runs).map((name) => ({ name, description: 'Runs ' + name, inputSchema: { type: 'object' } }));
      const write = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
      const results = {
        initialize: async ({ protocolVersion }) => ({
          protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'Acme server', version: '3.0.0' },
        }),
        'tools/list': async () => ({ tools: definitions }),
        'tools/call': async ({ name, arguments: given }) => {
          if (!(name in runs)) return { isError: true, content: [{ type: 'text', text: 'Unknown tool ' + name }] };
          try {
            const result = await runs[name](given);
            const content = [{ type: 'text', text: JSON.stringify(result) ?? '' }];
            return Array.isArray(result) ? { content } : { structuredContent: result, content };
          } catch (error) {
            const resource = error.resource === undefined ? '' : ' (' + error.permission + ' ' + error.resource + ')';
            return { isError: true, content: [{ type: 'text', text: error.message + resource }] };
          }
        },
      };
      ${members}
      const reader = require('node:readline').createInterface({ input: process.stdin });
      reader.on('line', async (line) => {
        const { id, method, params } = JSON.parse(line);
        if (id !== undefined) write({ id, result: await results[method](params) });
      });
    };`;
}

/** A folder in which these programs are allowed, as `acme-<name>` of version 1.0.0; it is removed after the test. */
export async function testPackages(
  programs: Readonly<Record<string, string>>,
  members: Partial<Pick<AllowedServer, 'version' | 'hosts' | 'environment' | 'arguments' | 'fields'>> & {
    readonly kind?: AllowedPackage['kind'] | undefined;
  } = {},
): Promise<AllowedPackages> {
  const directory = await mkdtemp(join(tmpdir(), 'fairlead-packages-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const { kind = 'piece', ...rest } = members;
  const packages: object[] = [];
  for (const [name, text] of Object.entries(programs)) {
    const program = `${createHash('sha256').update(text).digest('hex')}.cjs`;
    packages.push({
      package: `acme-${name}`,
      version: '1.0.0',
      integrity: `sha256-${Buffer.from(name).toString('base64')}`,
      file: 'src/index.js',
      kind,
      program,
      ...(kind === 'mcp' && { lock: 'package-lock.json' }),
      ...rest,
    });
    await writeFile(join(directory, program), text);
  }
  await writeFile(join(directory, PACKAGES_FILE), JSON.stringify({ packages }));
  return readAllowedPackages(directory);
}
