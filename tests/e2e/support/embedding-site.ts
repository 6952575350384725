import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { fence } from '../../setup/fences.ts';
import { listen } from './client-app.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../..', import.meta.url));

/** A site of an account's product. */
export interface Site {
  /** Its origin. */
  readonly url: string;
  close(): Promise<void>;
}

/** A folder with the published client in its node_modules. */
async function installClient(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-embedding-'));
  await mkdir(join(folder, 'node_modules/@fairlead'), { recursive: true });
  const script = `import { build } from './packages/sdk/src/publishing/build.ts'; build(process.argv[1])`;
  const target = join(folder, 'node_modules/@fairlead/sdk');
  await run(process.execPath, ['--input-type=module', '-e', script, target], { cwd: root });
  return folder;
}

/** Runs the example of docs/connect.md, as its reader does, against the API. */
export async function startExample(o: { readonly baseUrl: string; readonly apiKey: string }): Promise<Site> {
  const folder = await installClient();
  await writeFile(join(folder, 'server.mjs'), await fence('docs/connect.md', 'js connect-server'));
  await writeFile(join(folder, 'page.html'), await fence('docs/connect.md', 'html connect-page'));
  const port = await freePort();
  const child = spawn(process.execPath, ['server.mjs'], {
    cwd: folder,
    env: { FAIRLEAD_URL: o.baseUrl, FAIRLEAD_API_KEY: o.apiKey, PORT: String(port) },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const url = `http://localhost:${port}`;
  await untilServing(url, () => child.exitCode === null);
  return {
    url,
    async close() {
      child.kill();
      await once(child, 'exit');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A site whose page offers the widget as `window.widget`, and notes messages and outcomes in `window.seen`. */
export async function startSite(): Promise<Site> {
  const folder = await installClient();
  const script = `import * as widget from '/sdk/connect.js';
    window.seen = [];
    const note = (name) => (value) => window.seen.push([name, value.status ?? value.code]);
    window.callbacks = { onSuccess: note('success'), onCancel: note('cancel'), onError: note('error') };
    addEventListener('message', ({ origin, data }) => window.seen.push(['message', { origin, ...data }]));
    window.widget = widget;`;
  const site = await listen((request, response) => {
    void (async () => {
      const file = /^\/sdk\/([\w/-]+\.js)$/.exec(request.url ?? '')?.[1];
      response.setHeader('content-type', file === undefined ? 'text/html' : 'text/javascript');
      const text =
        file === undefined
          ? `<!doctype html><title>Site</title><script type="module">${script}</script>`
          : await readFile(join(folder, 'node_modules/@fairlead/sdk', file));
      response.end(text);
    })();
  }, 'localhost');
  return {
    url: site.url,
    async close() {
      await site.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, 'localhost');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('No port.');
  return address.port;
}

async function untilServing(url: string, isRunning: () => boolean): Promise<void> {
  while (isRunning()) {
    try {
      await fetch(url);
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
