import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { connectorHead } from '../testing/builders.ts';
import { mcpApplication } from './mcp-application.ts';

const tools = [{ toolSlug: 'a', description: 'é' }];
const server = {
  serverName: 'Files',
  serverVersion: '2.1',
  toolsJson: Buffer.from(JSON.stringify(tools)),
};
const head = connectorHead({ slug: 'mcp', kind: 'MCPClient' });

test('the hash is that of the JSON of the whole application, as earlier releases stored it: an upgrade changes no version', () => {
  const application = {
    ...head,
    slug: 'mcp-7',
    name: 'Files',
    description: 'The tools of the MCP server Files 2.1.',
    maturity: 'generated',
    tools,
    version: null,
  };
  const hash = createHash('sha256').update(JSON.stringify(application)).digest('base64url');
  const mcpTools = { readAt: new Date(0), hash, version: 4 };
  expect(mcpApplication(head, { id: 7, mcpTools }, server)).toMatchObject({
    hash,
    version: 4,
    head: { slug: 'mcp-7', name: 'Files', version: '1.0.4' },
  });
  const others = { ...server, toolsJson: Buffer.from('[]') };
  expect(mcpApplication(head, { id: 7, mcpTools }, others)).toMatchObject({ version: 5 });
});
