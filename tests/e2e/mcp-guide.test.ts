import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { z } from 'zod';
import { installMcpClients, runMcpCommand, runMcpProgram } from '../contract/support/mcp-clients.ts';
import type { McpPrograms } from '../contract/support/mcp-clients.ts';
import { fence } from '../setup/fences.ts';
import { isInstalled, linkedCheckout, PastingShell } from '../setup/walk.ts';
import { signedInClient } from './support/signed-in-client.ts';

const stack = inject('stack');
const CREATE = 'sandbox-crm-create-contact';

/** The page's examples of an address, an address for people who sign in, and a key. */
const URL_SHOWN = 'http://127.0.0.1:8080/mcp/mcp_uH1vM/mcp';
const OAUTH_URL_SHOWN = 'http://127.0.0.1:8080/mcp/s/01a22541/mcp';
const KEY_SHOWN = 'fairlead_HvQZNs';

/** The lines printed by the page's code block. */
interface PrintedServer {
  readonly url: string;
  readonly oauthUrl: string;
  readonly apiKey: string;
}

let checkout: Awaited<ReturnType<typeof linkedCheckout>>;
let programs: McpPrograms;
let created: PrintedServer;
beforeAll(async () => {
  [checkout, programs] = await Promise.all([linkedCheckout(stack), installMcpClients()]);
  created = await paste('bash');
});
afterAll(async () => {
  await Promise.all([checkout.remove(), rm(programs.folder, { recursive: true, force: true })]);
});

async function paste(name: 'bash' | 'zsh'): Promise<PrintedServer> {
  const shell = await PastingShell.open(name, checkout.path);
  try {
    const printed = await shell.paste(await fence('docs/mcp.md', 'sh mcp-server'));
    const [url = '', oauthUrl = '', apiKey = ''] = printed.split('\n');
    return { url, oauthUrl, apiKey };
  } finally {
    await shell.close();
  }
}

/** A configuration of the page, with the server and key created by the code block. */
async function configuration(info: string): Promise<string> {
  const text = await fence('docs/mcp.md', info);
  return text
    .replace(URL_SHOWN, created.url.replace(/sse$/, 'mcp'))
    .replace(KEY_SHOWN, created.apiKey)
    .replace(OAUTH_URL_SHOWN, created.oauthUrl);
}

describe('docs/mcp.md', () => {
  it.for(['bash', 'zsh'] as const)('pasted into %s, creates a server and a key', async (name, { skip }) => {
    skip(!isInstalled(name), `${name} is not installed: nothing is pasted into it`);
    const { url, oauthUrl, apiKey } = await paste(name);
    expect(url).toMatch(/\/mcp\/mcp_[\w-]+\/sse$/);
    expect(oauthUrl).toMatch(/\/mcp\/s\/[\w-]+\/mcp$/);
    expect(apiKey).toMatch(/^fairlead_\w+$/);
  });

  it.for([
    ['json mcp-claude-code', 'claude-code.json'],
    ['json mcp-cursor', '.cursor/mcp.json'],
    ['json mcp-vscode', '.vscode/mcp.json'],
  ] as const)('%s is a configuration with which a client calls a tool', async ([info, file]) => {
    // mcporter reads these clients' files without asking for input.
    const text = (await configuration(info)).replace('${input:fairlead-key}', created.apiKey);
    const folder = join(programs.folder, info.replace(' ', '-'));
    await mkdir(join(folder, file, '..'), { recursive: true });
    await writeFile(join(folder, file), text);
    const source = file.startsWith('.') ? ['--root', folder] : ['--config', join(folder, file)];
    const contact = { name: `By ${info}` };
    const call = ['call', `fairlead.${CREATE}`, '--args', JSON.stringify(contact), '--output', 'json'];
    const variables = { FAIRLEAD_API_KEY: created.apiKey };
    expect(await runMcpCommand(programs, 'mcporter', [...source, ...call], variables)).toMatchObject(contact);
  });

  it('json mcp-claude-desktop starts a bridge through which a client calls a tool', async () => {
    const started = z.object({
      command: z.string(),
      args: z.array(z.string()),
      env: z.record(z.string(), z.string()),
    });
    const shape = z.object({ mcpServers: z.object({ fairlead: started }) });
    const { fairlead } = shape.parse(JSON.parse(await configuration('json mcp-claude-desktop'))).mcpServers;
    const call = { name: CREATE, arguments: { name: 'By a bridge' } };
    // npx runs the bridge installed in the program's folder.
    const [found] = await runMcpProgram(programs, 'sdk-1.mjs', [{ wire: 'stdio', ...fairlead, call }]);
    expect(found?.output).toMatchObject(call.arguments);
  });

  it('json mcp-sign-in names an address at which a client lets a person sign in', async () => {
    const shape = z.object({ mcpServers: z.object({ fairlead: z.object({ url: z.string() }) }) });
    const { url } = shape.parse(JSON.parse(await configuration('json mcp-sign-in'))).mcpServers.fairlead;
    const { ownerEmail: email, ownerPassword: password } = stack.account;
    const client = await signedInClient(url, { email, password });
    try {
      const contact = { name: 'By a person' };
      const { structuredContent } = await client.callTool({ name: CREATE, arguments: contact });
      expect(structuredContent).toMatchObject(contact);
    } finally {
      await client.close();
    }
  });
});
