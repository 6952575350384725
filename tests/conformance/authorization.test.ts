import { spawn } from 'node:child_process';
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '@fairlead/local-stores/ports';
import { FormBrowser } from '@fairlead-services/identity/testing/form-browser';
import { expect, inject, test } from 'vitest';
import { z } from 'zod';

const stack = inject('stack');
const LIMIT_MS = 600_000;

/** A check in the suite's report. */
const check = z.object({ id: z.string(), status: z.string(), errorMessage: z.string().optional() });

/** The Model Context Protocol's conformance suite, installed by npm. */
const suite = join(
  dirname(fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/package.json'))),
  'dist/index.js',
);

/** A self-registered public client, like MCP clients. */
async function registerClient(redirectUri: string): Promise<string> {
  const response = await fetch(new URL('/oauth/register', stack.baseUrl), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: 'Conformance', redirect_uris: [redirectUri] }),
  });
  return z.object({ client_id: z.string() }).parse(await response.json()).client_id;
}

/** Acts as the person: opens the address, signs in, allows access, and follows the redirect. */
async function authorizeInBrowser(url: string, callback: URL): Promise<void> {
  const browser = new FormBrowser({ stopAt: ({ origin }) => origin === callback.origin });
  await browser.open(url);
  const { ownerEmail: email, ownerPassword: password } = stack.account;
  const answer = (await browser.press('Sign in', { email, password })) ?? (await browser.press('Allow'));
  if (answer === undefined) throw new Error(`The authorization ended at ${browser.page.url.pathname}.`);
  await fetch(answer);
}

/** Every check that the suite wrote below `directory`. */
async function readChecks(directory: string): Promise<readonly z.infer<typeof check>[]> {
  const files = await readdir(directory, { recursive: true });
  const texts = await Promise.all(
    files
      .filter((file) => file.endsWith('checks.json'))
      .map((file) => readFile(join(directory, file), 'utf8')),
  );
  return texts.flatMap((text) => z.array(check).parse(JSON.parse(text)));
}

test(
  'the authorization server passes the authorization scenarios of the Model Context Protocol: 0 failed, 0 skipped',
  { timeout: LIMIT_MS },
  async () => {
    const port = await freePort();
    const callback = new URL(`http://127.0.0.1:${port}/callback`);
    const results = await mkdtemp(join(tmpdir(), 'fairlead-conformance-'));
    const run = spawn(
      process.execPath,
      [
        suite,
        'authorization',
        '--url',
        new URL('/oauth', stack.baseUrl).href,
        '--client-id',
        await registerClient(callback.href),
        '--resource',
        stack.baseUrl,
        '--port',
        String(port),
        '--output-dir',
        results,
      ],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    );
    try {
      let output = '';
      let authorized: Promise<void> | undefined;
      for (const stream of [run.stdout, run.stderr]) {
        stream.setEncoding('utf8').on('data', (text: string) => {
          output += text;
          const [url] = /^http\S+response_type=code\S+$/m.exec(output) ?? [];
          if (url !== undefined)
            authorized ??= authorizeInBrowser(url, callback).catch((error: unknown) => {
              output += String(error);
              run.kill();
            });
        });
      }
      const exitCode = await new Promise((resolve) => run.once('close', resolve));
      await authorized;
      const checks = await readChecks(results);
      expect(checks.filter(({ status }) => status !== 'SUCCESS')).toEqual([]);
      expect(checks.map(({ id }) => id)).toEqual(
        expect.arrayContaining(['authorization-server-metadata', 'authorization-code-grant']),
      );
      expect(exitCode, output).toBe(0);
    } finally {
      run.kill();
      await rm(results, { recursive: true, force: true });
    }
  },
);
